/** Alerts as data: each is raised once per kind, subject and window. */
import type { HealthChange } from '../../kernel/health.ts';
import type { RequestRecord } from '../../kernel/record.ts';
import { partsOf } from '../../kernel/route-key.ts';
import { formatNanoUsd } from '../../kernel/usd.ts';
import type { BrokenRule } from '../../models/policies/canary-calls.ts';
import type { CanaryRule } from '../../models/policies/contract.ts';
import { differenceText } from '../../models/shapes/differences.ts';
import type { FoundDrift } from '../../models/shapes/drift-watch.ts';
import type { AlertKind } from '../webhooks/events.ts';

export type Facts = Readonly<Record<string, string | number>>;

export type Alert = {
  readonly kind: AlertKind;
  /** The account concerned; absent if it is for operators only. */
  readonly accountId?: string;
  readonly subject: string;
  readonly window: string;
  /** One sentence for people. */
  readonly title: string;
  readonly facts: Facts;
};

export const keyOf = ({ kind, subject, window }: Alert): string => `${kind}\n${subject}\n${window}`;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** A budget in its current window. */
export type BudgetUse = {
  readonly accountId: string;
  readonly scope: string;
  readonly span: string;
  readonly limitNano: bigint;
  readonly spentNano: bigint;
  readonly startMs: number;
  /** Name of the key or member of its scope. */
  readonly name?: string | null;
  /** Thresholds of its own; none: those of the settings. */
  readonly softPercents?: readonly number[];
  /** The model that serves what it does not cover, once something did not fit. */
  readonly onLimit?: string | null;
};

/** The highest threshold that is reached; undefined below all. */
export const reachedPercent = ({ spentNano, limitNano }: BudgetUse, percents: readonly number[]): number | undefined =>
  percents.filter((percent) => spentNano * 100n >= limitNano * BigInt(percent)).sort((one, other) => other - one)[0];

const SPANS: Readonly<Record<string, string>> = {
  day: "today's",
  week: "this week's",
  month: "this month's",
  total: 'its total',
};

/** A changed limit counts as a new budget, so its thresholds apply anew. */
export const budgetAlert = (use: BudgetUse, percent: number): Alert => {
  const { accountId, scope, span, limitNano, spentNano, startMs, onLimit, name } = use;
  const [kind = '', id = ''] = scope.split(':');
  const named = name == null ? scope : `${kind} ${labelOf(id, name)}`;
  const whose = scope === 'account' ? `Account ${accountId}` : `${named} of account ${accountId}`;
  return {
    kind: 'budget.reached',
    accountId,
    subject: `${accountId} ${scope} ${span}`,
    window: `${startMs} ${limitNano} ${percent}`,
    title:
      percent >= 100
        ? `${whose} has used up ${SPANS[span] ?? span} budget${onLimit ? `; what does not fit goes to ${onLimit}` : ''}.`
        : `${whose} has reached ${percent} % of ${SPANS[span] ?? span} budget.`,
    facts: {
      account: accountId,
      scope,
      span,
      percent,
      spentUsd: formatNanoUsd(spentNano),
      limitUsd: formatNanoUsd(limitNano),
      ...(name != null && { name }),
      ...(onLimit && { onLimit }),
    },
  };
};

export type SpendHour = {
  readonly accountId: string;
  readonly hour: Date;
  readonly costNano: bigint;
  readonly beforeNano: bigint;
};

export const anomalyAlert = ({ accountId, hour, costNano, beforeNano }: SpendHour): Alert => ({
  kind: 'spend.anomaly',
  accountId,
  subject: accountId,
  window: dayOf(hour.getTime()),
  title: `Account ${accountId} spends unusually much: ${formatNanoUsd(costNano)} USD in one hour.`,
  facts: {
    account: accountId,
    hour: hour.toISOString(),
    spentUsd: formatNanoUsd(costNano),
    highestHourBeforeUsd: formatNanoUsd(beforeNano),
  },
});

export type ExpiringKey = {
  readonly accountId: string;
  readonly keyId: string;
  readonly name: string;
  readonly expiresAt: Date;
};

const DAY_MS = 86_400_000;

/** An hour of a provider: requests that ended there, and those that failed by its fault. */
export type ProviderHour = {
  readonly provider: string;
  readonly at: Date;
  readonly requests: number;
  readonly failed: number;
  /** Null: no stream had a first token. */
  readonly firstTokenMs: number | null;
};

export type ProviderErrors = { readonly percent: number; readonly minRequests: number };
export type SlowFirstToken = { readonly ms: number; readonly minRequests: number };

