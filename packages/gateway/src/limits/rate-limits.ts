/**
 * May this caller ask for so much now? Requests, tokens and money by the minute, and requests at once, for key, account
 * and model. Tokens and money are claimed as well as they can be told beforehand and put right when the request is over.
 */
import { type Fault, inputTokens, outputTokens } from '@trivium/protocol/canonical';
import type { Caller } from '../accounts/caller.ts';
import type { Bill } from '../engine/bill.ts';
import type { Limits, RateFigure, RateNote, Slot, SlotRequest } from '../engine/ports.ts';
import { rateOfAmounts, rateOfRequests, unitsLeft } from './gcra.ts';
import type { InFlightLimits } from './in-flight.ts';
import { type Claim, MeterBoard, type Refusal } from './meter-board.ts';
import { hasRules, type RateRule, type RateRules, ruleOf, SCOPES, type Scope } from './rules.ts';

const NANO_PER_USD = 1_000_000_000;
const RETRY_AFTER_MS = 1000;

type Measure = 'requests' | 'tokens' | 'nanoUsd';
type Claimed = Claim & { readonly measure: Measure; readonly scope: Scope };

const WORDS: Readonly<Record<Measure, string>> = { requests: 'requests', tokens: 'tokens', nanoUsd: 'money' };
const OWNERS: Readonly<Record<Scope, string>> = { key: 'API key', account: 'account', model: 'model' };

function claimsOf(
  scope: Scope,
  id: string,
  rule: RateRule,
  processes: number,
  { tokens, nanoUsd }: SlotRequest,
): Claimed[] {
  const claims: Claimed[] = [];
  const add = (measure: Measure, rate: Claim['rate'], units: number): void => {
    claims.push({ name: `${scope}:${measure}:${id}`, scope, measure, rate, units });
  };
  if (rule.requestsPerMinute !== undefined) add('requests', rateOfRequests(rule.requestsPerMinute / processes), 1);
  if (rule.tokensPerMinute !== undefined) add('tokens', rateOfAmounts(rule.tokensPerMinute / processes), tokens);
  if (rule.usdPerMinute !== undefined)
    add('nanoUsd', rateOfAmounts((rule.usdPerMinute * NANO_PER_USD) / processes), nanoUsd);
  return claims;
}

const faultOf = ({ claim, waitMs }: Refusal, { measure, scope }: Claimed): Fault => {
  if (waitMs === Number.POSITIVE_INFINITY)
    return {
      kind: 'over-rate',
      message: `This request needs more ${WORDS[measure]} than this ${OWNERS[scope]} may use in a minute (${amountOf(claim.rate.perMinute, measure)}).`,
    };
  return {
    kind: 'over-rate',
    message: `This ${OWNERS[scope]} has used all the ${WORDS[measure]} it may in a minute (${amountOf(claim.rate.perMinute, measure)}).`,
    retryAfterMs: Math.ceil(waitMs),
  };
};
const amountOf = (units: number, measure: Measure): string =>
  measure === 'nanoUsd' ? `$${units / NANO_PER_USD}` : String(units);

export class RateLimits implements Limits {
  readonly #inFlight: InFlightLimits;
  readonly #rules: () => RateRules;
  readonly #monotonicMs: () => number;
  readonly #board = new MeterBoard();
  readonly #running = new Map<string, number>();
  #known: RateRules | undefined;
  #any = false;

  constructor(inFlight: InFlightLimits, rules: () => RateRules, monotonicMs: () => number) {
    this.#inFlight = inFlight;
    this.#rules = rules;
    this.#monotonicMs = monotonicMs;
  }

  get taken(): number {
    return this.#inFlight.taken;
  }

  /** Only places and pressure: how much a request will use, its head does not tell. */
  refusal(caller: Caller): Fault | undefined {
    return this.#inFlight.refusal(caller);
  }

