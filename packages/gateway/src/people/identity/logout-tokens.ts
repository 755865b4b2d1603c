/** Logout tokens of issuers (OpenID Connect Back-Channel Logout 1.0): who is to be signed out, if a token is genuine. */
import { errors, jwtVerify } from 'jose';
import { partOf } from './caller-tokens.ts';
import type { IssuerFetch } from './issuer-fetch.ts';
import { IssuerKeys } from './issuer-keys.ts';
import type { SignInIssuer } from './issuers.ts';

export type Logout = {
  readonly issuer: string;
  /** The person, the session, or both. */
  readonly subject: string | undefined;
  readonly sid: string | undefined;
  /** Each token works once. */
  readonly jti: string;
};

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Tokens for other uses, such as signing in, have another type. */
const TYPES: ReadonlySet<unknown> = new Set([undefined, 'jwt', 'logout+jwt', 'application/logout+jwt']);
/** Only those with a public key: with a shared one, a client could write tokens itself. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const MAX_TOKEN_LENGTH = 8192;
const MAX_NAME_LENGTH = 320;
const CLOCK_TOLERANCE_S = 10;
/** A used token is remembered for longer. */
export const LOGOUT_TOKEN_MAX_AGE_S = 600;

/** Absent: undefined. Anything but a text of some length: not a logout token. */
const nameIn = (value: unknown): string | undefined | 'invalid' => {
  if (value === undefined) return undefined;
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME_LENGTH ? value : 'invalid';
};

export class LogoutTokens {
  readonly #issuer: SignInIssuer;
  readonly #keys: IssuerKeys;
  readonly #nowMs: () => number;

  constructor(issuer: SignInIssuer, fetch: IssuerFetch, nowMs: () => number) {
    this.#issuer = issuer;
    this.#keys = new IssuerKeys({ issuer: issuer.issuer }, fetch, nowMs);
    this.#nowMs = nowMs;
  }

  /** Undefined for anything but a genuine logout token of this issuer for this client; rejects if the issuer is unreachable. */
  async read(token: string): Promise<Logout | undefined> {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const [header, claims] = [partOf(token, 0), partOf(token, 1)];
    const type = header?.['typ'];
    if (claims === undefined || header === undefined || 'nonce' in claims || 'crit' in header) return undefined;
    if (!TYPES.has(typeof type === 'string' ? type.toLowerCase() : type)) return undefined;
    const { issuer, clientId } = this.#issuer;
    const { jti } = claims;
    const [subject, sid] = [nameIn(claims['sub']), nameIn(claims['sid'])];
    const event = typeof claims['events'] === 'object' ? Reflect.get(claims['events'] ?? {}, EVENT) : undefined;
    if (typeof event !== 'object' || event === null || nameIn(jti) === 'invalid' || typeof jti !== 'string')
      return undefined;
    if (subject === 'invalid' || sid === 'invalid' || (subject ?? sid) === undefined) return undefined;
    try {
      await jwtVerify(token, this.#keys.find, {
        algorithms: ALGORITHMS,
        issuer,
        audience: clientId,
        requiredClaims: ['iat', 'jti', 'events'],
        maxTokenAge: LOGOUT_TOKEN_MAX_AGE_S,
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(this.#nowMs()),
      });
      return { issuer, subject, sid, jti };
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}

/** Reads the logout tokens of all issuers, with the keys of each cached. Undefined for an issuer that is not configured. */
export function logoutReader(
  settingsOf: (id: string) => SignInIssuer | undefined,
  fetch: IssuerFetch,
  nowMs: () => number,
) {
  const opened = new WeakMap<SignInIssuer, LogoutTokens>();
  return (id: string, token: string): Promise<Logout | undefined> | undefined => {
    const settings = settingsOf(id);
    if (settings === undefined) return undefined;
    const tokens = opened.get(settings) ?? new LogoutTokens(settings, fetch, nowMs);
    opened.set(settings, tokens);
    return tokens.read(token);
  };
}
