import { FACTORS, STRATEGIES } from '@trivium/protocol/canonical';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Fit, Room, RouteFacts } from '../../kernel/route.ts';
import type { PlanPreferences, RouteCandidate } from './candidate.ts';
import { planRoute } from './plan.ts';
import type { RouteObservation, RoutingSnapshot } from './snapshot.ts';
import { Turns } from './turns.ts';

const HOSTS = ['a', 'b', 'c', 'd'];

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const price = maybe(fc.bigInt({ min: 0n, max: 3n }));
const candidate: fc.Arbitrary<RouteCandidate> = fc.record({
  provider: fc.constantFrom(...HOSTS),
  routeKey: fc.constantFrom('1', '2', '3', '4', '5', '6'),
  route: fc.record({
    isMaker: fc.boolean(),
    picoUsd: price,
    promptPicoUsd: price,
    completionPicoUsd: price,
    cacheReadPicoUsd: price,
    contextLength: fc.nat(2),
    maxOutputTokens: fc.nat(2),
  }),
});
const groups = fc.array(fc.array(candidate, { maxLength: 5 }), { maxLength: 3 });
const preferences: fc.Arbitrary<PlanPreferences> = fc.record({
  strategy: maybe(fc.constantFrom(...STRATEGIES)),
  factor: maybe(fc.constantFrom(...FACTORS)),
  providers: maybe(fc.array(fc.constantFrom(...HOSTS), { minLength: 1, maxLength: 4 })),
  fallback: maybe(fc.constantFrom('true', 'false', ...HOSTS)),
});

/** A snapshot as data, so that it can be passed twice. */
type Known = {
  readonly turn: number;
  readonly draw: number;
  readonly seen: Readonly<Record<string, RouteObservation>>;
  readonly fits: Readonly<Record<string, Fit>> | undefined;
  readonly holder: string | undefined;
  readonly rooms: Readonly<Record<string, Room>> | undefined;
};
const key = fc.constantFrom('1', '2', '3', '4', '5', '6');
const known: fc.Arbitrary<Known> = fc.record({
  turn: fc.nat(100),
  draw: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  seen: fc.dictionary(
    key,
    fc.record({
      out: fc.boolean(),
      firstTokenMs: maybe(fc.double({ min: 0, max: 5000, noNaN: true })),
      waiting: fc.nat(3),
    }),
  ),
  fits: maybe(fc.dictionary(key, fc.constantFrom<Fit>('keeps', 'loses', 'cannot'))),
  holder: maybe(key),
  rooms: maybe(fc.dictionary(key, fc.constantFrom<Room>('fits', 'may-exceed', 'exceeds'))),
});
/** Every prompt fits everywhere. */
const roomy = known.map((now): Known => ({ ...now, rooms: undefined }));
const seenIn =
  ({ seen }: Known) =>
  ({ routeKey }: RouteCandidate): RouteObservation =>
    seen[routeKey] ?? { out: false, firstTokenMs: undefined, waiting: 0 };
const snapshotOf = (data: Known): RoutingSnapshot<RouteCandidate> => ({
  turn: data.turn,
  draw: data.draw,
  holder: data.holder,
  seenOf: seenIn(data),
  roomOf: data.rooms && (({ routeKey }) => data.rooms?.[routeKey] ?? 'fits'),
  fitOf: data.fits && (({ routeKey }) => data.fits?.[routeKey] ?? 'keeps'),
});
const CALM: Known = { turn: 0, draw: 0, seen: {}, fits: undefined, holder: undefined, rooms: undefined };
const at = (data: Partial<Known> = {}): RoutingSnapshot<RouteCandidate> => snapshotOf({ ...CALM, ...data });

const host = (provider: string, facts: Partial<RouteFacts> = {}): RouteCandidate => ({
  provider,
  routeKey: provider,
  route: {
    isMaker: false,
    picoUsd: undefined,
    promptPicoUsd: undefined,
    completionPicoUsd: undefined,
    cacheReadPicoUsd: undefined,
    contextLength: 1,
    maxOutputTokens: 1,
    ...facts,
  },
});
const hostsOf = (order: readonly RouteCandidate[]): string => order.map(({ provider }) => provider).join('');
const isAllowed =
  ({ providers }: PlanPreferences) =>
  ({ provider }: RouteCandidate): boolean =>
    providers === undefined || providers.includes(provider);

