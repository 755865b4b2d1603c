/** Prices of one's own in place of the catalogue's, for a model at a provider. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { invalidate } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { toast } from '../../parts/base/toast.tsx';
import { Field } from '../../parts/form/field.tsx';
import { FieldRow } from '../../parts/form/form.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { kindName, PER_M_TOKENS } from './prices.ts';

const KINDS = ['prompt', 'completion', 'input_cache_read'] as const;

export type SetPriceProps = {
  readonly model: string;
  readonly provider: string;
  readonly providers: readonly string[];
  readonly onProvider: (provider: string) => void;
  readonly onClose: () => void;
};

export function SetPrice({ model, provider, providers, onProvider, onClose }: SetPriceProps) {
  const client = useQueryClient();
  const [usd, setUsd] = useState<Readonly<Record<string, string>>>({});
  const [from, setFrom] = useState('');
  const given = KINDS.filter((kind) => (usd[kind] ?? '').trim() !== '');
  const body = {
    model,
    provider,
    pricings: Object.fromEntries(
      given.map((kind) => [kind, [{ value: usd[kind]?.trim(), unit: PER_M_TOKENS, currency: 'USD' }]]),
    ),
    ...(from !== '' && { from }),
  };
  return (
    <WriteDialog
      title={t('Set price')}
      action={t('Save')}
      onClose={onClose}
      onSave={async () => {
        await call('post', '/admin/v1/prices', { body });
        invalidate(client, ['/admin/v1/models', '/admin/v1/models/{owner}/{name}', '/admin/v1/prices']);
        toast(t('The price was set.'));
      }}
      isReady={given.length > 0}
      command={{
        method: 'POST',
        path: '/admin/v1/prices',
        body,
        cli: triviumLine(
          ['prices', 'set', model, provider],
          [
            ['price', given.map((kind) => `${kind}=${usd[kind]?.trim()}`)],
            ['from', body.from],
          ],
        ),
      }}
    >
      <p>{t('In US dollars per million tokens. What is left empty stays as it is; prices in the file come first.')}</p>
      <Field label={t('Provider')}>
        <select value={provider} onChange={(event) => onProvider(event.target.value)}>
          {providers.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </Field>
      <FieldRow>
        {KINDS.map((kind) => (
          <Field key={kind} label={kindName(kind)}>
            <input
              value={usd[kind] ?? ''}
              onChange={(event) => setUsd((before) => ({ ...before, [kind]: event.target.value }))}
              inputMode="decimal"
              pattern="[0-9]{1,9}(\.[0-9]{1,9})?"
            />
          </Field>
        ))}
      </FieldRow>
      <Field label={t('First day')} hint={t('UTC. Empty: at once.')}>
        <input type="date" value={from} onChange={(event) => setFrom(event.target.value)} />
      </Field>
    </WriteDialog>
  );
}
