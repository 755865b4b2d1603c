/**
 * Sign-in with OpenID Connect: authorization code with PKCE. State, nonce and verifier are derived from one random
 * value that the browser keeps in a cookie until it returns, so that any node can finish a sign-in that another
 * started.
 */
import { createHmac } from 'node:crypto';
import type { Configuration } from 'openid-client';
import { type Granted, grantedTo, groupsIn, type MemberGrant, membershipOf } from './grants.ts';
import type { IssuerFetch } from './issuer-fetch.ts';
import type { SignInIssuer } from './issuers.ts';

export type Person = {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
  /** The session at the issuer, which a logout there names. */
  readonly sid?: string;
  /** The name to sign in with, and the id, by which the issuer's directory knows the person. */
  readonly userName: string;
  readonly externalId?: string;
  readonly granted: Granted | 'unreadable' | undefined;
  /** The same without grants of operators: programs call for an account. */
  readonly membership: MemberGrant | 'unreadable' | undefined;
  readonly groups: readonly string[];
  /** By which the issuer proves the person again; absent: it was not asked for, or the issuer gave none. */
  readonly refreshToken?: string;
};

/**
 * `gone`: the issuer knows this sign-in no longer. `proven` without a person: it is still good, and the issuer says no more.
 */
export type Proof =
  | { readonly kind: 'gone' }
  | { readonly kind: 'proven'; readonly refreshToken: string; readonly person?: Person };

type Library = typeof import('openid-client');
type Answer = Awaited<ReturnType<Library['refreshTokenGrant']>>;
type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** How long the issuer's metadata is cached. */
const DISCOVERED_MS = 3_600_000;
const MAX_NAME_LENGTH = 200;
const MAX_EMAIL_LENGTH = 320;
const MAX_REFRESH_LENGTH = 8192;

const NAMES = ['name', 'preferred_username'];

const derived = (random: string, what: 'state' | 'nonce' | 'verifier'): string =>
  createHmac('sha256', random).update(what).digest('base64url');