  take(caller: Caller, request?: () => SlotRequest): Slot | Fault {
    const slot = this.#inFlight.take(caller);
    const rules = this.#rules();
    if ('kind' in slot || request === undefined || !this.#limits(rules)) return slot;
    const limited = this.#limited(caller, request(), rules);
    if (!('kind' in limited)) return this.#slotOf(slot, limited);
    slot.release();
    return limited;
  }

  /** Rules change with the configuration, and are looked through once each. */
  #limits(rules: RateRules): boolean {
    if (rules !== this.#known) {
      this.#known = rules;
      this.#any = hasRules(rules);
    }
    return this.#any;
  }

  #limited(caller: Caller, request: SlotRequest, rules: RateRules): Fault | Limited {
    const ids: Readonly<Record<Scope, string>> = {
      key: caller.keyId,
      account: caller.accountId,
      model: request.modelId,
    };
    const claims: Claimed[] = [];
    const running: string[] = [];
    for (const scope of SCOPES) {
      const rule = ruleOf(rules[scope], ids[scope]);
      if (rule === undefined) continue;
      claims.push(...claimsOf(scope, ids[scope], rule, rules.processes, request));
      if (rule.inFlight === undefined) continue;
      const name = `${scope}:${ids[scope]}`;
      if ((this.#running.get(name) ?? 0) >= Math.max(1, Math.floor(rule.inFlight / rules.processes)))
        return {
          kind: 'over-rate',
          message: `This ${OWNERS[scope]} has too many requests running at once (${rule.inFlight}).`,
          retryAfterMs: RETRY_AFTER_MS,
        };
      running.push(name);
    }
    const nowMs = this.#monotonicMs();
    const refusal = this.#board.take(claims, nowMs);
    if (refusal !== undefined) return faultOf(refusal, claims.find((claim) => claim === refusal.claim)!);
    for (const name of running) this.#running.set(name, (this.#running.get(name) ?? 0) + 1);
    return { claims, running, processes: rules.processes };
  }

  #slotOf(slot: Slot, { claims, running, processes }: Limited): Slot {
    let released = false;
    const rate = this.#noteOf(claims, processes);
    return {
      ...(rate !== undefined && { rate }),
      release: (bill) => {
        if (released) return;
        released = true;
        slot.release(bill);
        for (const name of running) this.#leave(name);
        this.#correct(claims, bill);
      },
    };
  }

  #leave(name: string): void {
    const left = (this.#running.get(name) ?? 1) - 1;
    if (left === 0) this.#running.delete(name);
    else this.#running.set(name, left);
  }

  /** A request without a bill used nothing but its turn. */
  #correct(claims: readonly Claimed[], bill: Bill | undefined): void {
    const nowMs = this.#monotonicMs();
    const used = bill === undefined ? 0 : inputTokens(bill.usage) + outputTokens(bill.usage);
    const spent = bill === undefined ? 0 : Number(bill.cost.nanoUsd);
    for (const claim of claims) {
      if (claim.measure === 'requests') continue;
      const units = (claim.measure === 'tokens' ? used : spent) - claim.units;
      if (units !== 0) this.#board.charge({ ...claim, units }, nowMs);
    }
  }

  /** Of requests and tokens, the limit that is nearest; callers plan with it. */
  #noteOf(claims: readonly Claimed[], processes: number): RateNote | undefined {
    const nowMs = this.#monotonicMs();
    const note: { requests?: RateFigure; tokens?: RateFigure } = {};
    for (const { measure, name, rate } of claims) {
      if (measure === 'nanoUsd') continue;
      const paidAtMs = this.#board.paidAtMs(name);
      const remaining = unitsLeft(paidAtMs, nowMs, rate);
      const known = note[measure];
      if (known === undefined || remaining < known.remaining)
        note[measure] = {
          limit: Math.round(rate.perMinute * processes),
          remaining,
          resetMs: Math.max(0, paidAtMs - nowMs),
        };
    }
    return note.requests === undefined && note.tokens === undefined ? undefined : note;
  }
}

type Limited = {
  readonly claims: readonly Claimed[];
  readonly running: readonly string[];
  readonly processes: number;
};
