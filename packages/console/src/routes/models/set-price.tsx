/** Prices of one's own in place of the catalogue's, for a model at a provider. */

import { useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { toast } from '../../parts/base/toast.tsx';
import { Fields, Select, USD_PATTERN, useForm } from '../../parts/form/fields.tsx';
import { Field } from '../../parts/form/form.tsx';
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
  const write = useWrite();
  const [form, set] = useForm<Readonly<Record<string, string>>>({});
  const from = form['from'] === '' ? undefined : form['from'];
  const given = KINDS.flatMap((kind) => {
    const usd = (form[kind] ?? '').trim();
    return usd === '' ? [] : [{ kind, usd }];
  });
  const body = {
    model,
    provider,
    pricings: Object.fromEntries(
      given.map(({ kind, usd }) => [kind, [{ value: usd, unit: PER_M_TOKENS, currency: 'USD' }]]),
    ),
    ...(from !== undefined && { from }),
  };
  return (
    <WriteDialog
      title={t('Set price')}
      onClose={onClose}
      write={write('post', '/admin/v1/prices', { body }, [
        '/admin/v1/models',
        '/admin/v1/models/{owner}/{name}',
        '/admin/v1/prices',
      ])}
      cli={triviumLine(
        ['prices', 'set', model, provider],
        [
          ['price', given.map(({ kind, usd }) => `${kind}=${usd}`)],
          ['from', from],
        ],
      )}
      onDone={() => toast(t('The price was set.'))}
      isReady={given.length > 0}
    >
      <p>{t('In US dollars per million tokens. What is left empty stays as it is; prices in the file come first.')}</p>
      <Field label={t('Provider')}>
        <Select value={provider} options={providers.map((each) => [each, each])} onChange={onProvider} />
      </Field>
      <Fields
        form={[form, set]}
        rows={[
          KINDS.map((name) => ({ name, label: kindName(name), inputMode: 'decimal', pattern: USD_PATTERN })),
          { name: 'from', label: t('First day'), hint: t('UTC. Empty: at once.'), type: 'date' },
        ]}
      />
    </WriteDialog>
  );
}
