import type { Schemas } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { NoPrice, Tag } from '../../parts/values/values.tsx';

type WhyNot = NonNullable<Schemas['Model']['whyNot']>;

const whyNames = (): Readonly<Record<WhyNot, string>> => ({
  hidden: t('hidden'),
  retired: t('retired'),
  'no-endpoint': t('no endpoint'),
  'unknown-provider': t('unknown provider'),
  'unknown-format': t('unknown format'),
  'not-configured': t('not configured'),
  'no-credential': t('no credential'),
  'missing-settings': t('settings missing'),
});

type Callable = { readonly callable: boolean; readonly whyNot: WhyNot | null };

export const CallableTag = ({ callable, whyNot }: Callable) =>
  callable ? (
    <Tag kind="ok" text={t('callable')} />
  ) : (
    <Tag
      kind={whyNot === 'no-credential' || whyNot === 'missing-settings' ? 'warn' : 'plain'}
      text={whyNot === null ? t('not callable') : whyNames()[whyNot]}
    />
  );

type Circuit = Schemas['Circuit'];

export const circuitWhyNames = (): Readonly<Record<NonNullable<Circuit['why']>, string>> => ({
  failures: t('failures'),
  stalls: t('no answer'),
  credential: t('credential refused'),
  rate: t('rate limit'),
  hint: t('another node said so'),
});

/** A closed circuit lets calls through. */
export function CircuitTag({ state }: { readonly state: Circuit['state'] }) {
  if (state === 'closed') return <Tag kind="ok" text={t('available')} />;
  return state === 'open' ? <Tag kind="bad" text={t('out')} /> : <Tag kind="warn" text={t('being tried')} />;
}

type Model = Pick<Schemas['Model'], 'callable' | 'whyNot' | 'endpoints'>;

/** What of it needs a look, besides whether it can be called. */
export const ModelState = ({ model }: { readonly model: Model }) => {
  const usable = model.endpoints.filter(({ callable }) => callable);
  return (
    <>
      <CallableTag callable={model.callable} whyNot={model.whyNot} />{' '}
      {usable.length > 0 && !usable.some(({ priced }) => priced) && <NoPrice />}{' '}
      {usable.some(({ circuit }) => circuit?.state === 'open') && <CircuitTag state="open" />}
    </>
  );
};
