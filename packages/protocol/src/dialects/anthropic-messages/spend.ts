/** Spending limits in the maker's forms: the headers for its own subscribers, and the report behind `/usage`. */
import type { JsonObject } from '../../canonical/json.ts';
import type { SpendCap } from '../../canonical/spend-cap.ts';

const WARNING = 0.75;
const CRITICAL = 0.95;
/** While calls are still served, the limit is not shown as used up. */
const NEARLY_ALL = 0.99;

const NAME = 'anthropic-ratelimit-unified';
const rounded = (used: number): number => Math.round(used * 100) / 100;
const seconds = (ms: number): string => String(Math.floor(ms / 1000));

export function spendHeaders({ used, resetsAtMs }: SpendCap): string[] {
  const surpassed = [CRITICAL, WARNING].find((share) => used > share);
  const status = surpassed === undefined ? 'allowed' : 'allowed_warning';
  return [
    ...[`${NAME}-status`, status, `${NAME}-overage-status`, status, `${NAME}-representative-claim`, 'overage'],
    ...[`${NAME}-reset`, seconds(resetsAtMs), `${NAME}-overage-reset`, seconds(resetsAtMs)],
    ...[`${NAME}-overage-utilization`, String(Math.min(NEARLY_ALL, rounded(used)))],
    ...(surpassed === undefined ? [] : [`${NAME}-overage-surpassed-threshold`, String(surpassed)]),
  ];
}

/** Of a refusal. With a claim, or the status of the overage, programs would replace its message. */
export const refusedSpendHeaders = ({ period, resetsAtMs }: SpendCap): string[] => [
  ...[`${NAME}-status`, 'rejected', `${NAME}-reset`, seconds(resetsAtMs), `${NAME}-overage-reset`, seconds(resetsAtMs)],
  ...[`${NAME}-overage-utilization`, '1', `${NAME}-overage-surpassed-threshold`, '1', `${NAME}-overage-period`, period],
  ...[`${NAME}-overage-disabled-reason`, 'org_spend_cap_reached'],
];

/** `shown`: the one that headers describe. */
export const spendReport = (caps: readonly SpendCap[], shown: SpendCap): JsonObject => ({
  extra_usage: {
    is_enabled: true,
    monthly_limit: shown.limitCents,
    used_credits: shown.spentCents,
    utilization: Math.round(shown.used * 100),
    currency: 'USD',
  },
  limits: caps.map((cap) => ({
    kind: 'spend',
    group: cap.period,
    percent: Math.round(cap.used * 100),
    resets_at: new Date(cap.resetsAtMs).toISOString(),
    severity: cap.used > CRITICAL ? 'critical' : cap.used > WARNING ? 'warning' : 'normal',
    is_active: cap === shown,
  })),
});

/** Of a caller without a limit: in cents, of the running day, week and month in UTC. */
export function uncappedReport(spent: Readonly<Record<SpendCap['period'], number>>): JsonObject {
  const window = (cents: number): JsonObject => ({ limit: null, used_credits: cents, utilization: null });
  return {
    extra_usage: {
      is_enabled: true,
      monthly_limit: null,
      used_credits: spent.monthly,
      utilization: null,
      currency: 'USD',
      daily: window(spent.daily),
      weekly: window(spent.weekly),
    },
    limits: [],
  };
}
