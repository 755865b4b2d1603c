/** Words for providers and their credentials. */
import type { Schemas } from '../../api/client.ts';
import { msg, t } from '../../i18n/t.ts';
import { None, Share, Tag, type TagKind } from '../../parts/values/values.tsx';

export type Provider = Schemas['Provider'];

export const SOURCE_NAMES: Readonly<Record<Provider['credential'], string>> = {
  file: msg('configuration'),
  database: msg('database'),
  none: msg('none'),
};

export const CredentialTag = ({ credential }: Pick<Provider, 'credential'>) =>
  credential === 'none' ? <Tag kind="warn" text={t('no credential')} /> : <Tag text={t(SOURCE_NAMES[credential])} />;

type State = Provider['state'];

const STATE_NAMES: Readonly<Record<State, string>> = {
  available: msg('available'),
  failing: msg('failing'),
  open: msg('out'),
  unknown: msg('no attempts'),
};
const STATE_KINDS: Readonly<Record<State, TagKind>> = {
  available: 'ok',
  failing: 'bad',
  open: 'bad',
  unknown: 'plain',
};

/** By its attempts and circuits, as the API says. */
export function ProviderHealth({ configured, models, openCircuits, state }: Provider) {
  if (!configured) return <Tag text={t('not configured')} />;
  if (state === 'open' && openCircuits < models)
    return (
      <Tag kind="warn" text={t('{count, plural, one {# model out} other {# models out}}', { count: openCircuits })} />
    );
  return <Tag kind={STATE_KINDS[state]} text={t(STATE_NAMES[state])} />;
}

export const ErrorShare = ({ errorShare }: Pick<Provider, 'errorShare'>) =>
  errorShare === null ? <None /> : <Share share={errorShare} />;
