/** The rules by which alerts are raised, with the values that apply now. */

import { ACCOUNT_ALERT_KINDS, ALERT_KINDS, type AlertKind } from '../webhooks/events.ts';
import type { AlertSettings } from './alert-watch.ts';
import type { AlertRule, AlertRuleChange } from './contract.ts';
import type { StoredAlertRule } from './rule-rows.ts';

type Described = { readonly raisedWhen: string; readonly window: string };

const describe = ({
  budgetPercents,
  keyExpiryDays,
  spendAnomaly,
  ...set
}: AlertSettings): Record<AlertKind, Described> => ({
  'budget.reached': {
    raisedWhen: `a soft limit of a template, or ${budgetPercents.join(', ') || 100} % of a budget, are spent; also when a request is refused because the budget is used up`,
    window: 'once per threshold, window of the budget, and limit',
  },
  'spend.anomaly': {
    raisedWhen: `an hour of an account costs at least ${spendAnomaly.minUsd} USD and more than ${spendAnomaly.factor} times the most expensive hour of the 7 days before`,
    window: 'once per account and UTC day',
  },
  'key.expiring': {
    raisedWhen: `a key expires within ${keyExpiryDays.join(', ')} days`,
    window: 'once per key, expiry and threshold',
  },
  'credit.low': {
    raisedWhen: `the credit of an account lasts for less than ${set.creditDays ?? 7} days at the pace of the last week`,
    window: 'once per account and UTC day',
  },
  'errors.high': {
    raisedWhen: `more than ${set.providerErrors?.percent ?? 10} % of an hour's requests at a provider fail by its fault, of at least ${set.providerErrors?.minRequests ?? LEAST_REQUESTS}`,
    window: 'once per provider and hour',
  },
  'latency.high': {
    raisedWhen: `the first token of an hour's requests at a provider takes more than ${set.slowFirstToken?.ms ?? 5000} ms (p95), of at least ${set.slowFirstToken?.minRequests ?? LEAST_REQUESTS}`,
    window: 'once per provider and hour',
  },
  'usage.unpriced': {
    raisedWhen: 'a provider reports usage that has no price',
    window: 'once per provider, model and UTC day',
  },
  'usage.suspect': {
    raisedWhen: 'a provider reports usage that cannot be true; the excess is not charged',
    window: 'once per provider, model and UTC day',
  },
  'provider.out': {
    raisedWhen: 'a provider is taken out of service for a model, other than for its rate limit',
    window: 'once per provider until it is back, and at most once in 15 minutes',
  },
  'provider.back': { raisedWhen: 'a provider that was out answers again', window: 'once per outage' },
  'provider.drift': {
    raisedWhen: 'an answer of a provider has a member, a word, an event or a status that is not known of its format',
    window: 'once per provider, format and difference',
  },
  'canary.stepped_back': {
    raisedWhen: 'the canary of a routing policy breaks a rule for stepping back',
    window: 'once per step-back',
  },
  'credential.stale': {
    raisedWhen: 'a temporary credential cannot be renewed, or a secret could not be read from its store for 15 minutes',
    window: 'once per credential and UTC day',
  },
  'ledger.audit_failed': {
    raisedWhen: 'the hourly audit of the ledger fails',
    window: 'once per account and UTC day',
  },
  'ledger.set_back': {
    raisedWhen: 'a node finds that the database was set back to an earlier copy',
    window: 'once per node and hour',
  },
});

/** The members that a rule of this kind may have, besides `enabled`. */
const THRESHOLDS: Readonly<Record<string, readonly (keyof AlertRuleChange)[]>> = {
  'budget.reached': ['budgetPercents'],
  'key.expiring': ['keyExpiryDays'],
  'spend.anomaly': ['factor', 'minUsd'],
  'credit.low': ['creditDays'],
  'errors.high': ['errorPercent', 'minRequests'],
  'latency.high': ['firstTokenMs', 'minRequests'],
};

