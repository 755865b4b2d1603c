// Access tokens for a service account: one exchange at a time, cached, renewed in the background before they expire. A
// request waits only while there is no valid token.

import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import { importPKCS8, SignJWT } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import type { Timeouts } from '../../kernel/timeouts.ts';
import type { RequestSigner, Upstream } from '../../kernel/upstream.ts';
import type { ServiceAccount } from '../../models/providers/signers/credentials.ts';
import { exchangeToken, type Token } from './exchange-token.ts';

const ASSERTION_LIFETIME_S = 3600;
/** In ms. Clocks differ, and a request takes a while to arrive. */
const SAFETY_MS = 60_000;
/** In ms. A token in its last minutes is still used while the next one is fetched. */
const RENEW_EARLY_MS = 5 * 60_000;
/** In ms. After a failure no exchange is tried for this long: callers get the same error at once. */
const FAILURE_PAUSE_MS = 1000;

const SIGN_IN_FAILED: Fault = {
  kind: 'upstream-broken',
  message: 'The gateway could not sign in at the upstream provider.',
};

export type TokenPorts = { readonly upstream: Upstream; readonly clock: Clock; readonly timeouts: Timeouts };

/** In ms. A token refused so soon after it was issued has not expired: the account itself is refused. */
const FRESH_MS = 10_000;

type Kept = {
  readonly headers: readonly string[];
  readonly keptAtMs: number;
  readonly countsUntilMs: number;
  readonly renewAtMs: number;
};

export class GoogleTokenSigner implements RequestSigner {
  readonly #account: ServiceAccount;
  readonly #scope: string;
  readonly #ports: TokenPorts;
  #kept: Kept | undefined;
  #renewal: Promise<readonly string[]> | undefined;
  #failure: { readonly error: GatewayError; readonly untilMs: number } | undefined;

  constructor(account: ServiceAccount, scope: string, ports: TokenPorts) {
    this.#account = account;
    this.#scope = scope;
    this.#ports = ports;
  }

  sign(): readonly string[] | Promise<readonly string[]> {
    const nowMs = this.#ports.clock.nowMs();
    const kept = this.#kept;
    if (kept === undefined || nowMs >= kept.countsUntilMs) return this.#renew(nowMs);
    // Later requests may wait for it; this one has a valid token.
    if (nowMs >= kept.renewAtMs) this.#renew(nowMs).catch(() => undefined);
    return kept.headers;
  }

  refused(headers: readonly string[]): boolean {
    const kept = this.#kept;
    // Another request has fetched a new one in the meantime.
    if (kept?.headers !== headers) return kept !== undefined;
    this.#kept = undefined;
    return this.#ports.clock.nowMs() - kept.keptAtMs >= FRESH_MS;
  }

  #renew(nowMs: number): Promise<readonly string[]> {
    const failure = this.#failure;
    if (failure !== undefined && nowMs < failure.untilMs) return Promise.reject(failure.error);
    this.#renewal ??= this.#fetch().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #fetch(): Promise<readonly string[]> {
    try {
      const assertion = await this.#assertion();
      const token = await exchangeToken(this.#account.tokenUrl, assertion, this.#ports);
      this.#failure = undefined;
      return this.#keep(token);
    } catch (cause) {
      const error = cause instanceof GatewayError ? cause : new GatewayError(SIGN_IN_FAILED, { cause });
      this.#failure = { error, untilMs: this.#ports.clock.nowMs() + FAILURE_PAUSE_MS };
      throw error;
    }
  }

  #keep({ accessToken, lifetimeMs }: Token): readonly string[] {
    const nowMs = this.#ports.clock.nowMs();
    const headers = ['authorization', `Bearer ${accessToken}`];
    // A token too short-lived for the margins is used for half its lifetime.
    const margin = Math.min(SAFETY_MS, lifetimeMs / 2);
    const early = Math.min(RENEW_EARLY_MS, lifetimeMs / 4);
    const countsUntilMs = nowMs + lifetimeMs - margin;
    this.#kept = { headers, keptAtMs: nowMs, countsUntilMs, renewAtMs: countsUntilMs - early };
    return headers;
  }

  async #assertion(): Promise<string> {
    const { clientEmail, privateKey, privateKeyId, tokenUrl } = this.#account;
    const issuedAtS = Math.floor(this.#ports.clock.nowMs() / 1000);
    return new SignJWT({ scope: this.#scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(privateKeyId !== undefined && { kid: privateKeyId }) })
      .setIssuer(clientEmail)
      .setAudience(tokenUrl.href)
      .setIssuedAt(issuedAtS)
      .setExpirationTime(issuedAtS + ASSERTION_LIFETIME_S)
      .sign(await importPKCS8(privateKey, 'RS256'));
  }
}
