/** Why a request has no captured content, from the rules that were in force when it came. */
import { type CaptureRule, CaptureRules, isActive, isSampled } from './rules.ts';

/**
 * `no-error`: only failures were captured, and it did not fail. `not-stored`: dropped for lack of memory, deleted, or
 * not written yet. `on-another-node`: its node keeps content in a folder that this one does not have.
 */
export const WHY_NOT = [
  'off',
  'not-sampled',
  'no-error',
  'expired',
  'erased',
  'on-another-node',
  'not-stored',
] as const;

export type WhyNot = (typeof WHY_NOT)[number];

export type UncapturedRequest = {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly receivedAtMs: number;
  readonly hasFailed: boolean;
};

const HOUR_MS = 3_600_000;

export function whyNotCaptured(
  { requestId, accountId, keyId, receivedAtMs, hasFailed }: UncapturedRequest,
  rules: readonly CaptureRule[],
  nowMs: number,
): WhyNot {
  const rule = new CaptureRules(rules).of(accountId, keyId);
  if (!isActive(rule, receivedAtMs)) return 'off';
  if (rule.bodies === 'sample' && !isSampled(requestId, rule.samplePercent)) return 'not-sampled';
  if (rule.bodies === 'errors' && !hasFailed) return 'no-error';
  return nowMs > receivedAtMs + rule.keepHours * HOUR_MS ? 'expired' : 'not-stored';
}
