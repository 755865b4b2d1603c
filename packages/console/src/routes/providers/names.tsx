/** Words for providers and their credentials. */
import type { Schemas } from '../../api/client.ts';
import { msg, t } from '../../i18n/t.ts';
import { Tag } from '../../parts/values/values.tsx';

export type Provider = Schemas['Provider'];

export const SOURCE_NAMES: Readonly<Record<Provider['credential'], string>> = {
  file: msg('configuration'),
  database: msg('database'),
  none: msg('none'),
};

export const CredentialTag = ({ credential }: Pick<Provider, 'credential'>) =>
  credential === 'none' ? <Tag kind="warn" text={t('no credential')} /> : <Tag text={t(SOURCE_NAMES[credential])} />;

/** How it does, by the circuits of its models. */
export function ProviderHealth({ configured, models, openCircuits }: Provider) {
  if (!configured) return <Tag text={t('not configured')} />;
  if (openCircuits === 0) return <Tag kind="ok" text={t('available')} />;
  return openCircuits >= models ? (
    <Tag kind="bad" text={t('out')} />
  ) : (
    <Tag kind="warn" text={t('{count, plural, one {# model out} other {# models out}}', { count: openCircuits })} />
  );
}
