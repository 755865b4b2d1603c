/** The events an account may choose for a webhook, and operators for a destination. */

/** How an operation can end. */
const OPERATION_ENDS = ['succeeded', 'blocked', 'failed', 'cancelled'] as const;
export type OperationEnd = (typeof OPERATION_ENDS)[number];

/** How a response in the background can end. */
const RESPONSE_ENDS = ['completed', 'incomplete', 'failed', 'cancelled'] as const;
export type ResponseEnd = (typeof RESPONSE_ENDS)[number];

/** Alerts. The order is that of the documentation. */
export const ALERT_KINDS = [
  'budget.reached',
  'spend.anomaly',
  'key.expiring',
  'credit.low',
  'errors.high',
  'latency.high',
  'usage.unpriced',
  'usage.suspect',
  'provider.out',
  'provider.back',
  'provider.drift',
  'canary.stepped_back',
  'credential.stale',
  'ledger.audit_failed',
  'ledger.set_back',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** Alerts about an account, which it may see and get itself; the others are the operator's. */
export const ACCOUNT_ALERT_KINDS = [
  'budget.reached',
  'spend.anomaly',
  'key.expiring',
  'credit.low',
] as const satisfies AlertKind[];

const OPERATION_EVENTS = OPERATION_ENDS.map((end) => `operation.${end}` as const);
const RESPONSE_EVENTS = RESPONSE_ENDS.map((end) => `response.${end}` as const);
export const ACCOUNT_EVENTS = [...OPERATION_EVENTS, ...RESPONSE_EVENTS, ...ACCOUNT_ALERT_KINDS] as const;
/** Sent on request, whatever was chosen. */
export const TEST_EVENT = 'webhook.test';
