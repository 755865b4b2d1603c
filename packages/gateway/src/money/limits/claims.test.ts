import { expect, test } from 'vitest';
import type { Caller, RateRule } from '../../kernel/caller.ts';
import { claimsOf } from './claims.ts';
import type { RateRules } from './rules.ts';

const NONE = { each: {}, own: {} };
const rulesOf = (rules: Partial<RateRules>): RateRules => ({
  key: NONE,
  account: NONE,
  model: NONE,
  processes: 1,
  ...rules,
});
const callerWith = (rates?: RateRule): Caller => ({
  keyId: 'key',
  accountId: 'account',
  strict: false,
  mayUse: () => true,
  ...(rates !== undefined && { rates }),
});
const shown = (caller: Caller, modelId: string, rules: RateRules): readonly string[] =>
  claimsOf(caller, { modelId, tokens: 7, nanoUsd: 5 }, rules).map(
    ({ name, limit, units }) => `${name} ${units}/${limit}`,
  );

test('a request claims from the limits of its key, its account and its model, in this order', () => {
  const rules = rulesOf({
    key: { each: { inFlight: 2, tokensPerMinute: 100 }, own: {} },
    account: { each: { usdPerMinute: 1 }, own: {} },
    model: { each: {}, own: { m: { requestsPerMinute: 60, burst: 3 } } },
  });
  expect(shown(callerWith(), 'm', rules)).toEqual([
    'key:at-once:key 1/2',
    'key:tokens:key 7/100',
    'account:nanoUsd:account 5/1000000000',
    'model:requests:m 1/60',
  ]);
  expect(claimsOf(callerWith(), { modelId: 'm', tokens: 1, nanoUsd: 1 }, rules).at(-1)?.burst).toBe(3);
});

test('limits that are remembered are those of this caller, this model and these rules', () => {
  const rules = rulesOf({ key: { each: { requestsPerMinute: 10 }, own: {} } });
  const [one, other] = [callerWith(), callerWith({ requestsPerMinute: 20 })];
  const twice = (modelId: string, given: RateRules) => [one, one, other].map((each) => shown(each, modelId, given));
  const [ten, twenty] = [['key:requests:key 1/10'], ['key:requests:key 1/20']];
  expect(twice('m', rules)).toEqual([ten, ten, twenty]);
  const later = rulesOf({ model: { each: {}, own: { m: { requestsPerMinute: 5 } } } });
  const five = ['model:requests:m 1/5'];
  expect(twice('m', later)).toEqual([five, five, [...twenty, ...five]]);
  expect(twice('n', later)).toEqual([[], [], twenty]);
  expect(twice('m', rules)).toEqual([ten, ten, twenty]);
});
