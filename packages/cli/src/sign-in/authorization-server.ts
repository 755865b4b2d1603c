/**
 * What the command line asks of a gateway's sign-in: the device flow (RFC 8628), renewal, and revocation (RFC 7009).
 * Tokens are sent to the gateway's own origin only, whatever its discovery document says.
 */
import { isRow, type Row } from '../admin-client.ts';

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly expiresAtMs: number;
  /** Of the person who signed in. */
  readonly email?: string | undefined;
}

export interface DeviceCode {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly address: string;
  readonly expiresInMs: number;
  readonly intervalMs: number;
  readonly notice?: string | undefined;
}

/** What this client calls itself, where the person agrees. */
const CLIENT = 'trivium-cli';
const LIMIT_MS = 15_000;
const MAX_ANSWER_BYTES = 65_536;
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const [DEFAULT_LIFE_S, DEFAULT_INTERVAL_S] = [600, 5];

/** The gateway says that this sign-in has ended; nothing but a new one helps. */
export class SignInEnded extends Error {}

export class AuthorizationServer {
  readonly #gateway: string;
  #known: Row | undefined;

  constructor(gateway: string) {
    this.#gateway = gateway;
  }

  async startDevice(): Promise<DeviceCode> {
    const path = await this.#endpoint('device_authorization');
    const { status, answer } = await this.#post(path, { client_id: CLIENT });
    const { device_code: deviceCode, user_code: userCode, verification_uri: address } = answer;
    if (typeof deviceCode !== 'string' || typeof userCode !== 'string' || typeof address !== 'string')
      throw new Error(`${this.#gateway} gives no code to sign in with (${status})`);
    const whole = answer['verification_uri_complete'];
    return {
      deviceCode,
      userCode,
      address: typeof whole === 'string' ? whole : address,
      expiresInMs: secondsIn(answer['expires_in'], DEFAULT_LIFE_S) * 1000,
      intervalMs: secondsIn(answer['interval'], DEFAULT_INTERVAL_S) * 1000,
      notice: textIn(answer['login_notice']),
    };
  }

  /** `later`: not agreed yet. */
  async redeemDevice(deviceCode: string): Promise<Tokens | 'later' | 'slower'> {
    const { answer } = await this.#post(await this.#endpoint('token'), {
      grant_type: DEVICE_GRANT,
      device_code: deviceCode,
      client_id: CLIENT,
    });
    const problem = answer['error'];
    if (problem === 'authorization_pending') return 'later';
    if (problem === 'slow_down') return 'slower';
    if (problem === 'access_denied') throw new Error('the sign-in was refused in the browser');
    if (problem === 'expired_token') throw new Error('the code has expired: sign in again');
    return tokensIn(answer) ?? this.#unusable(answer);
  }

  async renew(refreshToken: string): Promise<Tokens> {
    const { answer } = await this.#post(await this.#endpoint('token'), {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: CLIENT,
    });
    if (answer['error'] === 'invalid_grant') throw new SignInEnded(`the sign-in at ${this.#gateway} has ended`);
    return tokensIn(answer) ?? this.#unusable(answer);
  }

  async revoke(token: string): Promise<void> {
    await this.#post(await this.#endpoint('revocation'), { token });
  }

  #unusable(answer: Row): never {
    const why = textIn(answer['error_description']) ?? textIn(answer['error']) ?? 'no token in its answer';
    throw new Error(`${this.#gateway} refuses the sign-in: ${why.slice(0, 200)}`);
  }

  async #endpoint(name: 'device_authorization' | 'token' | 'revocation'): Promise<string> {
    this.#known ??= await this.#discovered();
    const fallback = `${this.#gateway}/oauth/${name === 'revocation' ? 'revoke' : name}`;
    const said = this.#known[`${name}_endpoint`];
    return typeof said === 'string' && URL.parse(said)?.origin === this.#gateway ? said : fallback;
  }

  async #discovered(): Promise<Row> {
    const address = `${this.#gateway}/.well-known/oauth-authorization-server`;
    const { status, answer } = await this.#call(address, {});
    if (status === 200) return answer;
    throw new Error(
      `${this.#gateway} has no sign-in for programs (${status}); its operator sets it up, or gives you a key`,
    );
  }

  #post(address: string, form: Readonly<Record<string, string>>): Promise<{ status: number; answer: Row }> {
    return this.#call(address, { method: 'POST', body: new URLSearchParams(form) });
  }

  async #call(address: string, init: RequestInit): Promise<{ status: number; answer: Row }> {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const response = await fetch(address, { ...init, signal, redirect: 'error' }).catch((error: Error) => {
      throw new Error(
        `${this.#gateway} does not answer: ${error.cause instanceof Error ? error.cause.message : error.message}`,
      );
    });
    return { status: response.status, answer: rowIn(await boundedText(response)) };
  }
}

async function boundedText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ANSWER_BYTES) throw new Error('the answer of the gateway is too long');
  }
  return text;
}

/** Proxies answer with pages: they have no members. */
function rowIn(text: string): Row {
  try {
    const value: unknown = JSON.parse(text);
    return isRow(value) ? value : {};
  } catch {
    return {};
  }
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const secondsIn = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : otherwise;

function tokensIn(answer: Row): Tokens | undefined {
  const accessToken = textIn(answer['access_token']);
  // It becomes a header and a variable of other programs.
  if (accessToken === undefined || !/^[\x21-\x7e]{1,8192}$/.test(accessToken)) return undefined;
  return {
    accessToken,
    refreshToken: textIn(answer['refresh_token']),
    expiresAtMs: Date.now() + secondsIn(answer['expires_in'], DEFAULT_LIFE_S) * 1000,
    email: textIn(answer['email']),
  };
}
