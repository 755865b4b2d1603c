import { describe, expect, test } from 'vitest';
import { type InFlightBounds, InFlightLimits, type PressureReading } from './in-flight.ts';

const caller = (keyId: string, accountId = keyId) => ({ keyId, accountId, strict: false, mayUse: () => true });
const open = (bounds: InFlightBounds, pressure: PressureReading = { shed: 0, heapFull: false }, random = () => 0.5) =>
  new InFlightLimits(() => bounds, pressure, random);
const take = (limits: InFlightLimits, keyId: string, accountId?: string) => {
  const taken = limits.take(caller(keyId, accountId));
  return 'kind' in taken ? taken.kind : taken;
};
const fill = (limits: InFlightLimits, keyId: string, times: number): void => {
  for (let time = 0; time < times; time++) expect(take(limits, keyId)).toBeTypeOf('object');
};
const refusedFor = (limits: InFlightLimits, reason: string): number =>
  new Map<string, number>(limits.refusals).get(reason) ?? -1;

test('one key, then everybody, is refused at the bound; a place given back is free again', () => {
  const limits = open({ inFlight: 3, inFlightPerKey: 2 });
  const first = take(limits, 'a');
  take(limits, 'a', 'a');
  expect(take(limits, 'a')).toBe('over-rate');
  expect(take(limits, 'b')).toBeTypeOf('object');
  expect(take(limits, 'c')).toBe('overloaded');
  if (typeof first === 'string') throw new Error('refused');
  first.release();
  first.release();
  expect(limits.taken).toBe(2);
  expect(take(limits, 'a')).toBeTypeOf('object');
  expect(take(limits, 'c')).toBe('overloaded');
  expect([refusedFor(limits, 'in-flight-of-key'), refusedFor(limits, 'in-flight')]).toEqual([1, 2]);
});

test('new bounds count from the next request on', () => {
  let inFlight = 0;
  const limits = new InFlightLimits(
    () => ({ inFlight, inFlightPerKey: 10 }),
    { shed: 0, heapFull: false },
    () => 0,
  );
  expect(take(limits, 'a')).toBe('overloaded');
  inFlight = 1;
  expect(take(limits, 'a')).toBeTypeOf('object');
});

test('what taking would refuse is refused from the head, and taking nothing', () => {
  const limits = open({ inFlight: 1, inFlightPerKey: 1 });
  expect(limits.refusal(caller('a'))).toBeUndefined();
  expect(limits.taken).toBe(0);
  fill(limits, 'a', 1);
  expect(limits.refusal(caller('b'))).toMatchObject({ kind: 'overloaded', retryAfterMs: 2000 });
});

describe('shares', () => {
  test('an account alone may have everything', () => {
    const limits = open({ inFlight: 20, inFlightPerKey: 100 });
    fill(limits, 'heavy', 20);
  });

  test('where it is crowded, an account above its share makes way for one below', () => {
    const limits = open({ inFlight: 20, inFlightPerKey: 100 });
    fill(limits, 'light', 1);
    fill(limits, 'heavy', 16);
    expect(take(limits, 'heavy')).toBe('overloaded');
    expect(refusedFor(limits, 'share')).toBe(1);
    fill(limits, 'light', 2);
    fill(limits, 'newcomer', 1);
    expect(limits.taken).toBe(20);
  });
});

describe('pressure', () => {
  const pressed = (shed: number, random: () => number) => {
    const limits = open({ inFlight: 1000, inFlightPerKey: 1000 }, { shed, heapFull: false }, random);
    fill(limits, 'heavy', 30);
    fill(limits, 'light', 10);
    return limits;
  };

  test('an account with three times the other is three times as likely to be refused', () => {
    // Shares of what would run, against an equal part: 1.51 and 0.54.
    expect(pressed(0.4, () => 0.6).refusal(caller('heavy'))).toMatchObject({ kind: 'overloaded' });
    expect(pressed(0.4, () => 0.61).refusal(caller('heavy'))).toBeUndefined();
    expect(pressed(0.4, () => 0.21).refusal(caller('light'))).toMatchObject({ kind: 'overloaded' });
    expect(pressed(0.4, () => 0.22).refusal(caller('light'))).toBeUndefined();
  });

  test('at its worst those with little are refused as well, and of those with nothing a few', () => {
    const limits = pressed(4, () => 0.99);
    expect(limits.refusal(caller('light'))).toMatchObject({ kind: 'overloaded' });
    expect(limits.refusal(caller('newcomer'))).toBeUndefined();
    expect(pressed(4, () => 0.2).refusal(caller('newcomer'))).toMatchObject({ kind: 'overloaded' });
  });

  test('many accounts with one request each are pressed like one with many', () => {
    const limits = open({ inFlight: 1000, inFlightPerKey: 1000 }, { shed: 0.5, heapFull: false }, () => 0.49);
    for (let number = 0; number < 100; number++) fill(limits, `account ${number}`, 1);
    expect(limits.refusal(caller('one more'))).toMatchObject({ kind: 'overloaded' });
  });

  test('a handful runs whatever presses, and nothing new beyond it when memory is short', () => {
    const limits = open({ inFlight: 1000, inFlightPerKey: 1000 }, { shed: 4, heapFull: true }, () => 0);
    fill(limits, 'a', 15);
    expect(limits.refusal(caller('a'))).toBeUndefined();
    fill(limits, 'a', 1);
    expect(limits.refusal(caller('b'))).toMatchObject({ kind: 'overloaded' });
    expect(refusedFor(limits, 'memory')).toBe(1);
  });
});
