// Sessions of people signed in at the admin listener: their data, their ids and their store.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { MemberRights, Role } from './rights.ts';

const HOUR_MS = 3_600_000;
export const SESSION_IDLE_MS = 12 * HOUR_MS;
export const SESSION_MAX_MS = 7 * 24 * HOUR_MS;
export const SIGN_IN_CODE_MS = 10 * 60_000;

const ID_BYTES = 32;

/** For the cookie; only its hash is stored. */
export const newSessionId = (): string => randomBytes(ID_BYTES).toString('base64url');

/** Derived, so that it need not be stored: only a page that got it from the API can send it. */
export const csrfOf = (sessionId: string): string => createHmac('sha256', sessionId).update('csrf').digest('base64url');

export const isCsrfOf = (sessionId: string, presented: string): boolean => {
  const [expected, given] = [Buffer.from(csrfOf(sessionId)), Buffer.from(presented)];
  return expected.length === given.length && timingSafeEqual(expected, given);
};

export type SignInMethod = 'secret' | 'key' | 'code' | 'oidc';

export type MemberName = { readonly accountId: string; readonly memberId: string };

/** Whose session it is at the identity provider that signed it in. */
type ForeignSession = { readonly issuer: string; readonly subject: string; readonly sid?: string };

/** `credential`: SHA-256 of the secret or key that opened the session, which ends with it. */
export type SessionSubject =
  | { readonly kind: 'operator'; readonly credential?: string; readonly foreign?: ForeignSession }
  | { readonly kind: 'key'; readonly credential: string }
  | ({ readonly kind: 'member'; readonly foreign?: ForeignSession } & MemberName);

export type SignedInMember = MemberName & {
  readonly kind: 'member';
  readonly name: string;
  /** The current role, not that at sign-in. */
  readonly role: Role;
  readonly isSuspended: boolean;
  /** The most that keys it creates may do, as its groups set it. */
  readonly ceiling?: MemberRights;
};

export type Session = {
  readonly subject: Exclude<SessionSubject, { kind: 'member' }> | SignedInMember;
  readonly method: SignInMethod;
  readonly createdAtMs: number;
  /** Absolute end, however much it is used. */
  readonly endsAtMs: number;
};

/** By the SHA-256 of ids and codes, in hex. */
export interface SessionStore {
  open(hash: string, subject: SessionSubject, method: SignInMethod): Promise<void>;
  /** Undefined for an ended session, and for a removed or deactivated member. Counts as use. */
  find(hash: string): Promise<Session | undefined>;
  /** On every node. */
  end(hash: string): Promise<void>;
  /** The subject that a code signs in; each code works once. */
  redeem(codeHash: string): Promise<SessionSubject | undefined>;
}
