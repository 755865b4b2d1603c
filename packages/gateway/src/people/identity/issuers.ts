/** The issuers of tokens that operators trust. */
import type { Rights, Role } from '../accounts/rights.ts';

/** Members sign in with it. */
export interface SignInIssuer {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The resolved secret. Never log it. */
  readonly clientSecret?: string;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
  /** How a refresh token is asked for, by which people who signed in from programs are proven again. */
  readonly offline: { readonly scope: string; readonly parameters: Readonly<Record<string, string>> };
  readonly grants: readonly { readonly group?: string; readonly role: Role | 'operator'; readonly account?: string }[];
}

/** Programs call with its tokens. */
export interface CallerIssuer {
  readonly id: string;
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl?: string;
  readonly algorithms: readonly string[];
  readonly requires: Readonly<Record<string, readonly string[]>>;
  readonly account?: string;
  readonly accountClaim?: string;
  readonly member: boolean;
  readonly rights?: Rights;
}