/** Of conditions that every gateway has another idea of. */
const OFF_UNTIL_SET: ReadonlySet<AlertKind> = new Set(['credit.low', 'errors.high', 'latency.high']);
const LEAST_REQUESTS = 20;

function valuesOf(settings: AlertSettings, kind: AlertKind): AlertRule['values'] {
  const { budgetPercents, keyExpiryDays, spendAnomaly, creditDays, providerErrors, slowFirstToken } = settings;
  switch (kind) {
    case 'budget.reached':
      return { budgetPercents: [...budgetPercents] };
    case 'key.expiring':
      return { keyExpiryDays: [...keyExpiryDays] };
    case 'spend.anomaly':
      return spendAnomaly;
    case 'credit.low':
      return creditDays === undefined ? {} : { creditDays };
    case 'errors.high':
      return providerErrors === undefined
        ? {}
        : { errorPercent: providerErrors.percent, minRequests: providerErrors.minRequests };
    case 'latency.high':
      return slowFirstToken === undefined
        ? {}
        : { firstTokenMs: slowFirstToken.ms, minRequests: slowFirstToken.minRequests };
    default:
      return {};
  }
}

/** Why a rule is not one of its kind. */
export const ruleProblem = (kind: string, rule: AlertRuleChange): string | undefined => {
  const known = THRESHOLDS[kind] ?? [];
  const other = Object.keys(rule).find((name) => name !== 'enabled' && !known.some((one) => one === name));
  return other === undefined ? undefined : `${other} is not for ${kind}`;
};

/** The settings of the configuration with the rules of the database. */
export const withStoredRules = <S extends AlertSettings>(settings: S, rules: readonly StoredAlertRule[]): S => {
  let { budgetPercents, keyExpiryDays, spendAnomaly, creditDays, providerErrors, slowFirstToken } = settings;
  for (const { rule } of rules) {
    const { minRequests = LEAST_REQUESTS, errorPercent, firstTokenMs } = rule;
    creditDays = rule.creditDays ?? creditDays;
    if (errorPercent !== undefined) providerErrors = { percent: errorPercent, minRequests };
    if (firstTokenMs !== undefined) slowFirstToken = { ms: firstTokenMs, minRequests };
    budgetPercents = rule.budgetPercents ?? budgetPercents;
    keyExpiryDays = rule.keyExpiryDays ?? keyExpiryDays;
    const { factor = spendAnomaly.factor, minUsd = spendAnomaly.minUsd } = rule;
    spendAnomaly = { factor, minUsd };
  }
  const stored = rules.map(({ kind }) => kind);
  const disabled = rules.flatMap(({ kind, rule }) => (rule.enabled === false ? [kind] : []));
  return {
    ...settings,
    budgetPercents,
    keyExpiryDays,
    spendAnomaly,
    ...(creditDays !== undefined && { creditDays }),
    ...(providerErrors !== undefined && { providerErrors }),
    ...(slowFirstToken !== undefined && { slowFirstToken }),
    stored,
    disabled,
  };
};

export const alertRules = (settings: AlertSettings): readonly AlertRule[] => {
  const described = describe(settings);
  const forAccounts: readonly AlertKind[] = ACCOUNT_ALERT_KINDS;
  return ALERT_KINDS.map((kind) => ({
    kind,
    enabled:
      settings.enabled &&
      settings.disabled?.includes(kind) !== true &&
      (kind !== 'key.expiring' || settings.keyExpiryDays.length > 0) &&
      (!OFF_UNTIL_SET.has(kind) || Object.keys(valuesOf(settings, kind)).length > 0),
    ...described[kind],
    values: valuesOf(settings, kind),
    audience: forAccounts.includes(kind) ? 'operators and the account' : 'operators',
    source: settings.stored?.includes(kind) === true ? 'database' : 'configuration',
  }));
};
