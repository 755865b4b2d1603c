/** Whether a model can be called, and why not. */

import type { Schemas } from '../../api/client.ts';
import { msg, t } from '../../i18n/t.ts';
import { NoPrice, Tag } from '../../parts/values/values.tsx';

type WhyNot = NonNullable<Schemas['Model']['whyNot']>;

const WHY_NAMES: Readonly<Record<WhyNot, string>> = {
  hidden: msg('hidden'),
  retired: msg('retired'),
  'no-endpoint': msg('no endpoint'),
  'unknown-provider': msg('unknown provider'),
  'unknown-format': msg('unknown format'),
  'not-configured': msg('not configured'),
  'no-credential': msg('no credential'),
  'missing-settings': msg('settings missing'),
};

type Callable = { readonly callable: boolean; readonly whyNot: WhyNot | null };

export const CallableTag = ({ callable, whyNot }: Callable) =>
  callable ? (
    <Tag kind="ok" text={t('callable')} />
  ) : (
    <Tag
      kind={whyNot === 'no-credential' || whyNot === 'missing-settings' ? 'warn' : 'plain'}
      text={whyNot === null ? t('not callable') : t(WHY_NAMES[whyNot])}
    />
  );

type Circuit = Schemas['Circuit'];

export const CIRCUIT_WHY: Readonly<Record<NonNullable<Circuit['why']>, string>> = {
  failures: msg('failures'),
  stalls: msg('no answer'),
  credential: msg('credential refused'),
  rate: msg('rate limit'),
  hint: msg('another node said so'),
};

/** A closed circuit lets calls through. */
export function CircuitTag({ state }: { readonly state: Circuit['state'] }) {
  if (state === 'closed') return <Tag kind="ok" text={t('available')} />;
  return state === 'open' ? <Tag kind="bad" text={t('out')} /> : <Tag kind="warn" text={t('being tried')} />;
}

type Model = Pick<Schemas['Model'], 'callable' | 'whyNot' | 'endpoints'>;

/** What of it needs a look, besides whether it can be called. */
export const ModelState = ({ callable, whyNot, endpoints }: Model) => {
  const usable = endpoints.filter((each) => each.callable);
  return (
    <>
      <CallableTag callable={callable} whyNot={whyNot} />{' '}
      {usable.length > 0 && !usable.some(({ priced }) => priced) && <NoPrice />}{' '}
      {usable.some(({ circuit }) => circuit?.state === 'open') && <CircuitTag state="open" />}
    </>
  );
};
