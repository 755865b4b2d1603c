/**
 * What a person's groups give: role, account, limits of keys, and tags of calls. The first grant that matches decides, so a
 * list of groups that cannot be read as a whole gives nothing: the group that it hides may be the one that gives less.
 */
import { MAX_TAG_VALUE, OTHER_VALUE, type Tags } from '../../kernel/tags.ts';
import type { MemberRights, Role } from '../accounts/rights.ts';
import type { SignInIssuer } from './issuers.ts';

export type MemberGrant = {
  readonly role: Role;
  readonly account: string;
  readonly rights?: MemberRights;
  readonly tags?: Tags;
};
export type Granted = { readonly role: 'operator' } | MemberGrant;

type Claims = Readonly<Record<string, unknown>>;

/** Directories have people in a thousand groups, and none in ten thousand. */
const MAX_GROUPS = 2000;

/** Some issuers send a single group as a string. Without the claim: undefined. */
export function groupsIn(claims: Claims, claim: string): readonly string[] | 'unreadable' | undefined {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  // Entra names another place, where more groups are than it puts into a token.
  const elsewhere = claims['_claim_names'];
  if (value === undefined || value === null)
    return typeof elsewhere === 'object' && elsewhere !== null && claim in elsewhere ? 'unreadable' : undefined;
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value) || value.length > MAX_GROUPS) return 'unreadable';
  return value.every((one) => typeof one === 'string') ? value : 'unreadable';
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they would end up in reports.
const CONTROL = /[\u0000-\u001f\u007f]+/g;

/** Undefined for a claim that is empty, or is no single text: the tag is then as the caller sends it. */
function tagIn(value: unknown): string | undefined {
  const [one, ...more] = [value].flat();
  if (more.length > 0 || (typeof one !== 'string' && typeof one !== 'number')) return undefined;
  const text = String(one).replaceAll(CONTROL, ' ').trim();
  return text.length > MAX_TAG_VALUE ? OTHER_VALUE : text || undefined;
}

/** Undefined: none of the groups is granted anything. */
export function grantedTo(
  claims: Claims,
  { groupsClaim, grants }: Pick<SignInIssuer, 'groupsClaim' | 'grants'>,
): Granted | 'unreadable' | undefined {
  const groups = groupsIn(claims, groupsClaim);
  if (groups === 'unreadable') return groups;
  const own = new Set(groups);
  const found = grants.find(({ group }) => group === undefined || own.has(group));
  if (found === undefined) return undefined;
  const { role, account, rights, tags = {} } = found;
  if (role === 'operator') return { role };
  if (account === undefined) return undefined;
  const values = Object.entries(tags).flatMap(([key, { claim, value }]) => {
    const text = value ?? tagIn(claims[claim ?? '']);
    return text === undefined ? [] : [[key, text] as const];
  });
  return {
    role,
    account,
    ...(rights !== undefined && { rights }),
    ...(values.length > 0 && { tags: Object.fromEntries(values) }),
  };
}

/** The same for calls of programs, which are made for an account: what operators have without one does not count. */
export const membershipOf = (claims: Claims, { groupsClaim, grants }: Pick<SignInIssuer, 'groupsClaim' | 'grants'>) =>
  grantedTo(claims, { groupsClaim, grants: grants.filter(({ role }) => role !== 'operator') }) as
    | MemberGrant
    | 'unreadable'
    | undefined;
