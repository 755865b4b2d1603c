/** Rename, suspend and restore an account. */
import { useGet, useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { toast, toastProblem } from '../../parts/base/toast.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import type { Account } from './names.tsx';

type ActionProps = { readonly account: Account; readonly onClose: () => void };

function useSet({ id }: Account) {
  const write = useWrite();
  const path = '/admin/v1/accounts/{account}';
  return (body: { readonly name: string } | { readonly status: Account['status'] }) =>
    write('patch', path, { path: { account: id }, body }, [path, '/admin/v1/account-figures', '/admin/v1/accounts']);
}

export function SuspendAccount({ account, onClose }: ActionProps) {
  const set = useSet(account);
  const keys = useGet('/admin/v1/keys', { query: { account: account.id, state: 'active', limit: '200' } });
  const count = keys.data?.items.length ?? 0;
  return (
    <WriteDialog
      title={t('Suspend {name}', { name: account.name })}
      action={t('Suspend')}
      isDanger
      onClose={onClose}
      write={set({ status: 'suspended' })}
      cli={triviumLine(['accounts', 'suspend', account.id])}
      onDone={() =>
        toast(t('The account is suspended.'), {
          undo: () => void set({ status: 'active' }).send().catch(toastProblem),
        })
      }
    >
      <p>{t('Calls with its keys are refused until the account is restored. Requests that run are finished.')}</p>
      {keys.data !== undefined && (
        <p>
          {keys.data.next === null
            ? t('{count, plural, one {# key} other {# keys}} will be refused.', { count })
            : t('More than {count} keys will be refused.', { count })}
        </p>
      )}
    </WriteDialog>
  );
}

export function RestoreAccount({ account, onClose }: ActionProps) {
  const set = useSet(account);
  return (
    <WriteDialog
      title={t('Restore {name}', { name: account.name })}
      action={t('Restore')}
      onClose={onClose}
      write={set({ status: 'active' })}
      cli={triviumLine(['accounts', 'restore', account.id])}
    >
      <p>{t('Its keys work again at once.')}</p>
    </WriteDialog>
  );
}

export function RenameAccount({ account, onClose }: ActionProps) {
  const set = useSet(account);
  const [form, change] = useForm({ name: account.name });
  const name = form.name.trim();
  return (
    <WriteDialog
      title={t('Rename the account')}
      action={t('Rename')}
      onClose={onClose}
      write={set({ name })}
      cli={triviumLine(['accounts', 'change', account.id], [['name', name]])}
      onDone={() => toast(t('Renamed.'), { undo: () => void set({ name: account.name }).send().catch(toastProblem) })}
      isReady={name !== '' && name !== account.name}
    >
      <Fields form={[form, change]} rows={[{ name: 'name', label: t('Name'), maxLength: 200, required: true }]} />
    </WriteDialog>
  );
}
