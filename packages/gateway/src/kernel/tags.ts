// Tags that an account has declared: dimensions of its usage sums and budgets.

import type { Caller } from './caller.ts';

/** Maximum characters of a value. */
export const MAX_TAG_VALUE = 100;
/** Replaces values that are too long, and in sums the values beyond the maximum number. */
export const OTHER_VALUE = 'other';

export type DeclaredTag = { readonly key: string; readonly required: boolean };

/** By tag; declared tags that a request does not have are empty. */
export type Tags = Readonly<Record<string, string>>;

/** Undefined for an account that has declared none. */
export type DeclaredTags = (accountId: string) => readonly DeclaredTag[] | undefined;

/** Budget scopes of a request besides that of the account. */
export function callerScopes(
  { keyId, memberId }: Pick<Caller, 'keyId' | 'memberId'>,
  tags: Tags | undefined,
): string[] {
  const scopes = memberId === undefined ? [`key:${keyId}`] : [`key:${keyId}`, `member:${memberId}`];
  for (const key in tags) if (tags[key] !== '') scopes.push(tagScope(key, tags[key]!));
  return scopes;
}

const tagScope = (key: string, value: string): string => `tag:${key}=${value}`;
