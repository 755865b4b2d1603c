import { describe, expect, test } from 'vitest';
import { SMALL_BODY } from '../../kernel/memory.ts';
import { type InFlightBounds, InFlightLimits, type PressureReading } from './in-flight.ts';
import { MemoryBook } from './memory-book.ts';

const caller = (keyId: string, accountId = keyId) => ({ keyId, accountId, strict: false, mayUse: () => true });
const EASY: PressureReading = { shed: 0, memoryFull: false };
const bookOf = (memoryBytes: number): MemoryBook => new MemoryBook(() => ({ memoryBytes, answerBytes: 0 }));
const open = (
  bounds: Partial<InFlightBounds>,
  pressure: PressureReading = EASY,
  random = () => 0.5,
  memory = bookOf(4000),
) => new InFlightLimits(() => ({ inFlight: 1000, inFlightPerKey: 1000, ...bounds }), pressure, random, memory);
const take = (limits: InFlightLimits, keyId: string, accountId?: string) => {
  const taken = limits.enter(caller(keyId, accountId));
  return 'kind' in taken ? taken.kind : taken;
};
/** The refusal that one more request would get; it does not keep its slot. */
const refusal = (limits: InFlightLimits, keyId: string): object | undefined => {
  const taken = limits.enter(caller(keyId));
  if ('kind' in taken) return taken;
  taken.release();
  return undefined;
};
const fill = (limits: InFlightLimits, keyId: string, times: number): void => {
  for (let time = 0; time < times; time++) expect(take(limits, keyId)).toBeTypeOf('object');
};
const refusedFor = (limits: InFlightLimits, reason: string): number =>
  new Map<string, number>(limits.refusals).get(reason) ?? -1;

test('a key, then every key, is refused at its bound; a released slot is free again', () => {
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
    EASY,
    () => 0,
    bookOf(4000),
  );
  expect(take(limits, 'a')).toBe('overloaded');
  inFlight = 1;
  expect(take(limits, 'a')).toBeTypeOf('object');
});

test('a refusal has a retry time, and takes no slot', () => {
  const limits = open({ inFlight: 1, inFlightPerKey: 1 });
  fill(limits, 'a', 1);
  expect(refusal(limits, 'b')).toMatchObject({ kind: 'overloaded', retryAfterMs: 2000 });
  expect(limits.taken).toBe(1);
});