describe('every plan', () => {
  test('is empty only if no host is allowed, and contains no host outside the list', () => {
    fc.assert(
      fc.property(groups, preferences, known, (given, requested, now) => {
        const { order } = planRoute(given, requested, snapshotOf(now));
        expect(order.length > 0).toBe(given.flat().some(isAllowed(requested)));
        expect(order.every(isAllowed(requested))).toBe(true);
      }),
    );
  });
  test('accounts for every candidate once: in the order, or left out', () => {
    fc.assert(
      fc.property(groups, preferences, known, (given, requested, now) => {
        const { order, leftOut } = planRoute(given, requested, snapshotOf(now));
        const all = [...order, ...leftOut.map(({ candidate: one }) => one)];
        expect(all).toHaveLength(given.flat().length);
        expect(new Set(all)).toEqual(new Set(given.flat()));
        for (const { candidate: one, why } of leftOut)
          expect(why === 'not-among-providers').toBe(!isAllowed(requested)(one));
      }),
    );
  });
  test('without fallback has one target, with a named fallback only targets of that host after it', () => {
    fc.assert(
      fc.property(groups, preferences, known, (given, requested, now) => {
        const { order } = planRoute(given, requested, snapshotOf(now));
        const { fallback = 'true' } = requested;
        if (fallback === 'false') expect(order.length).toBeLessThanOrEqual(1);
        else if (fallback !== 'true') expect(order.slice(1).every(({ provider }) => provider === fallback)).toBe(true);
        // Whatever may follow, the first is the same.
        expect(order[0]).toBe(planRoute(given, { ...requested, fallback: 'true' }, snapshotOf(now)).order[0]);
      }),
    );
  });
  test('is the same for equal inputs, and changes none of them', () => {
    fc.assert(
      fc.property(groups, preferences, known, (given, requested, now) => {
        const before = structuredClone(given);
        const plan = planRoute(given, requested, snapshotOf(now));
        const again = snapshotOf(structuredClone(now));
        expect(planRoute(structuredClone(given), structuredClone(requested), again)).toEqual(plan);
        expect(given).toEqual(before);
      }),
    );
  });
  test('keeps to the order of the groups', () => {
    fc.assert(
      fc.property(groups, preferences, known, (given, requested, now) => {
        const { order } = planRoute(given, requested, snapshotOf({ ...now, fits: undefined, rooms: undefined }));
        const places = order.map((one) => given.findIndex((group) => group.includes(one)));
        expect(places).toEqual(places.toSorted((one, other) => one - other));
      }),
    );
  });
  test('contains no host that is out of service, unless no other is allowed', () => {
    fc.assert(
      fc.property(groups, preferences, roomy, (given, requested, now) => {
        const isOut = (one: RouteCandidate): boolean => seenIn(now)(one).out;
        const { order, leftOut } = planRoute(given, requested, snapshotOf(now));
        const allowed = given.flat().filter(isAllowed(requested));
        expect(order.some(isOut)).toBe(allowed.length > 0 && allowed.every(isOut));
        for (const { candidate: one, why } of leftOut) if (why === 'ejected') expect(isOut(one)).toBe(true);
      }),
    );
  });
  test('starts with a host that drops nothing, if a group has one in service', () => {
    fc.assert(
      fc.property(fc.array(candidate, { minLength: 1, maxLength: 5 }), preferences, roomy, (group, requested, now) => {
        const { seenOf, fitOf = () => 'keeps' } = snapshotOf(now);
        const open = group.filter(isAllowed(requested));
        const inService = open.every((one) => seenOf(one).out) ? open : open.filter((one) => !seenOf(one).out);
        const [first] = planRoute([group], requested, snapshotOf(now)).order;
        const fits = inService.map((one) => fitOf(one));
        if (first === undefined) expect(open).toEqual([]);
        else expect(fitOf(first)).toBe((['keeps', 'loses', 'cannot'] as const).find((fit) => fits.includes(fit)));
      }),
    );
  });
});

describe('the order within a group', () => {
  const three = [
    host('a', { picoUsd: 3n }),
    host('b', { isMaker: true }),
    host('c', { picoUsd: 1n, contextLength: 9 }),
  ];
  test.each<[string, PlanPreferences, string]>([
    ['no preference: as given', {}, 'abc'],
    ['priority without a list: as given', { strategy: 'priority' }, 'abc'],
    ['a list: as listed', { providers: ['c', 'a'] }, 'ca'],
    ['cost: the cheapest, the unpriced last', { factor: 'cost' }, 'cab'],
    ['quality: the maker, then the longest context', { factor: 'quality' }, 'bca'],
    ['a factor among the listed', { factor: 'cost', providers: ['a', 'c'] }, 'ca'],
    ['priority with list and factor: as listed', { strategy: 'priority', factor: 'cost', providers: ['a', 'c'] }, 'ac'],
    ['no fallback', { fallback: 'false' }, 'a'],
    ['a named fallback', { fallback: 'c' }, 'ac'],
  ])('%s', (_case, requested, expected) => {
    expect(hostsOf(planRoute([three], requested, at()).order)).toBe(expected);
  });

  test('round robin starts with the next host each turn; two formats of a host are one share', () => {
    const rounds = [host('a'), host('a'), host('b'), host('c')];
    const order = (turn: number): string =>
      hostsOf(planRoute([rounds], { strategy: 'round_robin' }, at({ turn })).order);
    expect([0, 1, 2, 3].map(order)).toEqual(['aabc', 'bcaa', 'caab', 'aabc']);
  });
});