export const hasHighErrors = ({ requests, failed }: ProviderHour, { percent, minRequests }: ProviderErrors): boolean =>
  requests >= minRequests && failed * 100 > requests * percent;

export const isSlow = ({ requests, firstTokenMs }: ProviderHour, { ms, minRequests }: SlowFirstToken): boolean =>
  requests >= minRequests && firstTokenMs !== null && firstTokenMs > ms;

/** In percent, with one place. */
export const errorPercentOf = ({ requests, failed }: ProviderHour): number =>
  Math.round((failed * 1000) / requests) / 10;

export const errorsAlert = (hour: ProviderHour): Alert => ({
  kind: 'errors.high',
  subject: hour.provider,
  window: hour.at.toISOString(),
  title: `${errorPercentOf(hour)} % of this hour's requests at ${hour.provider} failed.`,
  facts: {
    provider: hour.provider,
    hour: hour.at.toISOString(),
    requests: hour.requests,
    failed: hour.failed,
    percent: errorPercentOf(hour),
  },
});

export const latencyAlert = ({ provider, at, requests, firstTokenMs }: ProviderHour): Alert => ({
  kind: 'latency.high',
  subject: provider,
  window: at.toISOString(),
  title: `The first token of ${provider} takes ${firstTokenMs} ms (p95) in this hour.`,
  facts: { provider, hour: at.toISOString(), requests, firstTokenMs: firstTokenMs ?? 0 },
});

/** What an account has left, and what it spends a day. */
export type CreditRunway = { readonly accountId: string; readonly leftNano: bigint; readonly perDayNano: bigint };

export const lastsDays = ({ leftNano, perDayNano }: CreditRunway): number =>
  perDayNano <= 0n ? Number.POSITIVE_INFINITY : Number((leftNano * 10n) / perDayNano) / 10;

export const creditAlert = (runway: CreditRunway, nowMs: number): Alert => ({
  kind: 'credit.low',
  accountId: runway.accountId,
  subject: runway.accountId,
  window: dayOf(nowMs),
  title: `The credit of account ${runway.accountId} lasts for ${lastsDays(runway)} more days at its pace.`,
  facts: {
    account: runway.accountId,
    leftUsd: formatNanoUsd(runway.leftNano),
    perDayUsd: formatNanoUsd(runway.perDayNano),
    days: lastsDays(runway),
  },
});

/** The shortest notice period that applies now; undefined while the key is valid for longer than all. */
export const expiryNotice = (expiresAt: Date, days: readonly number[], nowMs: number): number | undefined => {
  const leftMs = expiresAt.getTime() - nowMs;
  return leftMs <= 0
    ? undefined
    : days.filter((notice) => leftMs <= notice * DAY_MS).sort((one, other) => one - other)[0];
};

/** Keys of the configuration are called by their id. */
const labelOf = (id: string, name: string): string => (name === '' || name === id ? id : `"${name}" (${id})`);

export const expiryAlert = ({ accountId, keyId, name, expiresAt }: ExpiringKey, days: number): Alert => ({
  kind: 'key.expiring',
  accountId,
  subject: `${accountId} ${keyId}`,
  window: `${expiresAt.toISOString()} ${days}`,
  title: `API key ${labelOf(keyId, name)} of account ${accountId} expires within ${days === 1 ? 'a day' : `${days} days`}.`,
  facts: { account: accountId, key: keyId, name, expiresAt: expiresAt.toISOString() },
});

/** The alerts that a finished request causes. */
export function alertsOf(record: RequestRecord): readonly Alert[] {
  const { bill, provider = '', modelId: model, receivedAtMs, requestId, accountId } = record;
  if (bill === undefined || (bill.suspect === undefined && bill.cost.unpriced.length === 0)) return NONE;
  const of = { subject: `${provider} ${model}`, window: dayOf(receivedAtMs) };
  const facts = { provider, model, requestId, account: accountId };
  const unpriced = bill.cost.unpriced.join(', ');
  const why = bill.suspect?.why.join(', ') ?? '';
  return [
    ...(unpriced === ''
      ? []
      : [
          {
            ...of,
            kind: 'usage.unpriced' as const,
            title: `${model} at ${provider} reports usage without a price: ${unpriced}.`,
            facts: { ...facts, unpriced },
          },
        ]),
    ...(why === ''
      ? []
      : [
          {
            ...of,
            kind: 'usage.suspect' as const,
            title: `${model} at ${provider} reports usage that cannot be true: ${why}.`,
            facts: { ...facts, why },
          },
        ]),
  ];
}
const NONE: readonly Alert[] = [];

