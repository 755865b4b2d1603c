import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { invalidate } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { Field } from '../../parts/form/field.tsx';
import { FieldRow } from '../../parts/form/form.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { type Account, kindNames } from './names.tsx';

const kindHints = (): Readonly<Record<Account['kind'], string>> => ({
  prepaid: t('Spends no more than was paid in.'),
  postpaid: t('Spends up to a limit and is billed later.'),
  unlimited: t('Spends without a limit; usage is recorded.'),
});

export function CreateAccount({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [id, setId] = useState('');
  const [kind, setKind] = useState<Account['kind']>('prepaid');
  const [limit, setLimit] = useState('');
  const creditLimitUsd = kind === 'postpaid' && limit !== '' ? limit : undefined;
  const body = {
    name: name.trim(),
    kind,
    ...(id !== '' && { id }),
    ...(creditLimitUsd !== undefined && { creditLimitUsd }),
  };
  const save = async (): Promise<void> => {
    const made = await call('post', '/admin/v1/accounts', { body });
    invalidate(client, ['/admin/v1/accounts']);
    await navigate({ to: '/accounts/$id' as string, params: { id: made.id } as never });
  };
  return (
    <WriteDialog
      title={t('Create an account')}
      action={t('Create')}
      onClose={onClose}
      onSave={save}
      isReady={body.name !== '' && (kind !== 'postpaid' || limit !== '')}
      command={{
        method: 'POST',
        path: '/admin/v1/accounts',
        body,
        cli: triviumLine(
          ['accounts', 'create'],
          [
            ['id', body.id],
            ['name', body.name],
            ['kind', kind],
            ['limit', creditLimitUsd],
          ],
        ),
      }}
    >
      <FieldRow>
        <Field label={t('Name')}>
          {/* biome-ignore lint/a11y/noAutofocus: the dialog was opened to type it */}
          <input value={name} onChange={(event) => setName(event.target.value)} maxLength={200} required autoFocus />
        </Field>
        <Field label={t('Id')} hint={t('Empty: made up. It cannot be changed later.')}>
          <input
            value={id}
            onChange={(event) => setId(event.target.value)}
            pattern="[A-Za-z0-9][A-Za-z0-9._@\-]{0,99}"
            spellCheck={false}
          />
        </Field>
      </FieldRow>
      <FieldRow>
        <Field label={t('Kind')} hint={kindHints()[kind]}>
          <select value={kind} onChange={(event) => setKind(event.target.value as Account['kind'])}>
            {Object.entries(kindNames()).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </Field>
        {kind === 'postpaid' && (
          <Field label={t('Credit limit in US dollars')}>
            <input
              value={limit}
              onChange={(event) => setLimit(event.target.value)}
              inputMode="decimal"
              pattern="[0-9]{1,9}(\.[0-9]{1,9})?"
              required
            />
          </Field>
        )}
      </FieldRow>
    </WriteDialog>
  );
}
