import { describe, expect, test } from 'vitest';
import type { Caller } from '../../kernel/caller.ts';
import type { RouteFacts } from '../../kernel/route.ts';
import { planRoute } from '../routing/plan.ts';
import { compilePolicies } from './compile.ts';
import type { Policy } from './contract.ts';
import { type PolicyQuestion, PolicySet } from './policy-set.ts';

const caller = (accountId = 'acme', keyId = 'ci'): Caller => ({
  accountId,
  keyId,
  strict: false,
  mayUse: () => true,
});
const QUESTION: PolicyQuestion = { asked: 'a/b', modelId: 'a/b', protocol: 'chat', operation: 'text' };
const PARENTS: Readonly<Record<string, string>> = { team: 'acme', squad: 'team' };

const setOf = (...policies: readonly Policy[]): PolicySet => {
  const { compiled, problems } = compilePolicies(policies);
  expect(problems).toEqual([]);
  return new PolicySet(compiled, (account) => PARENTS[account]);
};
const problemsOf = (...policies: readonly Policy[]) => compilePolicies(policies).problems;
const regionOf = (
  set: PolicySet,
  who = caller(),
  question: Partial<PolicyQuestion> = {},
  tags?: Record<string, string>,
) =>
  set.of(who, tags, { ...QUESTION, ...question })?.said.region?.map(({ value, policy }) => `${policy}:${value.join()}`);

describe('the most specific policy wins, member by member', () => {
  const set = setOf(
    { name: 'all', region: ['eu'], retention: 30, strategy: 'cost' },
    { name: 'acme', scope: { account: 'acme' }, region: ['us'] },
    { name: 'team', scope: { account: 'team' }, region: ['uk'] },
    { name: 'ci', scope: { account: 'team', key: 'ci' }, region: ['ch'] },
    { name: 'models', scope: { account: 'acme' }, match: { models: ['x/*'] }, region: ['jp'] },
    { name: 'model', scope: { account: 'acme' }, match: { models: ['x/y'] }, region: ['in'] },
    { name: 'images', scope: { account: 'acme' }, match: { models: ['x/y'], operations: ['image'] }, region: ['br'] },
    { name: 'free', scope: { account: 'free' }, region: null },
  );

  test.each<[string, Caller, Partial<PolicyQuestion>, string[] | undefined]>([
    ['of the gateway', caller('other'), {}, ['all:eu']],
    ['of the account', caller(), {}, ['acme:us']],
    ['of the nearest account above', caller('squad', 'x'), {}, ['team:uk']],
    ['of the key', caller('team'), {}, ['ci:ch']],
    ['not of a key with this id in an account below', caller('squad'), {}, ['team:uk']],
    ['by prefix', caller(), { asked: 'x/z', modelId: 'x/z' }, ['models:jp']],
    ['by name', caller(), { asked: 'x/y', modelId: 'x/y' }, ['model:in']],
    ['by operation', caller(), { asked: 'x/y', modelId: 'x/y', operation: 'image' }, ['images:br']],
    ['lifted', caller('free'), {}, undefined],
  ])('%s', (_case, who, question, expected) => {
    expect(regionOf(set, who, question)).toEqual(expected);
    expect(set.of(who, undefined, { ...QUESTION, ...question })?.said.retention?.[0]?.policy).toBe('all');
  });

  test('equal questions get the same object', () => {
    expect(set.of(caller(), undefined, QUESTION)).toBe(set.of(caller(), undefined, { ...QUESTION }));
  });
});

describe('what callers choose narrows', () => {
  const set = setOf(
    { name: 'all', region: ['eu', 'us'], strategy: 'cost' },
    { name: 'tagged', scope: { tag: 'team=search' }, region: ['us', 'jp'], strategy: 'speed' },
    { name: 'lifts', scope: { tag: 'team=free' }, region: null },
    { name: 'alias', match: { models: ['fast'] }, region: null, strategy: 'quality' },
  );

  test('a tag adds its limits to those of others, and cannot lift them', () => {
    expect(regionOf(set, caller(), {}, { team: 'search' })).toEqual(['all:eu,us', 'tagged:us,jp']);
    expect(regionOf(set, caller(), {}, { team: 'free' })).toEqual(['all:eu,us']);
  });

  test('an alias cannot lift what holds for its model', () => {
    expect(regionOf(set, caller(), { asked: 'fast' })).toEqual(['all:eu,us']);
    expect(set.of(caller(), undefined, { ...QUESTION, asked: 'fast' })?.said.strategy?.policy).toBe('alias');
  });
});

