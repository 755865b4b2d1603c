/** The rules by which alerts are raised, with the values that apply now. */

import { ACCOUNT_ALERT_KINDS, ALERT_KINDS, type AlertKind } from '../webhooks/events.ts';
import type { AlertSettings } from './alert-watch.ts';
import type { AlertRule } from './contract.ts';

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

export const alertRules = (settings: AlertSettings): readonly AlertRule[] => {
  const described = describe(settings);
  const forAccounts: readonly AlertKind[] = ACCOUNT_ALERT_KINDS;
  return ALERT_KINDS.map((kind) => ({
    kind,
    enabled: settings.enabled && (kind !== 'key.expiring' || settings.keyExpiryDays.length > 0),
    ...described[kind],
    audience: forAccounts.includes(kind) ? 'operators and the account' : 'operators',
  }));
};
