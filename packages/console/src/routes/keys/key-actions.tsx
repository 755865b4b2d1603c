/** What can be done with a key: rename, rotate, revoke. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { findSome } from '../../api/find-some.ts';
import { invalidate } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { formatWhen } from '../../format/when.ts';
import { locale, t } from '../../i18n/t.ts';
import { Commands } from '../../parts/base/commands.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Check } from '../../parts/form/form.tsx';
import { asError, WriteDialog } from '../../parts/form/write-dialog.tsx';
import { useZone } from '../../state/preferences.ts';
import { RevealKey } from './reveal-key.tsx';

export type FoundKey = Schemas['FoundKey'];
type ActionProps = { readonly found: FoundKey; readonly isOpen: boolean; readonly onClose: () => void };

const pathOf = ({ accountId, id }: FoundKey, rest = ''): string =>
  `/admin/v1/accounts/${encodeURIComponent(accountId)}/keys/${encodeURIComponent(id)}${rest}`;
const placeOf = ({ accountId, id }: FoundKey) => ({ account: accountId, id });

const graceNames = (): readonly (readonly [number, string])[] => [
  [0, t('not at all')],
  [3600, t('1 hour')],
  [86_400, t('24 hours')],
  [604_800, t('7 days')],
];

export function RotateKey({ found, isOpen, onClose }: ActionProps) {
  const client = useQueryClient();
  const zone = useZone();
  const [graceSeconds, setGrace] = useState(86_400);
  const [made, setMade] = useState<Schemas['KeyWithSecret']>();
  const body = { graceSeconds };
  const until = formatWhen(Date.now() + graceSeconds * 1000, zone, Date.now(), locale());
  return (
    <>
      <Confirm
        title={t('Rotate {name}', { name: found.name })}
        action={t('Make a new secret')}
        isOpen={isOpen}
        onClose={onClose}
        onConfirm={async () => {
          const path = '/admin/v1/accounts/{account}/keys/{id}/rotate';
          setMade(await call('post', path, { path: placeOf(found), body }));
          invalidate(client, ['/admin/v1/keys']);
        }}
      >
        <Field
          label={t('How long the old secret still works')}
          hint={graceSeconds === 0 ? t('Callers with the old secret fail at once.') : t('Until {until}.', { until })}
        >
          <select value={graceSeconds} onChange={(event) => setGrace(Number(event.target.value))}>
            {graceNames().map(([seconds, text]) => (
              <option key={seconds} value={seconds}>
                {text}
              </option>
            ))}
          </select>
        </Field>
        <Commands
          cli={triviumLine(['keys', 'rotate', found.accountId, found.id], [['grace', graceSeconds]])}
          method="POST"
          path={pathOf(found, '/rotate')}
          body={body}
        />
      </Confirm>
      <RevealKey made={made} onClose={() => setMade(undefined)} />
    </>
  );
}

const DAY_MS = 86_400_000;

const KEYS = '/admin/v1/accounts/{account}/keys';

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
  const client = useQueryClient();
  const [hasChildren, setChildren] = useState(true);
  const { id, accountId: account } = found;
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
  const isInUse = found.lastUsedAt !== null && Date.now() - Date.parse(found.lastUsedAt) < DAY_MS;
  const body = { children: hasChildren };
  return (
    <Confirm
      title={t('Revoke {name}', { name: found.name })}
      action={t('Revoke')}
      {...(isInUse && { typed: found.name })}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={async () => {
        await call('post', '/admin/v1/accounts/{account}/keys/{id}/revoke', { path: placeOf(found), body });
        invalidate(client, ['/admin/v1/keys']);
        toast(t('{name} is revoked.', { name: found.name }));
      }}
    >
      <p>{t('Calls with this key fail on all nodes within a second. This cannot be undone.')}</p>
      {isInUse && <p>{t('It was used within the last 24 hours.')}</p>}
      {offered !== undefined && <Check text={offered} isOn={hasChildren} onChange={setChildren} />}
      <Commands
        cli={triviumLine(
          ['keys', 'revoke', found.accountId, found.id],
          [['keep-children', hasChildren ? undefined : true]],
        )}
        method="POST"
        path={pathOf(found, '/revoke')}
        body={body}
      />
    </Confirm>
  );
}

export function RenameKey({ found, onClose }: Omit<ActionProps, 'isOpen'>) {
  const client = useQueryClient();
  const [text, setText] = useState(found.name);
  const name = text.trim();
  const rename = async (next: string): Promise<void> => {
    await call('patch', '/admin/v1/accounts/{account}/keys/{id}', { path: placeOf(found), body: { name: next } });
    invalidate(client, ['/admin/v1/keys']);
  };
  return (
    <WriteDialog
      title={t('Rename the key')}
      action={t('Rename')}
      onClose={onClose}
      onSave={async () => {
        await rename(name);
        toast(t('Renamed.'), {
          undo: () => void rename(found.name).catch((cause) => toast(asError(cause).message, { isBad: true })),
        });
      }}
      isReady={name !== '' && name !== found.name}
      command={{
        method: 'PATCH',
        path: pathOf(found),
        body: { name },
        cli: triviumLine(['keys', 'change', found.accountId, found.id], [['name', name]]),
      }}
    >
      <Field label={t('Name')}>
        <input value={text} onChange={(event) => setText(event.target.value)} maxLength={200} required />
      </Field>
    </WriteDialog>
  );
}
