/** What recorded requests would have cost under a policy that is not saved yet. */

import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useChange } from '../../api/use-api.ts';
import { formatCount } from '../../format/numbers.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Skeleton } from '../../parts/base/states.tsx';
import { controlClass, FormProblem } from '../../parts/form/form.tsx';
import { type Fact, Facts } from '../../parts/page/page.tsx';
import { Money, When } from '../../parts/values/values.tsx';
import styles from './what-if.module.css';
import type { Policy } from './words.ts';

type Found = Schemas['WhatIf'];
type Group = Found['byAccount'][number];

const DAY_MS = 86_400_000;
const SPANS = [
  { days: 1, name: msg('24 hours') },
  { days: 7, name: msg('7 days') },
] as const;
/** What a glance takes in; the command line has all. */
const MOST_SHOWN = 5;

/** By the codes of the API. */
const WHY_NAMES: Readonly<Record<string, string>> = {
  interrupted: msg('ended with its process'),
  video: msg('videos are not planned again'),
  passthrough: msg('paths that are passed through are not planned'),
  preferences: msg('recorded before callers’ preferences were'),
  'host-gone': msg('its provider is gone'),
  'no-answer': msg('had no answer that could be priced'),
  fallback: msg('would reach another model'),
  'no-usage': msg('no usage was counted'),
  'no-price': msg('no price at the other provider'),
  size: msg('price by image size, which is not recorded'),
  strict: msg('not judged for strictness'),
  timeouts: msg('took longer than the new timeouts'),
  latency: msg('latency was not measured'),
};

const count = (value: number): string => formatCount(value, locale());

export function WhatIf({ policy, isReady }: { readonly policy: Policy; readonly isReady: boolean }) {
  const { mutate, data, error, isPending, variables } = useChange('post', '/admin/v1/what-if');
  const [days, setDays] = useState<number>(1);
  // What is shown belongs to the policy that was asked about.
  const isAbout = JSON.stringify(variables?.body.policies?.[0]) === JSON.stringify(policy);
  const ask = (): void => {
    const from = new Date(Date.now() - days * DAY_MS).toISOString();
    mutate({ body: { from, policies: [policy] } });
  };
  return (
    <section className={styles['whatIf']} aria-label={t('What if')} aria-live="polite">
      <div className={styles['head']}>
        <p className={styles['hint']}>
          {t('Plans and prices recorded requests again under this policy. No model is called.')}
        </p>
        <select
          className={`${controlClass} ${styles['span']}`}
          aria-label={t('Requests of the last')}
          value={days}
          onChange={({ target }) => setDays(+target.value)}
        >
          {SPANS.map((span) => (
            <option key={span.days} value={span.days}>
              {t(span.name)}
            </option>
          ))}
        </select>
        <Button onClick={ask} isBusy={isPending} disabled={!isReady}>
          {t('What if')}
        </Button>
      </div>
      {isPending && <Skeleton rows={3} />}
      {isAbout && <FormProblem error={error} />}
      {isAbout && data !== undefined && <Outcome found={data} />}
    </section>
  );
}

function Outcome({ found }: { readonly found: Found }) {
  if (found.requests === 0) return <p>{t('No request was recorded in this time.')}</p>;
  const { kept, moved, refused, failed, unknown } = found;
  const facts: readonly Fact[] = [
    [t('Kept'), count(kept)],
    [t('Moved'), count(moved)],
    [t('Refused'), count(refused)],
    [t('Without a provider'), count(failed)],
    [t('Not known'), count(unknown)],
    [t('Was billed'), <Money key="was" usd={found.wasUsd} />],
    [t('Would be billed'), <Money key="would" usd={found.wouldUsd} />],
    [t('Difference'), <Difference key="difference" usd={found.differenceUsd} />],
    found.cacheLostUsd !== '0' && [t('More without cached input'), <Money key="cache" usd={found.cacheLostUsd} />],
  ];
  return (
    <>
      <Facts facts={facts} />
      {!found.complete && (
        <p className={styles['hint']}>
          {t('Ended early. Read until:')} <When at={found.until} />
        </p>
      )}
      {found.differenceUsd !== '0' || moved + refused + failed > 0 ? (
        <div className={styles['tables']}>
          <Groups title={t('Account')} groups={found.byAccount} />
          <Groups title={t('Model')} groups={found.byModel} />
        </div>
      ) : (
        <p>{t('Nothing differs.')}</p>
      )}
      {found.unknownBy.map(({ why, says, requests }) => (
        <p key={why} className={styles['hint']}>
          {t('Not known: {count} – {why}', {
            count: count(requests),
            why: why in WHY_NAMES ? t(WHY_NAMES[why] ?? '') : says,
          })}
        </p>
      ))}
      <p className={styles['hint']}>
        {t(
          'Latency, the length of other answers and what another format would drop cannot be known: requests that move are priced with the usage of the answer they got.',
        )}
      </p>
    </>
  );
}

const Difference = ({ usd }: { readonly usd: string }) => (
  <span data-sign={usd.startsWith('-') ? 'less' : usd === '0' ? 'none' : 'more'}>
    {!usd.startsWith('-') && usd !== '0' && '+'}
    <Money usd={usd} />
  </span>
);

const Groups = ({ title, groups }: { readonly title: string; readonly groups: readonly Group[] }) => (
  <table className={styles['groups']}>
    <thead>
      <tr>
        <th scope="col">{title}</th>
        <th scope="col">{t('Moved')}</th>
        <th scope="col">{t('Refused')}</th>
        <th scope="col">{t('Difference')}</th>
      </tr>
    </thead>
    <tbody>
      {groups.slice(0, MOST_SHOWN).map(({ name, moved, refused, differenceUsd }) => (
        <tr key={name}>
          <th scope="row" title={name}>
            <bdi>{name === '' ? '–' : name}</bdi>
          </th>
          <td>{count(moved)}</td>
          <td>{count(refused)}</td>
          <td>
            <Difference usd={differenceUsd} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
