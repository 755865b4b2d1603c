// Service accounts of a simulated cloud: their key files, and the access tokens issued for them.
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { parseObject } from '../json-text.ts';
import { asNumber, asText, type JsonRecord } from '../json-value.ts';

const TOKEN_PREFIX = 'ya29.sim.';
const TOKEN_KEY = 'trivium simulator tokens';
const KEY_BITS = 2048;
const MAX_SKEW_S = 300;
const MAX_ASSERTION_S = 3600;
const DEFAULT_LIFETIME_S = 3599;

export type ServiceAccountOptions = { readonly tokenLifetimeS?: number; readonly projectId?: string };

type Account = { readonly publicKey: KeyObject; readonly tokenUrl: string; readonly lifetimeS: number };

export type TokenExchange =
  | { readonly accessToken: string; readonly lifetimeS: number }
  | { readonly error: string; readonly description: string };

const refused = (description: string): TokenExchange => ({ error: 'invalid_grant', description });

export class ServiceAccounts {
  readonly #accounts = new Map<string, Account>();

  /** A new account, as the JSON file an operator downloads. */
  issue(tokenUrl: string, options: ServiceAccountOptions = {}): string {
    const project = options.projectId ?? 'simulated-project';
    const email = `gateway-${this.#accounts.size + 1}@${project}.iam.gserviceaccount.com`;
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: KEY_BITS });
    const lifetimeS = options.tokenLifetimeS ?? DEFAULT_LIFETIME_S;
    this.#accounts.set(email, { publicKey: createPublicKey(privateKey), tokenUrl, lifetimeS });
    return JSON.stringify({
      type: 'service_account',
      project_id: project,
      private_key_id: 'simulated-key',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      client_email: email,
      token_uri: tokenUrl,
    });
  }

  exchange(assertion: string, nowMs: number): TokenExchange {
    const [header = '', claims = '', signature = '', ...more] = assertion.split('.');
    const { iss, aud, exp, iat, scope } = partOf(claims);
    const account = this.#accounts.get(asText(iss));
    if (account === undefined || more.length > 0) return refused('Invalid JWT: account not found');
    const isSigned =
      partOf(header)['alg'] === 'RS256' &&
      verify('sha256', Buffer.from(`${header}.${claims}`), account.publicKey, Buffer.from(signature, 'base64url'));
    if (!isSigned) return refused('Invalid JWT Signature.');
    const issuedS = asNumber(iat) ?? 0;
    const expiresS = asNumber(exp) ?? 0;
    const nowS = nowMs / 1000;
    if (asText(aud) !== account.tokenUrl) return refused('Invalid JWT: wrong audience');
    if (Math.abs(nowS - issuedS) > MAX_SKEW_S || expiresS < nowS || expiresS - issuedS > MAX_ASSERTION_S)
      return refused('Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.');
    if (asText(scope) === '') return { error: 'invalid_scope', description: 'Missing a valid scope.' };
    const expiresAtMs = String(nowMs + account.lifetimeS * 1000);
    return { accessToken: `${TOKEN_PREFIX}${expiresAtMs}.${markOf(expiresAtMs)}`, lifetimeS: account.lifetimeS };
  }
}

function partOf(text: string): JsonRecord {
  return parseObject(Buffer.from(text, 'base64url')) ?? {};
}

const markOf = (expiresAtMs: string): string =>
  createHmac('sha256', TOKEN_KEY).update(expiresAtMs).digest('hex').slice(0, 32);

export const isAccessToken = (credential: string): boolean => credential.startsWith(TOKEN_PREFIX);

export function isTokenValid(credential: string, nowMs: number): boolean {
  const [expiresAtMs = '', mark = ''] = credential.slice(TOKEN_PREFIX.length).split('.');
  return mark === markOf(expiresAtMs) && Number(expiresAtMs) > nowMs;
}