/** Short, so that an outage after a series of short ones is not withheld for long. */
const PROVIDER_WINDOW_MS = 15 * 60_000;

/** A provider that asks for a pause is not out of service; outages reported by another node are raised by that node. */
export const isOutage = (change: HealthChange): boolean =>
  change.now === 'out' && change.why !== 'rate' && change.why !== 'hint';

export function providerAlert(change: HealthChange, nowMs: number): Alert {
  const { provider, model } = partsOf(change.routeKey);
  const isOut = change.now === 'out';
  return {
    kind: isOut ? 'provider.out' : 'provider.back',
    subject: provider,
    window: new Date(nowMs - (nowMs % PROVIDER_WINDOW_MS)).toISOString(),
    title: isOut ? `Provider ${provider} is out of service for ${model}.` : `Provider ${provider} is back in service.`,
    facts: { provider, model, ...(isOut && { why: change.why }) },
  };
}

const BROKEN: Readonly<Record<CanaryRule, (broken: BrokenRule) => string>> = {
  errorPercent: ({ measured, limit, calls }) =>
    `${measured.toFixed(1)} % of ${calls} calls failed, more than ${limit} %`,
  firstTokenP95Ms: ({ measured, limit, calls }) =>
    `the 95th percentile of the first token of ${calls} calls was ${measured.toFixed(0)} ms, more than ${limit} ms`,
  usdPerRequest: ({ measured, limit, calls }) =>
    `${calls} calls cost ${measured.toFixed(6)} USD each, more than ${limit} USD`,
};

/** For people. */
export const brokenInWords = (broken: BrokenRule): string => BROKEN[broken.rule](broken);

export const canaryAlert = (policy: string, target: string, broken: BrokenRule, at: Date): Alert => ({
  kind: 'canary.stepped_back',
  subject: policy,
  window: at.toISOString(),
  title: `The canary of policy ${policy} (${target}) has stepped back: ${brokenInWords(broken)}.`,
  facts: { policy, target, ...broken },
});

const PERCENT = 100;
const TIME_OF_DAY = [11, 16] as const;

/** What answers have that is not known. The window has no time: it is news once, however many nodes see it. */
export const driftAlert = ({ provider, format, difference, ...drift }: FoundDrift): Alert => {
  const { sinceMs, compared, seen, skeleton } = drift;
  const percent = Math.round((seen * PERCENT * 10) / compared) / 10;
  const since = new Date(sinceMs).toISOString();
  const { kind, at, seen: what } = difference;
  const share = percent === 0 ? 'less than 0.1' : percent;
  return {
    kind: 'provider.drift',
    subject: `${provider} ${format} ${differenceText(difference)}`,
    window: 'once',
    title: `Since ${since.slice(...TIME_OF_DAY)} UTC, ${share} % of the answers of ${provider} (${format}) differ from what is known: ${differenceText(difference)}.`,
    facts: { provider, format, difference: kind, at, what, since, compared, seen, percent, skeleton },
  };
};

/** A temporary credential that should have been renewed, or a secret that should have been read from its store again. */
export type StaleCredential = {
  /** `aws:imds`, or `vault:main/openai#key`. */
  readonly credential: string;
  /** Null: there never was one. */
  readonly ageMs: number | null;
  readonly why: string;
};

export const staleAlert = ({ credential, ageMs, why }: StaleCredential, nowMs: number): Alert => ({
  kind: 'credential.stale',
  subject: credential,
  window: dayOf(nowMs),
  title:
    ageMs === null
      ? `There is no value for the credential ${credential}.`
      : `The credential ${credential} could not be renewed; it is ${Math.floor(ageMs / MINUTE_MS)} minutes old.`,
  facts: { credential, why, ...(ageMs !== null && { ageMinutes: Math.floor(ageMs / MINUTE_MS) }) },
});

const MINUTE_MS = 60_000;

export const auditAlert = (account: string, invariant: string, says: string, nowMs: number): Alert => ({
  kind: 'ledger.audit_failed',
  subject: account,
  window: dayOf(nowMs),
  title: `The ledger audit of account ${account} failed: ${invariant}.`,
  facts: { account, invariant, says },
});

const HOUR_MS = 3_600_000;

export const setBackAlert = (node: string, says: string, nowMs: number): Alert => ({
  kind: 'ledger.set_back',
  subject: node,
  window: new Date(nowMs - (nowMs % HOUR_MS)).toISOString(),
  title: 'The database was set back to an earlier copy. Charges are posted again; payments, keys and accounts are not.',
  facts: { node, says },
});
