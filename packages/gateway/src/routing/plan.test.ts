import { FACTORS, STRATEGIES } from '@trivium/protocol/canonical';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Candidate, type PlanWishes, planRoute } from './plan.ts';
import { Turns } from './turns.ts';

const HOSTS = ['a', 'b', 'c', 'd'];

const candidate: fc.Arbitrary<Candidate> = fc.record({
  provider: fc.constantFrom(...HOSTS),
  route: fc.record({
    isMaker: fc.boolean(),
    picoUsd: fc.option(fc.bigInt({ min: 0n, max: 3n }), { nil: undefined }),
    contextLength: fc.nat(2),
    maxOutputTokens: fc.nat(2),
  }),
});
const groups = fc.array(fc.array(candidate, { maxLength: 5 }), { maxLength: 3 });
const maybe = <T>(wish: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(wish, { nil: undefined });
const wishes: fc.Arbitrary<PlanWishes> = fc.record({
  strategy: maybe(fc.constantFrom(...STRATEGIES)),
  factor: maybe(fc.constantFrom(...FACTORS)),
  providers: maybe(fc.array(fc.constantFrom(...HOSTS), { minLength: 1, maxLength: 4 })),
  fallback: maybe(fc.constantFrom('true', 'false', ...HOSTS)),
});
const turn = fc.nat(100);

const host = (provider: string, picoUsd?: bigint, isMaker = false, contextLength = 1): Candidate => ({
  provider,
  route: { isMaker, picoUsd, contextLength, maxOutputTokens: 1 },
});
const hostsOf = (order: readonly Candidate[]): string => order.map(({ provider }) => provider).join('');
const isAllowed =
  ({ providers }: PlanWishes) =>
  ({ provider }: Candidate): boolean =>
    providers === undefined || providers.includes(provider);

describe('every plan', () => {
  test('is empty only where nobody is allowed, and holds nobody outside the list', () => {
    fc.assert(
      fc.property(groups, wishes, turn, (given, wished, now) => {
        const { order } = planRoute(given, wished, now);
        expect(order.length > 0).toBe(given.flat().some(isAllowed(wished)));
        expect(order.every(isAllowed(wished))).toBe(true);
      }),
    );
  });
  test('accounts for every candidate once: in the order, or left out', () => {
    fc.assert(
      fc.property(groups, wishes, turn, (given, wished, now) => {
        const { order, leftOut } = planRoute(given, wished, now);
        const all = [...order, ...leftOut.map(({ candidate: one }) => one)];
        expect(all).toHaveLength(given.flat().length);
        expect(new Set(all)).toEqual(new Set(given.flat()));
        for (const { candidate: one, why } of leftOut)
          expect(why === 'not-among-providers').toBe(!isAllowed(wished)(one));
      }),
    );
  });
  test('without fallback has one step, with a named one only steps of that host after it', () => {
    fc.assert(
      fc.property(groups, wishes, turn, (given, wished, now) => {
        const { order } = planRoute(given, wished, now);
        const { fallback = 'true' } = wished;
        if (fallback === 'false') expect(order.length).toBeLessThanOrEqual(1);
        else if (fallback !== 'true') expect(order.slice(1).every(({ provider }) => provider === fallback)).toBe(true);
        // Whatever may follow, the first is the same.
        expect(order[0]).toBe(planRoute(given, { ...wished, fallback: 'true' }, now).order[0]);
      }),
    );
  });
  test('is the same for equal inputs, and changes none of them', () => {
    fc.assert(
      fc.property(groups, wishes, turn, (given, wished, now) => {
        const before = structuredClone(given);
        const plan = planRoute(given, wished, now);
        expect(planRoute(structuredClone(given), structuredClone(wished), now)).toEqual(plan);
        expect(given).toEqual(before);
      }),
    );
  });
  test('keeps to the order of the groups', () => {
    fc.assert(
      fc.property(groups, wishes, turn, (given, wished, now) => {
        const { order } = planRoute(given, wished, now);
        const places = order.map((one) => given.findIndex((group) => group.includes(one)));
        expect(places).toEqual(places.toSorted((one, other) => one - other));
      }),
    );
  });
});

describe('the order within a group', () => {
  const three = [host('a', 3n), host('b', undefined, true), host('c', 1n, false, 9)];
  test.each<[string, PlanWishes, string]>([
    ['no wish: as given', {}, 'abc'],
    ['priority without a list: as given', { strategy: 'priority' }, 'abc'],
    ['a list: as listed', { providers: ['c', 'a'] }, 'ca'],
    ['cost: the cheapest, the unpriced last', { factor: 'cost' }, 'cab'],
    ['quality: the maker, then the longest context', { factor: 'quality' }, 'bca'],
    ['a factor among the listed', { factor: 'cost', providers: ['a', 'c'] }, 'ca'],
    ['priority with list and factor: as listed', { strategy: 'priority', factor: 'cost', providers: ['a', 'c'] }, 'ac'],
    ['no fallback', { fallback: 'false' }, 'a'],
    ['a named fallback', { fallback: 'c' }, 'ac'],
  ])('%s', (_case, wished, expected) => {
    expect(hostsOf(planRoute([three], wished, 0).order)).toBe(expected);
  });

  test('round robin begins with the next host each turn; two formats of a host are one share', () => {
    const rounds = [host('a'), host('a'), host('b'), host('c')];
    const order = (now: number): string => hostsOf(planRoute([rounds], { strategy: 'round_robin' }, now).order);
    expect([0, 1, 2, 3].map(order)).toEqual(['aabc', 'bcaa', 'caab', 'aabc']);
  });
});

test('every set of hosts has turns of its own, and their number is bounded', () => {
  const turns = new Turns();
  expect([turns.next('x'), turns.next('x'), turns.next('y'), turns.next('x')]).toEqual([0, 1, 0, 2]);
  for (let set = 0; set < 5000; set++) turns.next(`set ${set}`);
  expect(turns.next('x')).toBe(0);
});

describe('hosts that are out of service', () => {
  const outs = fc.array(fc.constantFrom(...HOSTS), { maxLength: 4 });
  test('are in no plan, unless nobody else may be asked', () => {
    fc.assert(
      fc.property(groups, wishes, turn, outs, (given, wished, now, out) => {
        const observedOf = ({ provider }: Candidate) => ({ out: out.includes(provider), firstTokenMs: undefined });
        const { order, leftOut } = planRoute(given, wished, now, observedOf);
        const allowed = given.flat().filter(isAllowed(wished));
        const anybodyIn = allowed.some((one) => !observedOf(one).out);
        expect(order.length > 0).toBe(allowed.length > 0);
        expect(order.some((one) => observedOf(one).out)).toBe(!anybodyIn && allowed.length > 0);
        expect(order.length + leftOut.length).toBe(given.flat().length);
        for (const { candidate: one, why } of leftOut) if (why === 'ejected') expect(observedOf(one).out).toBe(true);
      }),
    );
  });
});
