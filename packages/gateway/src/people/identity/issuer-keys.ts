/**
 * The public keys of one issuer: fetched when first needed, cached, and fetched again at intervals for an unknown key.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { IssuerUnreachable } from '../accounts/key-source.ts';
import type { IssuerFetch } from './issuer-fetch.ts';

/** How long cached keys are used without a refresh. */
const KEPT_MS = 600_000;
/** How long cached keys are used if they cannot be refreshed. */
const STALE_MS = 24 * 3_600_000;
/** An unknown key causes a refresh at most this often, however many tokens name it. */
const ASK_AGAIN_MS = 30_000;
const MAX_KEYS = 100;

type Kept = { readonly find: JWTVerifyGetKey; readonly atMs: number };

export type IssuerAddress = { readonly issuer: string; readonly jwksUrl?: string };

const memberIn = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

async function jsonAt(url: string, fetch: IssuerFetch): Promise<unknown> {
  const response = await fetch(url, { headers: { accept: 'application/json' } });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  return response.json();
}

export class IssuerKeys {
  readonly #address: IssuerAddress;
  readonly #fetch: IssuerFetch;
  readonly #nowMs: () => number;
  #kept: Kept | undefined;
  #fetching: Promise<Kept> | undefined;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(address: IssuerAddress, fetch: IssuerFetch, nowMs: () => number) {
    this.#address = address;
    this.#fetch = fetch;
    this.#nowMs = nowMs;
  }

  readonly find: JWTVerifyGetKey = async (header, token) => {
    const kept = await this.#current();
    try {
      return await kept.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.#nowMs() - this.#askedAtMs < ASK_AGAIN_MS) throw error;
      return (await this.#ask()).find(header, token);
    }
  };

  async #current(): Promise<Kept> {
    const kept = this.#kept;
    const ageMs = kept === undefined ? Number.POSITIVE_INFINITY : this.#nowMs() - kept.atMs;
    if (kept !== undefined && ageMs < KEPT_MS) return kept;
    const mayAsk = this.#fetching !== undefined || this.#nowMs() - this.#askedAtMs >= ASK_AGAIN_MS;
    if (kept !== undefined && ageMs < STALE_MS) return mayAsk ? this.#ask().catch(() => kept) : kept;
    if (!mayAsk) throw new IssuerUnreachable(this.#address.issuer, 'asked in vain a moment ago');
    return this.#ask();
  }

  /** One fetch at a time, shared by all waiting tokens. */
  #ask(): Promise<Kept> {
    this.#fetching ??= this.#fetchKeys().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchKeys(): Promise<Kept> {
    const { issuer } = this.#address;
    this.#askedAtMs = this.#nowMs();
    try {
      const set = await jsonAt(await this.#keysUrl(), this.#fetch);
      const keys = memberIn(set, 'keys');
      if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw new Error('not a set of keys');
      this.#kept = { find: createLocalJWKSet(set as JSONWebKeySet), atMs: this.#nowMs() };
      return this.#kept;
    } catch (error) {
      throw new IssuerUnreachable(issuer, error);
    }
  }

  async #keysUrl(): Promise<string> {
    const { issuer, jwksUrl } = this.#address;
    if (jwksUrl !== undefined) return jwksUrl;
    const document = await jsonAt(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, this.#fetch);
    const url = memberIn(document, 'jwks_uri');
    if (memberIn(document, 'issuer') !== issuer || typeof url !== 'string')
      throw new Error('not its discovery document');
    // An issuer configured with TLS must not be downgraded.
    if (issuer.startsWith('https:') && !url.startsWith('https:'))
      throw new Error('its keys are not at an https address');
    return url;
  }
}
