/**
 * JSON Web Tokens of trusted issuers in place of keys: maps a token to the record that a key would have, or to nothing.
 */
import { DEFAULT_JSON_BOUNDS, parseUntrustedObject } from '@trivium/protocol/framing';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Tags } from '../../kernel/tags.ts';
import type { KeyRecord, TokenSource } from '../accounts/key-source.ts';
import { matcher } from '../accounts/patterns.ts';
import { type MemberRights, withinCeiling } from '../accounts/rights.ts';
import type { IssuerFetch } from './issuer-fetch.ts';
import { IssuerKeys } from './issuer-keys.ts';
import type { CallerIssuer } from './issuers.ts';

type TokenAccount = Pick<KeyRecord, 'isSuspended' | 'memberId' | 'accountRates'> & {
  /** What its groups give the member. */
  readonly granted?: { readonly rights?: MemberRights; readonly tags?: Tags };
};

export type CallerTokenPorts = {
  readonly fetch: IssuerFetch;
  readonly nowMs: () => number;
  /** Undefined if the account does not exist, or a given person is not a member of it. */
  readonly accountOf: (
    accountId: string,
    person: { readonly issuer: string; readonly subject: string } | undefined,
  ) => Promise<TokenAccount | undefined>;
};

/** Three non-empty parts, so it is signed: anything else with dots is not a token. */
const FORM = /^eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
/** Tokens for other uses, such as logging out, have another type. */
const TYPES: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/at+jwt']);
const CLOCK_TOLERANCE_S = 10;
const ACCOUNT_ID = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$/;

type Claims = Readonly<Record<string, unknown>>;

/** Duplicate names are rejected: another parser could see another value. */
export function partOf(token: string, at: 0 | 1): Claims | undefined {
  try {
    const text = Buffer.from(token.split('.')[at] ?? '', 'base64url').toString();
    return parseUntrustedObject(text, DEFAULT_JSON_BOUNDS).value;
  } catch {
    return undefined;
  }
}

const textsIn = (value: unknown): readonly string[] =>
  [value].flat().flatMap((one) => (['string', 'number', 'boolean'].includes(typeof one) ? [String(one)] : []));

const fits = ({ requires, audience }: CallerIssuer, claims: Claims): boolean =>
  textsIn(claims['aud']).includes(audience) &&
  Object.entries(requires).every(([claim, values]) => textsIn(claims[claim]).some(matcher(values)));

export class CallerTokens implements TokenSource {
  readonly #issuers: readonly CallerIssuer[];
  readonly #ports: CallerTokenPorts;
  readonly #keys = new Map<string, IssuerKeys>();

  constructor(issuers: readonly CallerIssuer[], ports: CallerTokenPorts) {
    this.#issuers = issuers;
    this.#ports = ports;
  }

  isToken(secret: string): boolean {
    return this.#issuers.length > 0 && FORM.test(secret);
  }

  /** Rejects if the issuer or the store is unreachable. Checks that need neither come first. */
  async find(token: string): Promise<KeyRecord | undefined> {
    const [header, claims] = [partOf(token, 0), partOf(token, 1)];
    if (header === undefined || claims === undefined) return undefined;
    const type = header['typ'];
    if (type !== undefined && (typeof type !== 'string' || !TYPES.has(type.toLowerCase()))) return undefined;
    const issuer = this.#issuers.find((one) => one.issuer === claims['iss'] && fits(one, claims));
    if (issuer === undefined) return undefined;
    const payload = await this.#verified(token, issuer);
    return payload && this.#recordOf(payload, issuer);
  }

  async #verified(token: string, issuer: CallerIssuer): Promise<JWTPayload | undefined> {
    const { algorithms, audience } = issuer;
    try {
      const { payload } = await jwtVerify(token, this.#keysOf(issuer).find, {
        algorithms: [...algorithms],
        issuer: issuer.issuer,
        audience,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(this.#ports.nowMs()),
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  async #recordOf(payload: JWTPayload, issuer: CallerIssuer): Promise<KeyRecord | undefined> {
    const { sub: subject = '', exp = 0 } = payload;
    const expiresInMs = exp * 1000 - this.#ports.nowMs();
    const accountId = issuer.account ?? payload[issuer.accountClaim ?? ''];
    if (expiresInMs <= 0 || subject === '' || typeof accountId !== 'string' || !ACCOUNT_ID.test(accountId))
      return undefined;
    const person = issuer.member ? { issuer: issuer.issuer, subject } : undefined;
    const account = await this.#ports.accountOf(accountId, person);
    if (account === undefined || (issuer.member && account.memberId === undefined)) return undefined;
    const { isSuspended, memberId, accountRates, granted } = account;
    const keyId = `jwt:${issuer.id}${memberId === undefined ? '' : `:${memberId}`}`;
    const rights = withinCeiling(issuer.rights ?? {}, granted?.rights);
    const { tags } = granted ?? {};
    const record = { keyId, accountId, memberId, rights, expiresInMs, isSuspended, role: undefined, accountRates };
    return { ...record, ...(tags !== undefined && { tags }) };
  }

  #keysOf({ issuer, jwksUrl }: CallerIssuer): IssuerKeys {
    const name = `${issuer} ${jwksUrl ?? ''}`;
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const address = { issuer, ...(jwksUrl !== undefined && { jwksUrl }) };
    const keys = new IssuerKeys(address, this.#ports.fetch, this.#ports.nowMs);
    this.#keys.set(name, keys);
    return keys;
  }
}