describe('time to the first token', () => {
  const four = ['a', 'b', 'c', 'd'].map((provider) => host(provider));
  const seen = (times: Readonly<Record<string, number>>, waiting: Readonly<Record<string, number>> = {}) =>
    Object.fromEntries(
      [...new Set([...Object.keys(times), ...Object.keys(waiting)])].map((name) => [
        name,
        { out: false, firstTokenMs: times[name], waiting: waiting[name] ?? 0 },
      ]),
    );
  const order = (requested: PlanPreferences, data: Partial<Known>): string =>
    hostsOf(planRoute([four], requested, at(data)).order);

  test('speed sorts by it', () => {
    expect(order({ factor: 'speed' }, { seen: seen({ a: 40, b: 30, c: 10, d: 20 }) })).toBe('cdba');
  });
  test('a host that was never measured is tried first, but not by two requests at once', () => {
    expect(order({ factor: 'speed' }, { seen: seen({ a: 40, b: 30, d: 20 }) })).toBe('cdba');
    expect(order({ factor: 'speed' }, { seen: seen({ a: 40, b: 30, d: 20 }, { c: 1 }) })).toBe('dbac');
    expect(order({ strategy: 'least_latency' }, { seen: seen({ a: 40, b: 30, d: 20 }), draw: 0.9 })).toBe('cdba');
    expect(order({ strategy: 'least_latency' }, { seen: seen({ a: 40, b: 30, d: 20 }, { c: 1 }) })[0]).not.toBe('c');
  });
  test('least latency takes the better of two drawn at random: the slowest never, the quickest most', () => {
    const firsts: Record<string, number> = {};
    const draws = 1200;
    for (let draw = 0; draw < draws; draw++) {
      const [first = ''] = order(
        { strategy: 'least_latency' },
        { seen: seen({ a: 40, b: 30, c: 10, d: 20 }), draw: (draw + 0.5) / draws },
      );
      firsts[first] = (firsts[first] ?? 0) + 1;
    }
    expect(firsts).toEqual({ c: 600, d: 400, b: 200 });
  });
  test('of two hosts the faster one is chosen, until too many requests wait there', () => {
    const requested: PlanPreferences = { strategy: 'least_latency', providers: ['a', 'b'] };
    expect(order(requested, { seen: seen({ a: 10, b: 25 }) })).toBe('ab');
    expect(order(requested, { seen: seen({ a: 10, b: 25 }, { a: 1 }) })).toBe('ab');
    expect(order(requested, { seen: seen({ a: 10, b: 25 }, { a: 2 }) })).toBe('ba');
  });
  test('without a preference the first stays first, and of the others only clear differences count', () => {
    expect(order({}, { seen: seen({ a: 9000, b: 3000, c: 900, d: 1 }) })).toBe('adcb');
    expect(order({}, { seen: seen({ b: 240, c: 10, d: 100 }) })).toBe('abcd');
    expect(order({}, { seen: seen({ b: 700, c: 510 }) })).toBe('adbc');
  });
});

describe('what a host would lose', () => {
  const three = ['a', 'b', 'c'].map((provider) => host(provider));
  const plan = (fits: Readonly<Record<string, Fit>>) => planRoute([three], {}, at({ fits }));
  test('ranks it behind hosts that drop nothing', () => {
    expect(hostsOf(plan({ a: 'loses' }).order)).toBe('bca');
    expect(hostsOf(plan({ a: 'loses', b: 'loses' }).order)).toBe('cab');
    expect(hostsOf(plan({ a: 'loses', b: 'loses', c: 'loses' }).order)).toBe('abc');
  });
  test('a host that cannot serve the call is left out, unless none can', () => {
    expect(plan({ a: 'cannot', b: 'loses' }).leftOut).toEqual([{ candidate: three[0], why: 'cannot-carry' }]);
    expect(hostsOf(plan({ a: 'cannot', b: 'loses' }).order)).toBe('cb');
    expect(hostsOf(plan({ a: 'cannot', b: 'cannot', c: 'cannot' }).order)).toBe('abc');
  });
  test('no host is judged behind the first that drops nothing', () => {
    const judged: string[] = [];
    const fitOf = ({ provider }: RouteCandidate): Fit => {
      judged.push(provider);
      return provider === 'b' ? 'keeps' : 'loses';
    };
    planRoute([three, [host('d')]], {}, { ...at(), fitOf });
    expect(judged).toEqual(['a', 'b']);
    planRoute([[host('a')], [host('d')]], {}, { ...at(), fitOf });
    expect(judged).toEqual(['a', 'b', 'a']);
  });
});

