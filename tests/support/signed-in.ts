/** Callers with the token of a sign-in, without the sign-in: found by secret in every gateway of this process. */
import { vi } from 'vitest';
import type { Caller } from '../../packages/gateway/src/kernel/caller.ts';
import { callerOf } from '../../packages/gateway/src/people/accounts/caller.ts';
import { KnownKeys } from '../../packages/gateway/src/people/accounts/known-keys.ts';
import type { Rights } from '../../packages/gateway/src/people/accounts/rights.ts';

export type SignedIn = {
  readonly account: string;
  readonly groups?: readonly string[];
  readonly client?: NonNullable<Caller['grant']>['client'];
  readonly member?: string;
  readonly rights?: Rights;
};

/** Before the first gateway is started. The given function takes in another person, and returns the token. */
export function signInsFor(): (person: SignedIn) => string {
  const people = new Map<string, Caller>();
  const { behind } = KnownKeys.prototype;
  vi.spyOn(KnownKeys.prototype, 'behind').mockImplementation(function (this: KnownKeys, fixed) {
    const found = behind.call(this, fixed);
    return { find: (secret) => people.get(secret) ?? found.find(secret) };
  });
  return ({ account, groups = [], client = 'claude-code', member, rights = {} }) => {
    const id = `g${people.size + 1}`;
    const token = `sk-trivium-at-${id}-of-the-tests`;
    people.set(token, callerOf(`grant:${id}`, account, rights, member, undefined, { id, client, groups }));
    return token;
  };
}
