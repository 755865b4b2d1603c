/** The calls that a canary is judged by: a window of time with bounded contents. No clock: times are given. */
import { FAULT_RULES } from '@trivium/protocol/canonical';
import type { RequestRecord } from '../../kernel/record.ts';
import {
  CANARY_RULES,
  type Canary,
  type CanaryRule,
  DEFAULT_LEAST_CALLS,
  DEFAULT_WINDOW_SECONDS,
  MAX_WINDOW_CALLS,
} from './contract.ts';

export type CanaryCall = {
  readonly failed: boolean;
  /** Of streams that began. */
  readonly firstTokenMs?: number | undefined;
  /** Of answered calls that have a price. */
  readonly usd?: number | undefined;
};

/** The rule that a canary broke, and by how much. */
export type BrokenRule = {
  readonly rule: CanaryRule;
  readonly limit: number;
  readonly measured: number;
  readonly calls: number;
};

const NANO_PER_USD = 1e9;

/** What a finished request says of the canary it was sent to; undefined: nothing, or it never got there. */
export function canaryCallOf(record: RequestRecord): CanaryCall | undefined {
  const sentTo = record.decidedBy?.canary?.sentTo;
  if (sentTo === undefined) return undefined;
  const { provider, modelId } = sentTo;
  const attempt = record.attempts.findLast((one) => one.provider === provider && one.modelId === modelId);
  if (attempt === undefined || attempt.fault === 'cancelled') return undefined;
  const isCallers = record.fault !== undefined && FAULT_RULES[record.fault.kind].blame === 'caller';
  if (attempt.fault !== undefined) return isCallers ? undefined : { failed: true };
  const { startMs, firstContentMs } = attempt;
  return {
    failed: record.fault !== undefined && !isCallers,
    ...(record.stream && startMs !== undefined && firstContentMs !== undefined
      ? { firstTokenMs: firstContentMs - startMs }
      : {}),
    ...(record.bill !== undefined && { usd: Number(record.bill.cost.nanoUsd) / NANO_PER_USD }),
  };
}

const MS_PER_SECOND = 1000;
const FULL_PERCENT = 100;
const P95 = 0.95;

export class CanaryCalls {
  readonly #rules: NonNullable<Canary['stepBack']>;
  readonly #calls: (CanaryCall & { readonly atMs: number })[] = [];
  #failed = 0;
  #usd = 0;
  #priced = 0;
  #begun = 0;
  /** Slower than the rule allows. */
  #slow = 0;

  constructor(rules: NonNullable<Canary['stepBack']>) {
    this.#rules = rules;
  }

  /** The rule that is broken with this call. */
  add(call: CanaryCall, nowMs: number): BrokenRule | undefined {
    const { windowSeconds = DEFAULT_WINDOW_SECONDS } = this.#rules;
    this.#calls.push({ ...call, atMs: nowMs });
    this.#count(call, 1);
    const sinceMs = nowMs - windowSeconds * MS_PER_SECOND;
    while (this.#calls.length > MAX_WINDOW_CALLS || this.#calls[0]!.atMs < sinceMs)
      this.#count(this.#calls.shift()!, -1);
    return this.#broken();
  }

  #count({ failed, firstTokenMs, usd }: CanaryCall, by: 1 | -1): void {
    if (failed) this.#failed += by;
    if (firstTokenMs !== undefined) {
      this.#begun += by;
      if (firstTokenMs > (this.#rules.firstTokenP95Ms ?? Number.POSITIVE_INFINITY)) this.#slow += by;
    }
    if (usd === undefined) return;
    this.#priced += by;
    this.#usd += by * usd;
  }

  #broken(): BrokenRule | undefined {
    const { leastCalls = DEFAULT_LEAST_CALLS } = this.#rules;
    for (const rule of CANARY_RULES) {
      const limit = this.#rules[rule];
      if (limit === undefined) continue;
      const { calls, isBroken } = this.#state(rule, limit);
      if (calls >= leastCalls && isBroken) return { rule, limit, measured: this.#measured(rule), calls };
    }
    return undefined;
  }

  #state(rule: CanaryRule, limit: number): { readonly calls: number; readonly isBroken: boolean } {
    switch (rule) {
      case 'errorPercent':
        return {
          calls: this.#calls.length,
          isBroken: this.#failed * FULL_PERCENT > limit * this.#calls.length,
        };
      case 'firstTokenP95Ms':
        // The percentile is above the limit if more than the rest is; so nothing is sorted for every call.
        return { calls: this.#begun, isBroken: this.#slow > this.#begun * (1 - P95) };
      case 'usdPerRequest':
        return { calls: this.#priced, isBroken: this.#usd > limit * this.#priced };
    }
  }

  #measured(rule: CanaryRule): number {
    if (rule === 'errorPercent') return (this.#failed / this.#calls.length) * FULL_PERCENT;
    if (rule === 'usdPerRequest') return this.#usd / this.#priced;
    const times = this.#calls.flatMap(({ firstTokenMs }) => firstTokenMs ?? []).sort((one, other) => one - other);
    return times[Math.ceil(times.length * P95) - 1]!;
  }
}
