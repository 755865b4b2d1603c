/** The tree of an account: its parents, whose budgets limit it too, and its direct children. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { invalidate, useGet } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { Skeleton } from '../../parts/base/skeleton.tsx';
import { Field } from '../../parts/form/field.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { Facts } from '../../parts/page/page.tsx';
import { None } from '../../parts/values/values.tsx';
import { hasRole, useMe } from '../../state/session.ts';
import styles from './accounts.module.css';
import { AccountLink, accountPath } from './names.tsx';

const PATH = '/admin/v1/accounts/{account}/parent';

/** Members see their own account only, and others by their id. */
const Named = ({ id, isLinked }: { readonly id: string; readonly isLinked: boolean }) =>
  isLinked ? <AccountLink id={id} text={id} /> : <bdi>{id}</bdi>;

export function AccountGroup({ account }: { readonly account: string }) {
  const isOperator = hasRole(useMe(), 'operator');
  const family = useGet(PATH, { path: { account } });
  const [isMoving, setMoving] = useState(false);
  if (family.isError) return <Problem error={family.error} onRetry={() => void family.refetch()} />;
  if (family.data === undefined) return <Skeleton />;
  const { parentId, above, children } = family.data;
  const listed = (ids: readonly string[]) =>
    ids.length === 0 ? (
      <None />
    ) : (
      <ul className={styles['names']}>
        {ids.map((id) => (
          <li key={id}>
            <Named id={id} isLinked={isOperator} />
          </li>
        ))}
      </ul>
    );
  return (
    <>
      <div className={styles['bar']}>
        <p className={styles['muted']}>
          {t('A budget of the scope “group” bounds an account and all accounts below it, together.')}
        </p>
        {isOperator && <Button onClick={() => setMoving(true)}>{t('Set the parent')}</Button>}
      </div>
      <Facts
        facts={[
          [t('Accounts above, the nearest first'), listed(above)],
          [t('Accounts directly below'), listed(children)],
          ...(isOperator && above.length > 0
            ? ([
                [
                  t('Budgets that also bound it'),
                  <ul key="budgets" className={styles['names']}>
                    {above.map((id) => (
                      <li key={id}>
                        <AccountLink id={id} text={t('Budgets of {account}', { account: id })} tab="budgets" />
                      </li>
                    ))}
                  </ul>,
                ],
              ] as const)
            : []),
        ]}
      />
      {isMoving && <SetParent account={account} before={parentId} onClose={() => setMoving(false)} />}
    </>
  );
}

type SetParentProps = { readonly account: string; readonly before: string | null; readonly onClose: () => void };

function SetParent({ account, before, onClose }: SetParentProps) {
  const client = useQueryClient();
  const [text, setText] = useState(before ?? '');
  const parentId = text.trim() === '' ? null : text.trim();
  return (
    <WriteDialog
      title={t('Set the parent')}
      action={t('Save')}
      onClose={onClose}
      onSave={async () => {
        await call('post', PATH, { path: { account }, body: { parentId } });
        invalidate(client, [PATH, '/admin/v1/accounts/{account}', '/admin/v1/accounts']);
      }}
      isReady={parentId !== before}
      command={{
        method: 'POST',
        path: accountPath(account, '/parent'),
        body: { parentId },
        cli: triviumLine(['accounts', 'parent', account, parentId ?? 'none']),
      }}
    >
      <Field
        label={t('Id of the parent account')}
        hint={t('Empty: none. Budgets of its new place count from the next request on.')}
      >
        {/* biome-ignore lint/a11y/noAutofocus: the dialog was opened to type it */}
        <input value={text} onChange={(event) => setText(event.target.value)} spellCheck={false} autoFocus />
      </Field>
    </WriteDialog>
  );
}