describe('the host that holds the cache', () => {
  // Three parts prompt, one part answer: a cached prompt saves 3 × (10 − 1) = 27 at the holder.
  const cached = { promptPicoUsd: 10n, cacheReadPicoUsd: 1n, picoUsd: 40n };
  const two = (otherPicoUsd: bigint | undefined, holder: Partial<RouteFacts> = cached) => [
    host('a', { picoUsd: otherPicoUsd }),
    host('b', holder),
  ];
  const first = (requested: PlanPreferences, group: readonly RouteCandidate[]): string =>
    hostsOf(planRoute([group], requested, at({ holder: 'b' })).order)[0] ?? '';
  test('comes first unless another is cheaper by more than the cache saves', () => {
    expect(first({}, two(13n))).toBe('b');
    expect(first({}, two(12n))).toBe('a');
    expect(first({ factor: 'cost' }, two(13n))).toBe('b');
    expect(first({ factor: 'cost' }, two(12n))).toBe('a');
  });
  test('without prices the cache counts, but not against a preference for the lowest cost', () => {
    expect(first({}, two(undefined, {}))).toBe('b');
    expect(first({ factor: 'cost' }, two(13n, {}))).toBe('a');
  });
  test('a host without a price for cached prompts saves nothing', () => {
    expect(first({}, two(39n, { picoUsd: 40n, promptPicoUsd: 10n }))).toBe('a');
    expect(first({}, two(40n, { picoUsd: 40n, promptPicoUsd: 10n }))).toBe('b');
  });
  test.each<PlanPreferences>([
    { strategy: 'priority' },
    { strategy: 'round_robin' },
    { providers: ['a', 'b'] },
    { factor: 'quality' },
  ])('a listed order or another preference wins over the cache: %j', (requested) => {
    expect(first(requested, two(13n))).toBe('a');
  });
  test('a holder that is not among the hosts changes nothing', () => {
    expect(hostsOf(planRoute([two(13n)], {}, at({ holder: 'elsewhere' })).order)).toBe('ab');
  });
});

test('every set of hosts has its own turns, and their number is bounded', () => {
  const turns = new Turns();
  expect([turns.next('x'), turns.next('x'), turns.next('y'), turns.next('x')]).toEqual([0, 1, 0, 2]);
  expect([turns.peek('x'), turns.peek('x'), turns.peek('z')]).toEqual([3, 3, 0]);
  for (let set = 0; set < 5000; set++) turns.next(`set ${set}`);
  expect(turns.next('x')).toBe(0);
});

describe('contexts', () => {
  const models = [[host('a'), host('b')], [host('c')], [host('d')]];
  const planned = (rooms: Readonly<Record<string, Room>>, requested: PlanPreferences = {}, more: Partial<Known> = {}) =>
    planRoute(models, requested, at({ rooms, ...more }));
  test('a context that is too short is left out, one that may be too short comes last, behind other models', () => {
    const { order, leftOut } = planned({ a: 'may-exceed', b: 'exceeds' });
    expect(hostsOf(order)).toBe('cda');
    expect(leftOut.map(({ candidate: { provider }, why }) => [provider, why])).toEqual([['b', 'context-too-short']]);
  });
  test('take precedence over every preference, but never widen it', () => {
    for (const strategy of STRATEGIES) expect(hostsOf(planned({ a: 'exceeds' }, { strategy }).order)).toBe('bcd');
    expect(hostsOf(planned({ a: 'may-exceed' }, { providers: ['a', 'c'], strategy: 'priority' }).order)).toBe('ca');
    expect(hostsOf(planned({ a: 'exceeds' }, { providers: ['a'] }).order)).toBe('a');
  });
  test('if none is long enough by our estimate, all hosts stay in order', () => {
    expect(hostsOf(planned({ a: 'exceeds', b: 'exceeds', c: 'exceeds', d: 'exceeds' }).order)).toBe('abcd');
  });
});
