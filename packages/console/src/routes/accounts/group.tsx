/** The tree of an account: its parents, whose budgets limit it too, and its direct children. */

import { type ReactNode, useState } from 'react';
import { useGet, useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { Facts, Loaded } from '../../parts/page/page.tsx';
import { None } from '../../parts/values/values.tsx';
import { hasRole, useMe } from '../../state/session.ts';
import styles from './accounts.module.css';
import { AccountLink } from './names.tsx';

const PATH = '/admin/v1/accounts/{account}/parent';

type NamesProps = { readonly ids: readonly string[]; readonly children: (id: string) => ReactNode };
const Names = ({ ids, children }: NamesProps) =>
  ids.length === 0 ? (
    <None />
  ) : (
    <ul className={styles['names']}>
      {ids.map((id) => (
        <li key={id}>{children(id)}</li>
      ))}
    </ul>
  );

export function AccountGroup({ account }: { readonly account: string }) {
  const isOperator = hasRole(useMe(), 'operator');
  const family = useGet(PATH, { path: { account } });
  const [isMoving, setMoving] = useState(false);
  /** Members see their own account only, and others by their id. */
  const named = (id: string) => (isOperator ? <AccountLink id={id} text={id} /> : <bdi>{id}</bdi>);
  return (
    <Loaded of={family}>
      {({ parentId, above, children }) => (
        <>
          <div className={styles['bar']}>
            <p className={styles['muted']}>
              {t('A budget of the scope “group” bounds an account and all accounts below it, together.')}
            </p>
            {isOperator && <Button onClick={() => setMoving(true)}>{t('Set the parent')}</Button>}
          </div>
          <Facts
            facts={[
              [
                t('Accounts above, the nearest first'),
                <Names key="above" ids={above}>
                  {named}
                </Names>,
              ],
              [
                t('Accounts directly below'),
                <Names key="below" ids={children}>
                  {named}
                </Names>,
              ],
              isOperator &&
                above.length > 0 && [
                  t('Budgets that also bound it'),
                  <Names key="budgets" ids={above}>
                    {(id) => <AccountLink id={id} text={t('Budgets of {account}', { account: id })} tab="budgets" />}
                  </Names>,
                ],
            ]}
          />
          {isMoving && <SetParent account={account} before={parentId} onClose={() => setMoving(false)} />}
        </>
      )}
    </Loaded>
  );
}

type SetParentProps = { readonly account: string; readonly before: string | null; readonly onClose: () => void };

function SetParent({ account, before, onClose }: SetParentProps) {
  const write = useWrite();
  const [form, set] = useForm({ parent: before ?? '' });
  const parentId = form.parent.trim() === '' ? null : form.parent.trim();
  return (
    <WriteDialog
      title={t('Set the parent')}
      onClose={onClose}
      write={write('post', PATH, { path: { account }, body: { parentId } }, [
        PATH,
        '/admin/v1/accounts/{account}',
        '/admin/v1/accounts',
      ])}
      cli={triviumLine(['accounts', 'parent', account, parentId ?? 'none'])}
      isReady={parentId !== before}
    >
      <Fields
        form={[form, set]}
        rows={[
          {
            name: 'parent',
            label: t('Id of the parent account'),
            hint: t('Empty: none. Budgets of its new place count from the next request on.'),
            spellCheck: false,
            autoFocus: true,
          },
        ]}
      />
    </WriteDialog>
  );
}
