/** Access tokens: read from an answer, kept as the headers that carry them, and renewed. */
import type { Clock } from '../../kernel/clock.ts';
import type { RequestSigner } from '../../kernel/upstream.ts';
import { type IssuerReply, refusedWith, unreadable } from './ask.ts';
import { type Issued, Renewed } from './renewed.ts';

export type Token = {
  readonly accessToken: string;
  readonly lifetimeMs: number;
  readonly renewInMs?: number | undefined;
};

/** Characters allowed in a header. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;
/** Hosts that issue tokens for a day say when half of it is over; the others are asked before the end. */
const LONG_MS = 2 * 3_600_000;

/** Throws for anything but an object of JSON, without repeating it. */
export function membersIn(reply: IssuerReply): Readonly<Record<string, unknown>> {
  if (reply.status !== 200) throw refusedWith(reply);
  try {
    const read: unknown = JSON.parse(reply.text);
    if (typeof read === 'object' && read !== null) return read as Readonly<Record<string, unknown>>;
  } catch {
    // Reported below.
  }
  throw unreadable('no object');
}

/** Numbers, or numerals: Azure writes both. */
const secondsIn = (value: unknown): number | undefined => {
  const seconds = typeof value === 'string' && /^[0-9]{1,12}$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && seconds > 0 ? seconds : undefined;
};

/** `nowMs`: for hosts that say when a token ends, and not how long it lives. */
export function tokenIn(reply: IssuerReply, nowMs?: number): Token {
  const { access_token: accessToken, expires_in: lifetime, expires_on: end, refresh_in: refresh } = membersIn(reply);
  const endS = secondsIn(end);
  const lifetimeS =
    secondsIn(lifetime) ?? (endS === undefined || nowMs === undefined ? undefined : secondsIn(endS - nowMs / 1000));
  if (typeof accessToken !== 'string' || !TOKEN.test(accessToken) || lifetimeS === undefined)
    throw unreadable('no token with a lifetime');
  const lifetimeMs = lifetimeS * 1000;
  const refreshS = secondsIn(refresh);
  return { accessToken, lifetimeMs, ...(refreshS !== undefined && { renewInMs: refreshS * 1000 }) };
}

/** Renewed at half its life if it is long. */
export const atHalfLife = (token: Token): Token =>
  token.renewInMs === undefined && token.lifetimeMs >= LONG_MS ? { ...token, renewInMs: token.lifetimeMs / 2 } : token;

export function tokenSigner(fetchToken: () => Promise<Token>, clock: Clock): RequestSigner {
  const headers = new Renewed(async (): Promise<Issued<readonly string[]>> => {
    const { accessToken, ...life } = await fetchToken();
    return { value: ['authorization', `Bearer ${accessToken}`], ...life };
  }, clock);
  return {
    sign: () => headers.get(),
    refused: (signed) => headers.refused((one) => one === signed),
    state: () => headers.state,
    ignoresBody: true,
  };
}
