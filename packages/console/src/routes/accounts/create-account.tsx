/** A new account: its name, and how it pays. */
import { useNavigate } from '@tanstack/react-router';
import { useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { msg, t, translated } from '../../i18n/t.ts';
import { Fields, USD_PATTERN, useForm } from '../../parts/form/fields.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { place } from '../../state/search.ts';
import { type Account, KIND_NAMES } from './names.tsx';

const KIND_HINTS: Readonly<Record<Account['kind'], string>> = {
  prepaid: msg('Spends no more than was paid in.'),
  postpaid: msg('Spends up to a limit and is billed later.'),
  unlimited: msg('Spends without a limit; usage is recorded.'),
};

export function CreateAccount({ onClose }: { readonly onClose: () => void }) {
  const write = useWrite();
  const navigate = useNavigate();
  const [form, set] = useForm({ name: '', id: '', kind: 'prepaid' as Account['kind'], limit: '' });
  const { kind } = form;
  const id = form.id === '' ? undefined : form.id;
  const limit = kind === 'postpaid' && form.limit !== '' ? form.limit : undefined;
  const body = {
    name: form.name.trim(),
    kind,
    ...(id !== undefined && { id }),
    ...(limit !== undefined && { creditLimitUsd: limit }),
  };
  return (
    <WriteDialog
      title={t('Create an account')}
      action={t('Create')}
      onClose={onClose}
      write={write('post', '/admin/v1/accounts', { body }, ['/admin/v1/account-figures', '/admin/v1/accounts'])}
      cli={triviumLine(['accounts', 'create'], Object.entries({ id, name: body.name, kind, limit }))}
      onDone={(made) => navigate(place('/accounts/$id', { id: made.id }))}
      isReady={body.name !== '' && (kind !== 'postpaid' || limit !== undefined)}
    >
      <Fields
        form={[form, set]}
        rows={[
          [
            { name: 'name', label: t('Name'), maxLength: 200, required: true, autoFocus: true },
            {
              name: 'id',
              label: t('Id'),
              hint: t('Empty: made up. It cannot be changed later.'),
              pattern: String.raw`[A-Za-z0-9][A-Za-z0-9._@\-]{0,99}`,
              spellCheck: false,
            },
          ],
          [
            { name: 'kind', label: t('Kind'), hint: t(KIND_HINTS[kind]), options: translated(KIND_NAMES) },
            kind === 'postpaid' && {
              name: 'limit',
              label: t('Credit limit in US dollars'),
              inputMode: 'decimal',
              pattern: USD_PATTERN,
              required: true,
            },
          ],
        ]}
      />
    </WriteDialog>
  );
}
