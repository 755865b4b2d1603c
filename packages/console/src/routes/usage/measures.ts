/** What usage can be measured by: a number for charts, and a text for the table. */

import { formatUsd } from '../../format/money.ts';
import { sumUsd } from '../../format/money-sum.ts';
import { formatCount, formatDuration, formatTokens } from '../../format/numbers.ts';
import type { SpendRow } from '../../format/spend-row.ts';
import { locale, msg, t } from '../../i18n/t.ts';

export type Measure = {
  readonly id: string;
  readonly name: string;
  readonly value: (row: SpendRow) => number | null;
  readonly format: (value: number) => string;
  /** Times do not add up: they are lines, and have no share. */
  readonly isTime?: boolean;
};

export const usd = (value: number): string => formatUsd(value.toFixed(9), locale()) ?? '–';
const count = (value: number): string => formatCount(value, locale());
const tokens = (value: number): string => formatTokens(value, locale());
export const ms = (value: number): string => formatDuration(value, locale());

export const measures = (): readonly Measure[] => [
  { id: 'spend', name: t('Spend'), value: ({ costUsd }) => Number(costUsd), format: usd },
  { id: 'requests', name: t('Requests'), value: ({ recorded }) => recorded, format: count },
  { id: 'errors', name: t('Errors'), value: ({ errors }) => errors, format: count },
  { id: 'input', name: t('Input tokens'), value: (row) => row.tokens.input, format: tokens },
  { id: 'cached', name: t('Cached tokens'), value: (row) => row.tokens.cached, format: tokens },
  { id: 'output', name: t('Output tokens'), value: (row) => row.tokens.output, format: tokens },
  {
    id: 'first-token',
    name: t('First token, p95'),
    value: ({ firstTokenMs }) => firstTokenMs?.p95 ?? null,
    format: ms,
    isTime: true,
  },
  {
    id: 'duration',
    name: t('Duration, p95'),
    value: ({ durationMs }) => durationMs?.p95 ?? null,
    format: ms,
    isTime: true,
  },
];

export type Dimension = 'model' | 'key' | 'account' | 'member' | 'provider' | 'protocol' | 'outcome' | 'lane';
export const DIMENSION_NAMES: Readonly<Record<Dimension, string>> = {
  model: msg('Model'),
  provider: msg('Provider'),
  key: msg('Key'),
  account: msg('Account'),
  member: msg('Member'),
  protocol: msg('Protocol'),
  outcome: msg('Outcome'),
  lane: msg('Path'),
};

/** The sums of members of the same names. */
function added<N extends string>(rows: readonly Readonly<Record<N, number>>[], names: readonly N[]): Record<N, number> {
  const sums = Object.fromEntries(names.map((name) => [name, 0])) as Record<N, number>;
  for (const row of rows) for (const name of names) sums[name] += row[name];
  return sums;
}

/** Of several rows, without times, which do not add up. */
export const sumOf = (rows: readonly SpendRow[]): SpendRow => ({
  ...added(rows, ['requests', 'recorded', 'errors', 'failed', 'refused', 'unpriced']),
  faults: added(
    rows.map(({ faults }) => faults),
    ['caller', 'upstream', 'gateway'],
  ),
  tokens: added(
    rows.map(({ tokens }) => tokens),
    ['input', 'output', 'cached', 'cacheWrite', 'reasoning'],
  ),
  costUsd: sumUsd(rows.map(({ costUsd }) => costUsd)),
  firstTokenMs: null,
  durationMs: null,
});
