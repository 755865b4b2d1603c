import { expect, test } from 'vitest';
import type { AdminCalls } from './current.ts';
import { planAccount } from './plan.ts';

const NO_CALLS: AdminCalls = {
  call: () => Promise.reject(new Error('planning calls nothing')),
  list: () => Promise.reject(new Error('planning calls nothing')),
};

const planOf = (wanted: object, has: object) =>
  planAccount(
    {
      account: { id: 'acme', kind: 'prepaid', status: 'active', keys: [{ name: 'ci', rights: wanted }] },
      placeOf: () => 'accounts.yaml:7:9',
    },
    {
      name: 'acme',
      kind: 'prepaid',
      status: 'active',
      creditLimitUsd: '0',
      members: [],
      keys: [{ id: 'key_1', name: 'ci', memberId: null, parentId: null, prefix: 'sk-trivium-a', rights: { ...has } }],
      ownKey: undefined,
      budgets: [],
    },
    NO_CALLS,
  );

test.each([
  ['manages', {}, { manages: 'admin' }],
  ['tolerates', { strict: true }, { strict: true, tolerates: ['seed'] }],
])('rights.%s that a file leaves out is a problem: the gateway would keep it', (name, wanted, has) => {
  const { steps, problems } = planOf(wanted, has);
  expect(steps).toEqual([]);
  expect(problems.join()).toContain(`rights.${name} of key "ci" can only be narrowed`);
});

test('a lower role and an empty list of tolerated losses are changes', () => {
  expect(planOf({ manages: 'viewer' }, { manages: 'admin' })).toMatchObject({
    steps: [{ action: 'change' }],
    problems: [],
  });
  expect(planOf({ strict: true, tolerates: [] }, { strict: true, tolerates: ['seed'] })).toMatchObject({
    steps: [{ action: 'change' }],
    problems: [],
  });
});
