/** Spend by model, errors by who is to blame, and the first token by provider, over time. */

import { useMemo } from 'react';
import { formatCount } from '../../format/numbers.ts';
import { locale, t } from '../../i18n/t.ts';
import { Chart } from '../../parts/figures/chart.tsx';
import type { Series } from '../../parts/figures/chart-props.ts';
import { OUTCOME_COLORS, OUTCOME_NAMES } from '../../parts/values/outcome.tsx';
import { ms, usd } from '../usage/measures.ts';
import styles from './overview.module.css';
import { type Overview, seriesOf, timesOf } from './series.ts';

/** Fractions of an error get a grid line without a label. */
const countText = (value: number): string => (Number.isInteger(value) ? formatCount(value, locale()) : '');

const HEIGHT = 220;

export function Charts({ overview }: { readonly overview: Overview }) {
  const { errors, spendByModel, firstTokenByProvider, from, until } = overview;
  const bounds = useMemo(() => ({ fromMs: Date.parse(from), untilMs: Date.parse(until) }), [from, until]);
  const spend = useMemo(() => {
    const times = timesOf(spendByModel);
    const rows = spendByModel.map(({ at, model, costUsd }) => ({ at, group: model, value: Number(costUsd) }));
    return { times, series: seriesOf(rows, times, { gap: 0, others: t('others') }) };
  }, [spendByModel]);
  const blame = useMemo(() => {
    const series: readonly Series[] = (['caller', 'upstream', 'gateway'] as const).map((each) => ({
      name: t(OUTCOME_NAMES[each]),
      values: errors.map((row) => row[each]),
      color: OUTCOME_COLORS[each],
    }));
    return { times: errors.map(({ at }) => Date.parse(at)), series };
  }, [errors]);
  const first = useMemo(() => {
    const times = timesOf(firstTokenByProvider);
    const rows = firstTokenByProvider.map(({ at, provider, p95 }) => ({ at, group: provider, value: p95 }));
    return { times, series: seriesOf(rows, times, { gap: null, others: t('others') }) };
  }, [firstTokenByProvider]);
  return (
    <>
      <section className={styles['chart']}>
        <Chart label={t('Spend by model')} kind="columns" {...spend} format={usd} bounds={bounds} height={HEIGHT} />
      </section>
      <section className={styles['chart']}>
        <Chart label={t('Errors')} kind="columns" {...blame} format={countText} bounds={bounds} height={HEIGHT} />
      </section>
      {first.series.length > 0 && (
        <section className={styles['chart']}>
          <Chart
            label={t('First token by provider, p95')}
            kind="lines"
            {...first}
            format={ms}
            bounds={bounds}
            height={HEIGHT}
          />
        </section>
      )}
    </>
  );
}
