/** What usage can be measured by: a number for charts, and a text for the table. */

import type { Schemas } from '../../api/client.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount, formatDuration, formatTokens } from '../../format/numbers.ts';
import { locale, msg, t } from '../../i18n/t.ts';

export type SpendRow = Schemas['SpendRow'];

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
  { id: 'requests', name: t('Requests'), value: ({ requests }) => requests, format: count },
  { id: 'errors', name: t('Errors'), value: ({ failed }) => failed, format: count },
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

/** `tag:team` is a dimension, too. */
export const groupOf = (row: SpendRow, by: string): string =>
  (by.startsWith('tag:') ? row.tag : row[by as Dimension]) ?? '';
