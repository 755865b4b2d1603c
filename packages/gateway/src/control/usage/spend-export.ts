/** Usage sums as CSV, in our own columns and in those of FOCUS, the FinOps format for cost reports. */
import type { SpendQuestion } from '../../money/usage/spend-question.ts';
import { monthAround, nextMidnight } from '../../money/usage/time-zone.ts';
import { csvLine } from '../api/csv.ts';
import { isNamed } from './names.ts';
import type { SpendRow } from './sums-contract.ts';

const HOUR_MS = 3_600_000;
/** Rows per chunk of an answer. */
const PIECE = 500;

type Column = readonly [name: string, cell: (row: SpendRow) => unknown];

const FIGURES: readonly Column[] = [
  ['requests', (row) => row.requests],
  ['failed', (row) => row.failed],
  ['callerFaults', (row) => row.faults.caller],
  ['upstreamFaults', (row) => row.faults.upstream],
  ['gatewayFaults', (row) => row.faults.gateway],
  ['inputTokens', (row) => row.tokens.input],
  ['outputTokens', (row) => row.tokens.output],
  ['cachedTokens', (row) => row.tokens.cached],
  ['cacheWriteTokens', (row) => row.tokens.cacheWrite],
  ['reasoningTokens', (row) => row.tokens.reasoning],
  ['unpriced', (row) => row.unpriced],
  ['costUsd', (row) => row.costUsd],
];
const TIMES: readonly Column[] = (['p50', 'p95', 'p99'] as const).flatMap((name): Column[] => [
  [`firstTokenMs.${name}`, (row) => row.firstTokenMs?.[name]],
  [`durationMs.${name}`, (row) => row.durationMs?.[name]],
]);

export function spendCsv({ bucket, groups, tag, withLatency }: SpendQuestion, rows: readonly SpendRow[]) {
  return csvOf(
    [
      ...(bucket === undefined ? [] : [['at', (row) => row.at] satisfies Column]),
      ...groups.map((group): Column => [group, (row) => row[group]]),
      ...(tag?.isGroup === true ? [[`tag:${tag.key}`, (row) => row.tag] satisfies Column] : []),
      ...FIGURES,
      ...(withLatency ? TIMES : []),
      ...groups.filter(isNamed).map((group): Column => [`${group}Name`, (row) => row[`${group}Name`]]),
    ],
    rows,
  );
}

/**
 * Charges are after discounts and markups; the provider's list prices are not in the sums, so all four costs are equal.
 */
export function focusCsv(question: SpendQuestion, rows: readonly SpendRow[]) {
  const period = periodsOf(question);
  const cost = (row: SpendRow): string => row.costUsd;
  const tokens = (row: SpendRow): number => row.tokens.input + row.tokens.output;
  return csvOf(
    [
      ['BilledCost', cost],
      ['BillingAccountId', (row) => row.account],
      ['BillingAccountName', (row) => row.account],
      ['BillingCurrency', () => 'USD'],
      ['BillingPeriodEnd', (row) => period(row).month.end],
      ['BillingPeriodStart', (row) => period(row).month.start],
      ['ChargeCategory', () => 'Usage'],
      ['ChargeClass', () => ''],
      ['ChargeDescription', (row) => `${row.model} at ${row.provider || 'no provider'}`],
      ['ChargeFrequency', () => 'Usage-Based'],
      ['ChargePeriodEnd', (row) => period(row).end],
      ['ChargePeriodStart', (row) => period(row).start],
      ['ConsumedQuantity', tokens],
      ['ConsumedUnit', () => 'Tokens'],
      ['ContractedCost', cost],
      ['EffectiveCost', cost],
      ['InvoiceIssuerName', () => 'Trivium'],
      ['ListCost', cost],
      ['PricingCategory', () => 'Standard'],
      ['PricingQuantity', tokens],
      ['PricingUnit', () => 'Tokens'],
      ['ProviderName', (row) => row.provider],
      ['PublisherName', (row) => row.model?.split('/')[0]],
      ['ResourceId', (row) => row.model],
      ['ResourceType', () => 'Model'],
      ['ServiceCategory', () => 'AI and Machine Learning'],
      ['ServiceName', () => 'Model inference'],
      ['SkuId', (row) => `${row.model}@${row.provider}`],
      ['SubAccountId', (row) => row.key],
      ['SubAccountType', () => 'API key'],
      [
        'Tags',
        (row) => (question.tag === undefined || !row.tag ? '{}' : JSON.stringify({ [question.tag.key]: row.tag })),
      ],
    ],
    rows,
  );
}

type Period = { readonly start: string; readonly end: string };

/** The hour, day or month of a row, and the month it is billed in. Most rows share a few of them. */
function periodsOf({ bucket, timeZone }: SpendQuestion): (row: SpendRow) => Period & { readonly month: Period } {
  const known = new Map<string, Period & { readonly month: Period }>();
  const iso = (ms: number): string => new Date(ms).toISOString();
  const endOf = (startMs: number): number => {
    if (bucket === 'hour') return startMs + HOUR_MS;
    return bucket === 'month' ? monthAround(startMs, timeZone).endMs : nextMidnight(startMs, timeZone);
  };
  return ({ at = '' }) => {
    const found = known.get(at);
    if (found !== undefined) return found;
    const startMs = Date.parse(at);
    const month = monthAround(startMs, timeZone);
    const made = {
      start: at,
      end: iso(endOf(startMs)),
      month: { start: iso(month.startMs), end: iso(month.endMs) },
    };
    known.set(at, made);
    return made;
  };
}

async function* csvOf(columns: readonly Column[], rows: readonly SpendRow[]): AsyncGenerator<string> {
  yield csvLine(columns.map(([name]) => name));
  for (let from = 0; from < rows.length; from += PIECE)
    yield rows
      .slice(from, from + PIECE)
      .map((row) => csvLine(columns.map(([, cell]) => cell(row))))
      .join('');
}
