/** Rules of alerts in the language of the page, from their values. */
import type { Schemas } from '../../api/client.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount, formatDuration } from '../../format/numbers.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import type { AlertKind } from './kinds.ts';

type Rule = Pick<Schemas['AlertRule'], 'kind' | 'values'>;
export type Threshold = keyof Schemas['AlertRule']['values'];

/** What a rule that is off begins with. */
export const DEFAULTS: Readonly<Partial<Record<Threshold, string>>> = {
  errorPercent: '10',
  firstTokenMs: '5000',
  minRequests: '20',
  creditDays: '7',
};

/** The thresholds of a kind, in the order of its form. Kinds without any are only switched on and off. */
export const THRESHOLDS: Readonly<Partial<Record<AlertKind, readonly Threshold[]>>> = {
  'budget.reached': ['budgetPercents'],
  'spend.anomaly': ['factor', 'minUsd'],
  'key.expiring': ['keyExpiryDays'],
  'credit.low': ['creditDays'],
  'errors.high': ['errorPercent', 'minRequests'],
  'latency.high': ['firstTokenMs', 'minRequests'],
};

export const THRESHOLD_NAMES: Readonly<Record<Threshold, string>> = {
  budgetPercents: msg('Shares of the budget, %'),
  keyExpiryDays: msg('Days before the expiry'),
  factor: msg('Times the most expensive hour before'),
  minUsd: msg('Least cost of the hour, US dollars'),
  errorPercent: msg('Failed requests, %'),
  firstTokenMs: msg('First token (p95), ms'),
  minRequests: msg('Least requests of the hour'),
  creditDays: msg('Days that the credit lasts'),
};

const SENTENCES: Readonly<Record<AlertKind, string>> = {
  'budget.reached': msg('{budgetPercents} % of a budget are spent, or a soft limit of its template.'),
  'spend.anomaly': msg(
    'An hour of an account costs at least {minUsd}, and more than {factor} times the most expensive one of the 7 days before.',
  ),
  'key.expiring': msg('A key expires within {keyExpiryDays} days.'),
  'credit.low': msg('The credit of an account lasts for less than {creditDays} days at the pace of the last week.'),
  'errors.high': msg(
    'More than {errorPercent} % of an hour’s requests at a provider fail by its fault, of at least {minRequests}.',
  ),
  'latency.high': msg(
    'The first token at a provider takes more than {firstTokenMs} (p95) in an hour of at least {minRequests} requests.',
  ),
  'usage.unpriced': msg('A provider reports usage that has no price.'),
  'usage.suspect': msg('A provider reports usage that cannot be true; the excess is not charged.'),
  'provider.out': msg('A provider is taken out of service for a model, other than for its rate limit.'),
  'provider.back': msg('A provider that was out answers again.'),
  'provider.drift': msg('Answers hold something that is not known of their format.'),
  'canary.stepped_back': msg('A canary exceeds one of the limits of its policy and gets no more calls.'),
  'credential.stale': msg(
    'A temporary credential cannot be renewed, or a secret could not be read from its store for 15 minutes.',
  ),
  'ledger.audit_failed': msg('The hourly audit finds rows of the ledger that do not add up.'),
  'ledger.set_back': msg('The database was set back to an earlier copy.'),
};

const shown = (name: Threshold, value: unknown): string => {
  if (Array.isArray(value)) return value.map((each) => formatCount(Number(each), locale())).join(', ');
  if (name === 'minUsd') return formatUsd(String(value), locale()) ?? '–';
  if (name === 'firstTokenMs') return formatDuration(Number(value), locale());
  return formatCount(Number(value), locale());
};

export function raisedWhen({ kind, values }: Rule): string {
  const names = THRESHOLDS[kind] ?? [];
  return t(
    SENTENCES[kind],
    Object.fromEntries(names.map((name) => [name, shown(name, values[name] ?? DEFAULTS[name])])),
  );
}
