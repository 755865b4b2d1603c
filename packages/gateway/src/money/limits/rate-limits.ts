/**
 * Rate limits of a request: requests, tokens and money per minute, and concurrent requests, for its key, account and
 * model. Tokens and money are claimed as estimates and corrected when the request is over.
 */
import { type Fault, inputTokens, outputTokens } from '@trivium/protocol/canonical';
import type { RateFigure, RateNote } from '@trivium/protocol/dialects';
import type { Limits, Place, Slot, SlotRequest } from '../../kernel/admission.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Bill } from '../../kernel/record.ts';
import { claimsOf, type LimitClaim, type LimitRefusal, type Measure, NANO_PER_USD } from './claims.ts';
import type { InFlightLimits } from './in-flight.ts';
import type { Meters } from './meters.ts';
import { hasRules, type RateRules, type Scope } from './rules.ts';

const WORDS: Readonly<Record<Exclude<Measure, 'at-once'>, string>> = {
  requests: 'requests',
  tokens: 'tokens',
  nanoUsd: 'money',
};
const OWNERS: Readonly<Record<Scope, string>> = { key: 'API key', account: 'account', model: 'model' };

const faultOf = ({ claim: { measure, scope, limit }, waitMs }: LimitRefusal): Fault => {
  const owner = OWNERS[scope];
  const retryAfterMs = Math.ceil(waitMs);
  if (measure === 'at-once')
    return {
      kind: 'over-rate',
      message: `This ${owner} has too many requests running at once (${limit}).`,
      retryAfterMs,
    };
  const amount = measure === 'nanoUsd' ? `$${limit / NANO_PER_USD}` : String(limit);
  if (waitMs === Number.POSITIVE_INFINITY)
    return {
      kind: 'over-rate',
      message: `This request needs more ${WORDS[measure]} than this ${owner} may use in a minute (${amount}).`,
      retry: false,
    };
  return {
    kind: 'over-rate',
    message: `Rate limit exceeded for this ${owner}: ${measure === 'nanoUsd' ? amount : `${amount} ${WORDS[measure]}`} per minute.`,
    retryAfterMs,
  };
};

export class RateLimits implements Limits {
  readonly #inFlight: InFlightLimits;
  readonly #rules: () => RateRules;
  readonly #meters: Meters;
  #known: RateRules | undefined;
  #any = false;

  constructor(inFlight: InFlightLimits, rules: () => RateRules, meters: Meters) {
    this.#inFlight = inFlight;
    this.#rules = rules;
    this.#meters = meters;
  }

  get taken(): number {
    return this.#inFlight.taken;
  }

  /** Checks only slots and pressure: the headers do not show how much a request will use. */
  enter(caller: Caller): Place | Fault {
    return this.#inFlight.enter(caller);
  }

  claim(place: Place, caller: Caller, request: () => SlotRequest): Slot | Fault | Promise<Slot | Fault> {
    const rules = this.#rules();
    if (!this.#limits(rules) && caller.rates === undefined && caller.accountRates === undefined) return place;
    const claims = claimsOf(caller, request(), rules);
    if (claims.length === 0) return place;
    const refusal = this.#meters.take(claims);
    if (!(refusal instanceof Promise)) return this.#decided(place, claims, refusal);
    return refusal.then((later) => this.#decided(place, claims, later));
  }

  /** Rules change with the configuration; each version is scanned once. */
  #limits(rules: RateRules): boolean {
    if (rules !== this.#known) {
      this.#known = rules;
      this.#any = hasRules(rules);
    }
    return this.#any;
  }

  #decided(place: Place, claims: readonly LimitClaim[], refusal: LimitRefusal | undefined): Slot | Fault {
    return refusal === undefined ? this.#slotOf(place, claims) : faultOf(refusal);
  }

  #slotOf(place: Place, claims: readonly LimitClaim[]): Slot {
    let released = false;
    return {
      rate: this.#noteOf(claims),
      release: (bill) => {
        if (released) return;
        released = true;
        place.release();
        this.#correct(claims, bill);
      },
    };
  }

  /** A request without a bill counts as one request, without tokens or money. */
  #correct(claims: readonly LimitClaim[], bill: Bill | undefined): void {
    const tokens = bill === undefined ? 0 : inputTokens(bill.usage) + outputTokens(bill.usage);
    const nanoUsd = bill === undefined ? 0 : Number(bill.cost.nanoUsd);
    for (const claim of claims) {
      if (claim.measure === 'at-once') this.#meters.leave(claim);
      if (claim.measure === 'tokens' && tokens !== claim.units) this.#meters.correct(claim, tokens - claim.units);
      if (claim.measure === 'nanoUsd' && nanoUsd !== claim.units) this.#meters.correct(claim, nanoUsd - claim.units);
    }
  }

  /** The limits of requests and tokens closest to exhaustion, for the caller's rate limit headers. */
  #noteOf(claims: readonly LimitClaim[]): RateNote | undefined {
    const note: { requests?: RateFigure; tokens?: RateFigure } = {};
    for (const claim of claims) {
      const { measure } = claim;
      if (measure !== 'requests' && measure !== 'tokens') continue;
      const figure = this.#meters.figureOf(claim);
      const known = note[measure];
      if (known === undefined || figure.remaining < known.remaining) note[measure] = figure;
    }
    return note.requests === undefined && note.tokens === undefined ? undefined : note;
  }
}
