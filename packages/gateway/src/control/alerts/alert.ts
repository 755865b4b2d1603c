/** Alerts as data: each is raised once per kind, subject and window. */
import type { HealthChange } from '../../kernel/health.ts';
import type { RequestRecord } from '../../kernel/record.ts';
import { partsOf } from '../../kernel/route-key.ts';
import { formatNanoUsd } from '../../kernel/usd.ts';
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
  /** Thresholds of its own; none: those of the settings. */
  readonly softPercents?: readonly number[];
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
  const { accountId, scope, span, limitNano, spentNano, startMs } = use;
  const whose = scope === 'account' ? `Account ${accountId}` : `${scope} of account ${accountId}`;
  return {
    kind: 'budget.reached',
    accountId,
    subject: `${accountId} ${scope} ${span}`,
    window: `${startMs} ${limitNano} ${percent}`,
    title:
      percent >= 100
        ? `${whose} has used up ${SPANS[span] ?? span} budget.`
        : `${whose} has reached ${percent} % of ${SPANS[span] ?? span} budget.`,
    facts: {
      account: accountId,
      scope,
      span,
      percent,
      spentUsd: formatNanoUsd(spentNano),
      limitUsd: formatNanoUsd(limitNano),
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

/** The shortest notice period that applies now; undefined while the key is valid for longer than all. */
export const expiryNotice = (expiresAt: Date, days: readonly number[], nowMs: number): number | undefined => {
  const leftMs = expiresAt.getTime() - nowMs;
  return leftMs <= 0
    ? undefined
    : days.filter((notice) => leftMs <= notice * DAY_MS).sort((one, other) => one - other)[0];
};

export const expiryAlert = ({ accountId, keyId, name, expiresAt }: ExpiringKey, days: number): Alert => ({
  kind: 'key.expiring',
  accountId,
  subject: `${accountId} ${keyId}`,
  window: `${expiresAt.toISOString()} ${days}`,
  title: `API key ${keyId} of account ${accountId} expires within ${days === 1 ? 'a day' : `${days} days`}.`,
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