describe('contradictions', () => {
  test.each<[string, readonly Policy[]]>([
    [
      'of one scope',
      [
        { name: 'a', strict: true },
        { name: 'b', strict: false },
      ],
    ],
    [
      'of one name among several',
      [
        { name: 'a', match: { models: ['x', 'y'] }, order: ['p'] },
        { name: 'b', match: { models: ['y', 'z'] }, order: ['q'] },
      ],
    ],
    [
      'of two tags of one request',
      [
        { name: 'a', scope: { tag: 'team=x' }, strategy: 'cost' },
        { name: 'b', scope: { tag: 'project=y' }, strategy: 'speed' },
      ],
    ],
  ])('%s name both', (_case, policies) => {
    expect(problemsOf(...policies)).toMatchObject([{ policy: 'b', other: 'a' }]);
  });

  test.each<[string, readonly Policy[]]>([
    [
      'the same value',
      [
        { name: 'a', only: ['p'] },
        { name: 'b', only: ['p'] },
      ],
    ],
    [
      'other members',
      [
        { name: 'a', only: ['p'] },
        { name: 'b', ignore: ['q'] },
      ],
    ],
    [
      'another length of prefix',
      [
        { name: 'a', match: { models: ['x*'] }, order: ['p'] },
        { name: 'b', order: ['q'] },
      ],
    ],
    [
      'two values of one tag',
      [
        { name: 'a', scope: { tag: 'team=x' }, strategy: 'cost' },
        { name: 'b', scope: { tag: 'team=y' }, strategy: 'speed' },
      ],
    ],
    [
      'limits of two tags, which hold together',
      [
        { name: 'a', scope: { tag: 'team=x' }, region: ['eu'] },
        { name: 'b', scope: { tag: 'project=y' }, region: ['us'] },
      ],
    ],
  ])('%s is none', (_case, policies) => expect(problemsOf(...policies)).toEqual([]));
});

test('[B-11] fallbacks are never used for embeddings', () => {
  const set = setOf({ name: 'all', fallbacks: [{ model: 'c/d' }] });
  expect(set.of(caller(), undefined, { ...QUESTION, operation: 'embed' })).toBeUndefined();
  expect(set.of(caller(), undefined, QUESTION)?.said.fallbacks?.value).toEqual([{ model: 'c/d' }]);
});

/** mulberry32: small, and the same everywhere. */
const seeded = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
};

test('over 100,000 plans weights of 70, 20 and 10 are kept within one percentage point', () => {
  const PLANS = 100_000;
  const random = seeded(31);
  const { weights } = setOf({ name: 'w', weights: { a: 70, b: 20, 'c#1': 4, 'c#2': 6 } }).of(
    caller(),
    undefined,
    QUESTION,
  )!;
  const group = ['c', 'a', 'd', 'b'].map((provider) => ({ provider, routeKey: provider, route: {} as RouteFacts }));
  const firsts: Record<string, number> = {};
  const seenOf = () => ({ out: false, firstTokenMs: undefined, waiting: 0 });
  for (let plan = 0; plan < PLANS; plan++) {
    const { order } = planRoute([group], { weights: weights!.byHost }, { turn: 0, draw: random(), seenOf });
    expect(order.length).toBe(4);
    const first = order[0]!.provider;
    firsts[first] = (firsts[first] ?? 0) + 1;
  }
  expect(firsts['d']).toBeUndefined();
  for (const [host, percent] of Object.entries({ a: 70, b: 20, c: 10 }))
    expect(Math.abs((firsts[host]! / PLANS) * 100 - percent), host).toBeLessThan(1);
});
