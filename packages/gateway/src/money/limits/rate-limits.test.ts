import type { Fault } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import type { Slot } from '../../kernel/admission.ts';
import type { Caller, RateRule } from '../../kernel/caller.ts';
import { InFlightLimits } from './in-flight.ts';
import { LocalMeters } from './local-meters.ts';
import { MemoryBook } from './memory-book.ts';
import { RateLimits } from './rate-limits.ts';
import type { RateRules } from './rules.ts';

const caller: Caller = { keyId: 'k', accountId: 'a', strict: false, mayUse: () => true };
const NONE = { each: {}, own: {} };
const rulesOf = (each: RateRule, processes = 1): RateRules => ({
  key: { each, own: {} },
  account: NONE,
  model: NONE,
  processes,
});
const request =
  (tokens = 1) =>
  () => ({ modelId: 'm', tokens, nanoUsd: 0 });

const limitsAt = (rules: RateRules, clock: { ms: number }) =>
  new RateLimits(
    new InFlightLimits(
      () => ({ inFlight: 100, inFlightPerKey: 100 }),
      { shed: 0, memoryFull: false },
      () => 0,
      new MemoryBook(() => ({ memoryBytes: 1_000_000, answerBytes: 1000 })),
    ),
    () => rules,
    new LocalMeters(
      () => clock.ms,
      () => rules.processes,
    ),
  );

/** Counting in this process answers synchronously. */
const take = (limits: RateLimits, tokens?: number): Slot | Fault => {
  const place = limits.enter(caller);
  if ('kind' in place) return place;
  const taken = limits.claim(place, caller, request(tokens));
  if (taken instanceof Promise) throw new Error('the lease server was asked');
  if ('kind' in taken) place.release();
  return taken;
};

/** How many of `tries` in a minute are taken. */
const takenInAMinute = (all: readonly RateLimits[], tries: number, clock: { ms: number }): number => {
  let taken = 0;
  for (let n = 0; n < tries; n++) {
    clock.ms = (n * 60_000) / tries;
    const slot = take(all[n % all.length]!);
    if ('kind' in slot) continue;
    taken++;
    slot.release();
  }
  return taken;
};

test('several processes with their shares together admit what one would, and never more', () => {
  const clock = { ms: 0 };
  const alone = takenInAMinute([limitsAt(rulesOf({ requestsPerMinute: 120 }), clock)], 1000, clock);
  clock.ms = 0;
  const four = Array.from({ length: 4 }, () => limitsAt(rulesOf({ requestsPerMinute: 120 }, 4), clock));
  const together = takenInAMinute(four, 1000, clock);
  expect(alone).toBeGreaterThanOrEqual(120);
  expect(alone).toBeLessThanOrEqual(140);
  expect(together).toBeLessThanOrEqual(140);
  expect(together).toBeGreaterThanOrEqual(116);
});

test('a refusal takes no slot, and a slot is released once', () => {
  const clock = { ms: 0 };
  const limits = limitsAt(rulesOf({ requestsPerMinute: 6, burst: 1 }), clock);
  const first = take(limits);
  expect(take(limits)).toMatchObject({ kind: 'over-rate', retryAfterMs: 10_000 });
  expect(limits.taken).toBe(1);
  if ('kind' in first) throw new Error('refused');
  first.release();
  first.release();
  expect(limits.taken).toBe(0);
});

test('counting tokens takes a concurrency slot and nothing of the limits per minute', () => {
  const clock = { ms: 0 };
  const limits = limitsAt(rulesOf({ requestsPerMinute: 6, burst: 1 }), clock);
  for (let n = 0; n < 20; n++) expect('kind' in limits.enter(caller)).toBe(false);
});

test('without a bill the claimed tokens are returned', () => {
  const clock = { ms: 0 };
  const limits = limitsAt(rulesOf({ tokensPerMinute: 100 }), clock);
  for (let n = 0; n < 5; n++) {
    const slot = take(limits, 100);
    if ('kind' in slot) throw new Error('refused');
    expect('kind' in take(limits, 100)).toBe(true);
    slot.release();
  }
});
