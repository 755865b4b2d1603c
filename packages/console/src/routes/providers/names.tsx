import type { Schemas } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { Tag } from '../../parts/values/values.tsx';

export type Provider = Schemas['Provider'];

export const sourceNames = (): Readonly<Record<Provider['credential'], string>> => ({
  file: t('configuration'),
  database: t('database'),
  none: t('none'),
});

export const CredentialTag = ({ credential }: Pick<Provider, 'credential'>) =>
  credential === 'none' ? <Tag kind="warn" text={t('no credential')} /> : <Tag text={sourceNames()[credential]} />;

/** How it does, by the circuits of its models. */
export function ProviderHealth({ provider }: { readonly provider: Provider }) {
  const { configured, models, openCircuits } = provider;
  if (!configured) return <Tag text={t('not configured')} />;
  if (openCircuits === 0) return <Tag kind="ok" text={t('available')} />;
  return openCircuits >= models ? (
    <Tag kind="bad" text={t('out')} />
  ) : (
    <Tag kind="warn" text={t('{count, plural, one {# model out} other {# models out}}', { count: openCircuits })} />
  );
}

export const providerPath = (id: string, rest = ''): string => `/admin/v1/providers/${encodeURIComponent(id)}${rest}`;
