/** The rules by which alerts are raised, with the values that apply now. */

import { ACCOUNT_ALERT_KINDS, ALERT_KINDS, type AlertKind } from '../webhooks/events.ts';
import type { AlertSettings } from './alert-watch.ts';
import type { AlertRule, AlertRuleChange } from './contract.ts';
import type { StoredAlertRule } from './rule-rows.ts';

type Described = { readonly raisedWhen: string; readonly window: string };

const describe = ({ budgetPercents, keyExpiryDays, spendAnomaly }: AlertSettings): Record<AlertKind, Described> => ({
  'budget.reached': {
    raisedWhen: `a soft limit of a template, or ${budgetPercents.join(', ') || 100} % of a budget, are spent; 100 % also when it refuses a request and hardly anything is left`,
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
  'ledger.audit_failed': {
    raisedWhen: 'the hourly audit finds rows of the ledger that do not add up',
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
};

/** Why a rule is not one of its kind. */
export const ruleProblem = (kind: string, rule: AlertRuleChange): string | undefined => {
  const known = THRESHOLDS[kind] ?? [];
  const other = Object.keys(rule).find((name) => name !== 'enabled' && !known.some((one) => one === name));
  return other === undefined ? undefined : `${other} is not for ${kind}`;
};

/** The settings of the configuration with the rules of the database. */
export const withStoredRules = <S extends AlertSettings>(settings: S, rules: readonly StoredAlertRule[]): S => {
  let { budgetPercents, keyExpiryDays, spendAnomaly } = settings;
  for (const { rule } of rules) {
    budgetPercents = rule.budgetPercents ?? budgetPercents;
    keyExpiryDays = rule.keyExpiryDays ?? keyExpiryDays;
    const { factor = spendAnomaly.factor, minUsd = spendAnomaly.minUsd } = rule;
    spendAnomaly = { factor, minUsd };
  }
  const stored = rules.map(({ kind }) => kind);
  const disabled = rules.flatMap(({ kind, rule }) => (rule.enabled === false ? [kind] : []));
  return { ...settings, budgetPercents, keyExpiryDays, spendAnomaly, stored, disabled };
};

export const alertRules = (settings: AlertSettings): readonly AlertRule[] => {
  const described = describe(settings);
  const forAccounts: readonly AlertKind[] = ACCOUNT_ALERT_KINDS;
  return ALERT_KINDS.map((kind) => ({
    kind,
    enabled:
      settings.enabled &&
      settings.disabled?.includes(kind) !== true &&
      (kind !== 'key.expiring' || settings.keyExpiryDays.length > 0),
    ...described[kind],
    audience: forAccounts.includes(kind) ? 'operators and the account' : 'operators',
    source: settings.stored?.includes(kind) === true ? 'database' : 'configuration',
  }));
};
