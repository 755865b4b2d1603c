// Tags an account has declared: by these its usage is summed up and its budgets may go.

import type { Caller } from '../accounts/caller.ts';

/** Characters of a value. */
export const MAX_TAG_VALUE = 100;
/** In place of a value that is too long, and in sums of those beyond the number that is kept apart. */
export const OTHER_VALUE = 'other';

export type DeclaredTag = { readonly key: string; readonly required: boolean };

/** By tag; declared ones that a request does not have are empty. */
export type Tags = Readonly<Record<string, string>>;

/** Undefined for an account that has declared none. */
export type DeclaredTags = (accountId: string) => readonly DeclaredTag[] | undefined;

/** Scopes of budgets beside that of the account. */
export function callerScopes(
  { keyId, memberId }: Pick<Caller, 'keyId' | 'memberId'>,
  tags: Tags | undefined,
): string[] {
  const scopes = memberId === undefined ? [`key:${keyId}`] : [`key:${keyId}`, `member:${memberId}`];
  for (const key in tags) if (tags[key] !== '') scopes.push(tagScope(key, tags[key]!));
  return scopes;
}

const tagScope = (key: string, value: string): string => `tag:${key}=${value}`;
