/** Rename, suspend and restore an account. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { invalidate, useGet } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { Commands } from '../../parts/base/commands.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import { Field } from '../../parts/form/field.tsx';
import { asError, WriteDialog } from '../../parts/form/write-dialog.tsx';
import { type Account, accountPath } from './names.tsx';

const PATH = '/admin/v1/accounts/{account}';
type Status = Account['status'];
type ActionProps = { readonly account: Account; readonly onClose: () => void };

function useSetStatus({ id }: Account): (status: Status) => Promise<void> {
  const client = useQueryClient();
  return async (status) => {
    await call('patch', PATH, { path: { account: id }, body: { status } });
    invalidate(client, [PATH, '/admin/v1/accounts']);
  };
}

const badly = (cause: unknown): void => toast(asError(cause).message, { isBad: true });

export function SuspendAccount({ account, onClose }: ActionProps) {
  const setStatus = useSetStatus(account);
  const keys = useGet('/admin/v1/keys', { query: { account: account.id, state: 'active', limit: '200' } });
  const count = keys.data?.items.length ?? 0;
  return (
    <Confirm
      title={t('Suspend {name}', { name: account.name })}
      action={t('Suspend')}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await setStatus('suspended');
        toast(t('The account is suspended.'), { undo: () => void setStatus('active').catch(badly) });
      }}
    >
      <p>{t('Calls with its keys are refused until the account is restored. Requests that run are finished.')}</p>
      {keys.data !== undefined && (
        <p>
          {keys.data.next === null
            ? t('{count, plural, one {# key} other {# keys}} will be refused.', { count })
            : t('More than {count} keys will be refused.', { count })}
        </p>
      )}
      <Commands
        method="PATCH"
        path={accountPath(account.id)}
        body={{ status: 'suspended' }}
        cli={triviumLine(['accounts', 'suspend', account.id])}
      />
    </Confirm>
  );
}

export function RestoreAccount({ account, onClose }: ActionProps) {
  const setStatus = useSetStatus(account);
  return (
    <WriteDialog
      title={t('Restore {name}', { name: account.name })}
      action={t('Restore')}
      onClose={onClose}
      onSave={() => setStatus('active')}
      command={{
        method: 'PATCH',
        path: accountPath(account.id),
        body: { status: 'active' },
        cli: triviumLine(['accounts', 'restore', account.id]),
      }}
    >
      <p>{t('Its keys work again at once.')}</p>
    </WriteDialog>
  );
}

export function RenameAccount({ account, onClose }: ActionProps) {
  const client = useQueryClient();
  const [text, setText] = useState(account.name);
  const name = text.trim();
  const rename = async (next: string): Promise<void> => {
    await call('patch', PATH, { path: { account: account.id }, body: { name: next } });
    invalidate(client, [PATH, '/admin/v1/accounts']);
  };
  return (
    <WriteDialog
      title={t('Rename the account')}
      action={t('Rename')}
      onClose={onClose}
      onSave={async () => {
        await rename(name);
        toast(t('Renamed.'), { undo: () => void rename(account.name).catch(badly) });
      }}
      isReady={name !== '' && name !== account.name}
      command={{
        method: 'PATCH',
        path: accountPath(account.id),
        body: { name },
        cli: triviumLine(['accounts', 'change', account.id], [['name', name]]),
      }}
    >
      <Field label={t('Name')}>
        <input value={text} onChange={(event) => setText(event.target.value)} maxLength={200} required />
      </Field>
    </WriteDialog>
  );
}
