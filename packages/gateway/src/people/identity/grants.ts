/** Maps a person's groups to a role: the first matching grant decides. */
import type { Role } from '../accounts/rights.ts';
import type { SignInIssuer } from './issuers.ts';

export type Granted = { readonly role: 'operator' } | { readonly role: Role; readonly account: string };

/** Some issuers send a single group as a string. */
export const groupsIn = (claims: Readonly<Record<string, unknown>>, claim: string): readonly string[] | undefined => {
  const value = claims[claim];
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined;
};

export function grantedTo(groups: readonly string[], grants: SignInIssuer['grants']): Granted | undefined {
  const found = grants.find(({ group }) => group === undefined || groups.includes(group));
  if (found === undefined) return undefined;
  const { role, account } = found;
  if (role === 'operator') return { role };
  return account === undefined ? undefined : { role, account };
}
