import { describe, expect, test } from 'vitest';
import { type Me, mayChangeKey, type Role, rolesToGive } from './session.ts';

const signedIn = (role: Role, rest: Partial<Me> = {}): Me => ({
  actor: 'member:m1',
  role,
  accountId: 'a',
  memberId: 'm1',
  name: null,
  gateway: { url: 'http://127.0.0.1:8080', isConfigured: false },
  openAlerts: 0,
  csrf: null,
  keys: null,
  session: null,
  ...rest,
});

test.each([
  ['viewer', ['viewer']],
  ['admin', ['viewer', 'developer', 'admin']],
  ['owner', ['viewer', 'developer', 'admin', 'owner']],
  ['operator', ['viewer', 'developer', 'admin', 'owner']],
] as const)('%s may give roles up to that one', (role, roles) => {
  expect(rolesToGive(signedIn(role))).toEqual(roles);
});

describe('who may change a key', () => {
  const key = (rest: object) =>
    ({ memberId: null, parentId: null, rights: {}, ...rest }) as Parameters<typeof mayChangeKey>[1];
  const mayChange = (me: Me, rest: object): boolean => mayChangeKey(me, key(rest));

  test('developers only their own', () => {
    expect(mayChange(signedIn('developer'), { memberId: 'm1' })).toBe(true);
    expect(mayChange(signedIn('developer'), { memberId: 'm2' })).toBe(false);
    expect(mayChange(signedIn('developer'), {})).toBe(false);
  });
  test('a key without a member, those it made', () => {
    const me = signedIn('developer', { actor: 'key:k1', memberId: null });
    expect(mayChange(me, { parentId: 'k1' })).toBe(true);
    expect(mayChange(me, { parentId: 'k2' })).toBe(false);
    expect(mayChange(me, {})).toBe(false);
  });
  test('admins those of others, but none with a role above their own', () => {
    expect(mayChange(signedIn('admin'), { memberId: 'm2', rights: { manages: 'admin' } })).toBe(true);
    expect(mayChange(signedIn('admin'), { memberId: 'm1', rights: { manages: 'owner' } })).toBe(false);
    expect(mayChange(signedIn('operator'), { rights: { manages: 'owner' } })).toBe(true);
  });
  test('viewers none', () => {
    expect(mayChange(signedIn('viewer'), { memberId: 'm1' })).toBe(false);
  });
});
