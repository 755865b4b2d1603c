/**
 * Sign-in with OpenID Connect: authorization code with PKCE. State, nonce and verifier are derived from one random
 * value that the browser keeps in a cookie until it returns, so that any node can finish a sign-in that another
 * started.
 */
import { createHmac } from 'node:crypto';
import type { Configuration } from 'openid-client';
import { type Granted, grantedTo, groupsIn } from './grants.ts';
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
};

type Library = typeof import('openid-client');

/** How long the issuer's metadata is cached. */
const DISCOVERED_MS = 3_600_000;
const MAX_NAME_LENGTH = 200;
const MAX_EMAIL_LENGTH = 320;

const NAMES = ['name', 'preferred_username'];

const derived = (random: string, what: 'state' | 'nonce' | 'verifier'): string =>
  createHmac('sha256', random).update(what).digest('base64url');

/** Without characters that the database cannot store, or that no name has. */
export const textIn = (claims: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined =>
  names
    .map((name) => claims[name])
    .map((value) => (typeof value === 'string' ? value.replaceAll(/\p{Cc}/gu, '').trim() : ''))
    .find((value) => value !== '');

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

  async start(redirectUri: string, random: string): Promise<URL> {
    const library = await import('openid-client');
    const config = await this.#discover(library);
    return library.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: this.#settings.scopes.join(' '),
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
    // All who come without a subject would be one member, and so might those whose subjects were cleaned.
    if (textIn(claims, ['sub']) !== claims.sub) throw new Error('the issuer sent a subject that is empty or not plain');
    const { groupsClaim, externalIdClaim, issuer } = this.#settings;
    const isComplete = groupsIn(claims, groupsClaim) !== undefined && textIn(claims, NAMES) !== undefined;
    const known: Readonly<Record<string, unknown>> =
      isComplete || config.serverMetadata().userinfo_endpoint === undefined
        ? claims
        : { ...(await library.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
    const email = textIn(known, ['email'])?.slice(0, MAX_EMAIL_LENGTH) ?? null;
    const name = textIn(known, NAMES) ?? email ?? claims.sub;
    // An e-mail address that the person may have typed identifies no one.
    const userName = textIn(known, ['preferred_username', ...(known['email_verified'] === true ? ['email'] : [])]);
    const externalId = textIn(known, [externalIdClaim])?.slice(0, MAX_EMAIL_LENGTH);
    const sid = textIn(claims, ['sid']);
    return {
      issuer,
      subject: claims.sub,
      name: name.slice(0, MAX_NAME_LENGTH),
      email,
      userName: (userName ?? claims.sub).slice(0, MAX_EMAIL_LENGTH),
      ...(externalId !== undefined && { externalId }),
      ...(sid !== undefined && sid.length <= MAX_EMAIL_LENGTH && { sid }),
      granted: grantedTo(known, this.#settings),
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