/** Without characters that the database cannot store, or that no name has. */
export const textIn = (claims: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined =>
  names
    .map((name) => claims[name])
    .map((value) => (typeof value === 'string' ? value.replaceAll(/\p{Cc}/gu, '').trim() : ''))
    .find((value) => value !== '');

/** One that is too long to be stored is as good as none. */
const refreshTokenIn = ({ refresh_token: token }: Answer): { readonly refreshToken?: string } =>
  token !== undefined && token !== '' && token.length <= MAX_REFRESH_LENGTH ? { refreshToken: token } : {};

export class OidcIssuer {
  readonly #settings: SignInIssuer;
  readonly #fetch: IssuerFetch;
  readonly #nowMs: () => number;
  #discovered: { readonly config: Promise<Configuration>; readonly untilMs: number } | undefined;

  constructor(settings: SignInIssuer, fetch: IssuerFetch, nowMs: () => number) {
    this.#settings = settings;
    this.#fetch = fetch;
    this.#nowMs = nowMs;
  }

  /** `offline`: also asks for a refresh token. */
  async start(redirectUri: string, random: string, isOffline = false): Promise<URL> {
    const library = await import('openid-client');
    const config = await this.#discover(library);
    const { scopes, offline } = this.#settings;
    const asked = isOffline && offline.scope !== '' ? [...scopes, offline.scope] : scopes;
    return library.buildAuthorizationUrl(config, {
      ...(isOffline && offline.parameters),
      redirect_uri: redirectUri,
      scope: [...new Set(asked)].join(' '),
      code_challenge: await library.calculatePKCECodeChallenge(derived(random, 'verifier')),
      code_challenge_method: 'S256',
      state: derived(random, 'state'),
      nonce: derived(random, 'nonce'),
    });
  }

  /** `url`: where the browser returned to, with the issuer's answer in its query. Throws if the answer is invalid. */
  async finish(url: URL, random: string): Promise<Person> {
    const library = await import('openid-client');
    const config = await this.#discover(library);
    // An error of the issuer goes into the log with all that came beside it.
    if (url.searchParams.has('error')) url.searchParams.delete('code');
    const tokens = await library.authorizationCodeGrant(config, url, {
      pkceCodeVerifier: derived(random, 'verifier'),
      expectedState: derived(random, 'state'),
      expectedNonce: derived(random, 'nonce'),
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('the issuer sent no ID token');
    return { ...(await this.#personIn(library, config, tokens, claims)), ...refreshTokenIn(tokens) };
  }

  /** Proves a person again. Throws if the issuer cannot be asked, or does not answer as it should. */
  async prove(refreshToken: string, subject: string): Promise<Proof> {
    const library = await import('openid-client');
    const config = await this.#discover(library);
    let tokens: Answer;
    try {
      tokens = await library.refreshTokenGrant(config, refreshToken);
    } catch (error) {
      if (error instanceof library.ResponseBodyError && error.error === 'invalid_grant') return { kind: 'gone' };
      throw error;
    }
    const next = refreshTokenIn(tokens).refreshToken ?? refreshToken;
    const claims = tokens.claims();
    if (claims !== undefined && claims.sub !== subject) return { kind: 'gone' };
    const known = claims ?? { sub: subject };
    // An ID token of a refresh may leave out groups that the first one had: that is no loss of them.
    if (!this.#hasUserInfo(config) && groupsIn(known, this.#settings.groupsClaim) === undefined)
      return { kind: 'proven', refreshToken: next };
    try {
      return { kind: 'proven', refreshToken: next, person: await this.#personIn(library, config, tokens, known) };
    } catch {
      // The issuer may have replaced its token: what is known of the person waits, the token must not be lost.
      return { kind: 'proven', refreshToken: next };
    }
  }

  #hasUserInfo(config: Configuration): boolean {
    return config.serverMetadata().userinfo_endpoint !== undefined;
  }

  async #personIn(library: Library, config: Configuration, tokens: Answer, claims: Claims): Promise<Person> {
    // All who come without a subject would be one member, and so might those whose subjects were cleaned.
    if (textIn(claims, ['sub']) !== claims.sub) throw new Error('the issuer sent a subject that is empty or not plain');
    const { groupsClaim, externalIdClaim, issuer } = this.#settings;
    const isComplete = groupsIn(claims, groupsClaim) !== undefined && textIn(claims, NAMES) !== undefined;
    const known: Readonly<Record<string, unknown>> =
      isComplete || !this.#hasUserInfo(config)
        ? claims
        : { ...(await library.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
    const email = textIn(known, ['email'])?.slice(0, MAX_EMAIL_LENGTH) ?? null;
    const name = textIn(known, NAMES) ?? email ?? claims.sub;
    // An e-mail address that the person may have typed identifies no one.
    const userName = textIn(known, ['preferred_username', ...(known['email_verified'] === true ? ['email'] : [])]);
    const externalId = textIn(known, [externalIdClaim])?.slice(0, MAX_EMAIL_LENGTH);
    const sid = textIn(claims, ['sid']);
    const groups = groupsIn(known, groupsClaim) ?? [];
    return {
      issuer,
      subject: claims.sub,
      name: name.slice(0, MAX_NAME_LENGTH),
      email,
      userName: (userName ?? claims.sub).slice(0, MAX_EMAIL_LENGTH),
      ...(externalId !== undefined && { externalId }),
      ...(sid !== undefined && sid.length <= MAX_EMAIL_LENGTH && { sid }),
      granted: grantedTo(known, this.#settings),
      membership: membershipOf(known, this.#settings),
      groups: groups === 'unreadable' ? [] : groups,
    };
  }

  #discover(library: Library): Promise<Configuration> {
    const nowMs = this.#nowMs();
    if (this.#discovered === undefined || nowMs >= this.#discovered.untilMs) {
      const config = this.#ask(library);
      this.#discovered = { config, untilMs: nowMs + DISCOVERED_MS };
      // The next sign-in tries again.
      config.catch(() => {
        this.#discovered = undefined;
      });
    }
    return this.#discovered.config;
  }

  #ask(library: Library): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const execute = [library.enableNonRepudiationChecks];
    if (issuer.startsWith('http:')) execute.push(library.allowInsecureRequests);
    return library.discovery(
      new URL(issuer),
      clientId,
      undefined,
      clientSecret === undefined ? library.None() : library.ClientSecretBasic(clientSecret),
      { execute, [library.customFetch]: (url, options) => this.#fetch(url, options) },
    );
  }
}
