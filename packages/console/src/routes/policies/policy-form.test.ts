import { expect, test } from 'vitest';
import { EMPTY_FORM, formOf, isComplete, policyOf } from './policy-form.ts';
import type { Policy } from './words.ts';

const FULL: Policy = {
  name: 'shares',
  scope: { account: 'acme', key: 'key_1' },
  match: { models: ['openai/*', 'fast'], protocols: ['chat'], operations: ['text', 'embed'] },
  only: ['azure', 'openai'],
  ignore: ['groq'],
  region: ['eu'],
  retention: 0,
  trains: false,
  maxPrice: { promptUsdPerMillion: 2.5 },
  strict: true,
  strategy: 'least_latency',
  order: ['azure'],
  weights: { azure: 70, 'openai#2': 30.5 },
  sticky: true,
  canary: {
    model: 'openai/gpt-6',
    percent: 2.5,
    stepBack: { errorPercent: 10, firstTokenP95Ms: 1500, usdPerRequest: 0.02, windowSeconds: 60, leastCalls: 20 },
  },
  fallbacks: [{ model: 'google/gemini-3.5-flash' }, { model: 'local/filterless', on: ['content-filter'] }],
  timeouts: { firstByteMs: 1500, totalMs: 60_000 },
};

const LIFTING: Policy = {
  name: 'free',
  scope: { tag: 'team=search' },
  only: null,
  fallbacks: null,
  maxPrice: null,
  retention: null,
  trains: true,
  strict: false,
  sticky: false,
  canary: null,
};

test('a policy that is opened and saved says the same as before', () => {
  for (const policy of [FULL, LIFTING, { name: 'empty' }]) expect(policyOf(formOf(policy))).toEqual(policy);
});

test('members that the form has no fields for are kept', () => {
  const policy = { name: 'later', mirror: { share: 5 } } as unknown as Policy;
  expect(policyOf({ ...formOf(policy), only: 'azure' })).toEqual({ ...policy, only: ['azure'] });
});

test('a member that is lifted has no value, whatever is typed', () =>
  expect(policyOf({ ...EMPTY_FORM, name: 'a', only: 'azure', isStrict: true, lifted: ['only', 'strict'] })).toEqual({
    name: 'a',
    only: null,
    strict: false,
  }));

test('a scope takes only what belongs to it', () => {
  const form = { ...EMPTY_FORM, name: 'a', account: 'acme', key: 'key_1', tag: 'team=search' };
  expect(policyOf(form)).toEqual({ name: 'a' });
  expect(policyOf({ ...form, scope: 'account' }).scope).toEqual({ account: 'acme' });
  expect(policyOf({ ...form, scope: 'key' }).scope).toEqual({ account: 'acme', key: 'key_1' });
  expect(policyOf({ ...form, scope: 'tag' }).scope).toEqual({ account: 'acme', tag: 'team=search' });
});

test('spaces around the numbers of shares do not matter', () =>
  expect(policyOf({ ...EMPTY_FORM, name: 'a', weights: ' azure = 70 ,openai=30' }).weights).toEqual({
    azure: 70,
    openai: 30,
  }));

test('a form without a name, a chosen account or the model of a fallback is not sent', () => {
  const form = { ...EMPTY_FORM, name: 'a' };
  expect(isComplete(form)).toBe(true);
  expect(isComplete(EMPTY_FORM)).toBe(false);
  expect(isComplete({ ...form, canaryKind: 'host', canaryTarget: 'azure' })).toBe(false);
  expect(isComplete({ ...form, canaryKind: 'host', canaryTarget: 'azure', canaryPercent: '5' })).toBe(true);
  expect(isComplete({ ...form, scope: 'account' })).toBe(false);
  expect(isComplete({ ...form, scope: 'key', account: 'acme' })).toBe(false);
  expect(isComplete({ ...form, scope: 'tag' })).toBe(false);
  expect(isComplete({ ...form, fallbacks: [{ at: 0, model: ' ', on: ['error'] }] })).toBe(false);
  expect(isComplete({ ...form, fallbacks: [{ at: 0, model: 'x', on: [] }] })).toBe(false);
});