describe('memory of bodies (S4)', () => {
  /** More than a small body. */
  const UNIT = 2 * SMALL_BODY;
  const placeOf = (limits: InFlightLimits, keyId: string) => {
    const place = limits.enter(caller(keyId));
    if ('kind' in place) throw new Error('refused');
    return place;
  };
  const opened = (memoryBytes: number) => {
    const book = bookOf(memoryBytes);
    return { book, limits: open({}, EASY, undefined, book) };
  };

  test('is counted four times their size up to the bound of the process, and released with the slot', () => {
    const { book, limits } = opened(4000 * UNIT);
    const [a, b, c] = ['a', 'b', 'c'].map((keyId) => placeOf(limits, keyId));
    expect([a?.reserve(400 * UNIT), b?.reserve(300 * UNIT), b?.reserve(100 * UNIT)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(c?.reserve(201 * UNIT)).toMatchObject({ kind: 'overloaded', message: expect.stringContaining('Try again') });
    expect(c?.reserve(200 * UNIT)).toBeUndefined();
    expect([book.total, book.held.body, c?.accountId]).toEqual([4000 * UNIT, 4000 * UNIT, 'c']);
    b?.release();
    b?.release();
    expect(book.total).toBe(2400 * UNIT);
    expect(b?.reserve(500 * UNIT)).toBeUndefined();
    expect(book.total).toBe(2400 * UNIT);
    a?.release();
    c?.release();
    expect([book.total, limits.taken]).toEqual([0, 0]);
    expect(refusedFor(limits, 'held-memory')).toBe(1);
  });

  test('one account gets at most half of it', () => {
    const { limits } = opened(4000 * UNIT);
    expect(placeOf(limits, 'a').reserve(500 * UNIT)).toBeUndefined();
    expect(placeOf(limits, 'a').reserve(UNIT)).toMatchObject({ kind: 'over-rate' });
    expect(placeOf(limits, 'b').reserve(500 * UNIT)).toBeUndefined();
    expect(refusedFor(limits, 'held-memory-of-account')).toBe(1);
  });

  test('once it is used up, an account above its fair share gets 429, another one 503', () => {
    const { limits } = opened(4000 * UNIT);
    expect(['a', 'b', 'c'].map((keyId) => placeOf(limits, keyId).reserve(330 * UNIT))).toEqual(
      Array(3).fill(undefined),
    );
    expect(placeOf(limits, 'a').reserve(50 * UNIT)).toMatchObject({ kind: 'over-rate' });
    expect(placeOf(limits, 'd').reserve(50 * UNIT)).toMatchObject({ kind: 'overloaded' });
  });

  test('[N-31] a body larger than the bound is accepted if there is no other', () => {
    const { limits } = opened(4000 * UNIT);
    expect(placeOf(limits, 'a').reserve(2000 * UNIT)).toBeUndefined();
    expect(placeOf(limits, 'b').reserve(UNIT)).toMatchObject({ kind: 'overloaded' });
  });

  test('[N-31] a body of unknown length, which is reserved in steps, is no other body to itself', () => {
    const { book, limits } = opened(4000 * UNIT);
    const place = placeOf(limits, 'a');
    for (let step = 0; step < 4; step++) expect(place.reserve(400 * UNIT)).toBeUndefined();
    expect(placeOf(limits, 'a').reserve(UNIT)).toMatchObject({ kind: 'over-rate' });
    place.release();
    expect(book.total).toBe(0);
    const [one, other] = [placeOf(limits, 'a'), placeOf(limits, 'b')];
    expect([one.reserve(400 * UNIT), other.reserve(100 * UNIT), other.reserve(500 * UNIT)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(other.reserve(100 * UNIT)).toMatchObject({ kind: 'over-rate' });
  });

  test('small bodies are bounded by their number, and one that grows is counted whole', () => {
    const { book, limits } = opened(4000 * UNIT);
    const [small, growing] = [placeOf(limits, 'a'), placeOf(limits, 'a')];
    small.reserve(SMALL_BODY);
    growing.reserve(SMALL_BODY);
    expect(book.total).toBe(0);
    growing.reserve(1);
    expect(book.total).toBe(4 * (SMALL_BODY + 1));
    small.release();
    growing.release();
    expect([book.total, limits.taken]).toEqual([0, 0]);
  });
});

describe('shares', () => {
  test('a single account may use all slots', () => {
    const limits = open({ inFlight: 20, inFlightPerKey: 100 });
    fill(limits, 'heavy', 20);
  });

  test('near the limit, an account above its fair share is refused and one below is admitted', () => {
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
    const pressure = { ...EASY };
    const limits = open({}, pressure, random);
    fill(limits, 'heavy', 30);
    fill(limits, 'light', 10);
    pressure.shed = shed;
    return limits;
  };

  test('an account with three times the other is three times as likely to be refused', () => {
    // The account's share of running requests relative to an equal share: 1.51 and 0.54.
    expect(
      refusal(
        pressed(0.4, () => 0.6),
        'heavy',
      ),
    ).toMatchObject({ kind: 'overloaded' });
    expect(
      refusal(
        pressed(0.4, () => 0.61),
        'heavy',
      ),
    ).toBeUndefined();
    expect(
      refusal(
        pressed(0.4, () => 0.21),
        'light',
      ),
    ).toMatchObject({ kind: 'overloaded' });
    expect(
      refusal(
        pressed(0.4, () => 0.22),
        'light',
      ),
    ).toBeUndefined();
  });

  test('at the highest pressure accounts with few requests are refused as well, and a few of those with none', () => {
    const limits = pressed(4, () => 0.99);
    expect(refusal(limits, 'light')).toMatchObject({ kind: 'overloaded' });
    expect(refusal(limits, 'newcomer')).toBeUndefined();
    expect(
      refusal(
        pressed(4, () => 0.2),
        'newcomer',
      ),
    ).toMatchObject({ kind: 'overloaded' });
  });

  test('many accounts with one request each are shed like one account with many', () => {
    const pressure = { ...EASY };
    const limits = open({}, pressure, () => 0.49);
    for (let number = 0; number < 100; number++) fill(limits, `account ${number}`, 1);
    pressure.shed = 0.5;
    expect(refusal(limits, 'one more')).toMatchObject({ kind: 'overloaded' });
  });

  test('a minimum of requests runs under any pressure, and nothing new beyond it when memory is full', () => {
    const limits = open({}, { shed: 4, memoryFull: true }, () => 0);
    fill(limits, 'a', 15);
    expect(refusal(limits, 'a')).toBeUndefined();
    fill(limits, 'a', 1);
    expect(refusal(limits, 'b')).toMatchObject({ kind: 'overloaded' });
    expect(refusedFor(limits, 'memory')).toBe(1);
  });
});
