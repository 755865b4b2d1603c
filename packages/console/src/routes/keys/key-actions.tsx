/** What can be done with a key: rename, rotate, revoke. */

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { findSome } from '../../api/find-some.ts';
import { useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { formatWhen } from '../../format/when.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import { toast, toastProblem } from '../../parts/base/toast.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { Check } from '../../parts/form/form.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { useZone } from '../../state/preferences.ts';
import { RevealKey } from './reveal-key.tsx';

export type FoundKey = Schemas['FoundKey'];

type ActionProps = { readonly found: FoundKey; readonly isOpen: boolean; readonly onClose: () => void };

const KEYS = '/admin/v1/accounts/{account}/keys';
const LISTED = ['/admin/v1/keys'] as const;
const DAY_MS = 86_400_000;

const GRACES: readonly (readonly [seconds: string, text: string])[] = [
  ['0', msg('not at all')],
  ['3600', msg('1 hour')],
  ['86400', msg('24 hours')],
  ['604800', msg('7 days')],
];

export function RotateKey({ found: { id, accountId, name }, isOpen, onClose }: ActionProps) {
  const write = useWrite();
  const zone = useZone();
  const [form, set] = useForm({ grace: '0' });
  const [made, setMade] = useState<Schemas['KeyWithSecret']>();
  const graceSeconds = Number(form.grace);
  const until = formatWhen(Date.now() + graceSeconds * 1000, zone, Date.now(), locale());
  return (
    <>
      <WriteDialog
        title={t('Rotate {name}', { name })}
        action={t('Make a new secret')}
        isDanger
        isOpen={isOpen}
        onClose={onClose}
        write={write(
          'post',
          `${KEYS}/{id}/rotate`,
          { path: { account: accountId, id }, body: { graceSeconds } },
          LISTED,
        )}
        cli={triviumLine(['keys', 'rotate', accountId, id], [['grace', graceSeconds]])}
        onDone={setMade}
      >
        <Fields
          form={[form, set]}
          rows={[
            {
              name: 'grace',
              label: t('How long the old secret still works'),
              hint:
                graceSeconds === 0 ? t('Callers with the old secret fail at once.') : t('Until {until}.', { until }),
              options: GRACES.map(([seconds, text]) => [seconds, t(text)]),
            },
          ]}
        />
      </WriteDialog>
      <RevealKey made={made} onClose={() => setMade(undefined)} />
    </>
  );
}

/** Undefined: there are none. `children`: undefined while they are not known, and they would be revoked all the same. */
export function childrenText(children: readonly { readonly name: string }[] | undefined): string | undefined {
  if (children === undefined) return t('Also revoke keys made with it');
  if (children.length === 0) return undefined;
  return t('Also revoke {count, plural, one {# key} other {# keys}} made with it: {names}', {
    count: children.length,
    names: new Intl.ListFormat(locale()).format(children.map(({ name }) => name)),
  });
}

export function RevokeKey({ found, isOpen, onClose }: ActionProps) {
  const write = useWrite();
  const [hasChildren, setChildren] = useState(true);
  const { id, accountId: account, name, lastUsedAt } = found;
  const children = useQuery({
    queryKey: [KEYS, 'children', account, id],
    queryFn: ({ signal }) =>
      findSome(
        (after) => call('get', KEYS, { path: { account }, query: { limit: '200', after } }, signal),
        ({ parentId, revokedAt }) => parentId === id && revokedAt === null,
      ),
    enabled: isOpen,
  });
  const offered = childrenText(children.data);
  const isInUse = lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < DAY_MS;
  return (
    <WriteDialog
      title={t('Revoke {name}', { name })}
      action={t('Revoke')}
      isDanger
      typed={isInUse ? name : undefined}
      isOpen={isOpen}
      onClose={onClose}
      write={write('post', `${KEYS}/{id}/revoke`, { path: { account, id }, body: { children: hasChildren } }, LISTED)}
      cli={triviumLine(['keys', 'revoke', account, id], [['keep-children', hasChildren ? undefined : true]])}
      onDone={() => toast(t('{name} is revoked.', { name }))}
    >
      <p>{t('Calls with this key fail on all nodes within a second. This cannot be undone.')}</p>
      {isInUse && <p>{t('It was used within the last 24 hours.')}</p>}
      {offered !== undefined && <Check text={offered} isOn={hasChildren} onChange={setChildren} />}
    </WriteDialog>
  );
}

export function RenameKey({ found, onClose }: Omit<ActionProps, 'isOpen'>) {
  const write = useWrite();
  const { id, accountId } = found;
  const [form, set] = useForm({ name: found.name });
  const name = form.name.trim();
  const renamed = (next: string) =>
    write('patch', `${KEYS}/{id}`, { path: { account: accountId, id }, body: { name: next } }, LISTED);
  return (
    <WriteDialog
      title={t('Rename the key')}
      action={t('Rename')}
      onClose={onClose}
      write={renamed(name)}
      cli={triviumLine(['keys', 'change', accountId, id], [['name', name]])}
      onDone={() => toast(t('Renamed.'), { undo: () => void renamed(found.name).send().catch(toastProblem) })}
      isReady={name !== '' && name !== found.name}
    >
      <Fields form={[form, set]} rows={[{ name: 'name', label: t('Name'), maxLength: 200, required: true }]} />
    </WriteDialog>
  );
}
