/** The issuers of tokens that operators trust. */
import type { MemberRights, Rights, Role } from '../accounts/rights.ts';

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
  /** The claim that a directory has as `externalId`. */
  readonly externalIdClaim: string;
  readonly grants: readonly {
    readonly group?: string;
    readonly role: Role | 'operator';
    readonly account?: string;
    readonly rights?: MemberRights;
    readonly tags?: Readonly<Record<string, { readonly claim?: string; readonly value?: string }>>;
  }[];
}

/** Manages the members of one account that sign in with one issuer (SCIM). */
export interface UserDirectory {
  readonly id: string;
  /** The issuer as its tokens name it. */
  readonly issuer: string;
  readonly account: string;
  /** SHA-256 of its bearer token, in hex. */
  readonly tokenHash: string;
}

/** Tokens for SCIM have a form of their own, so that no key is ever one. */
export const SCIM_TOKEN = /^scim-trivium-[A-Za-z0-9_-]{32,400}$/;

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
