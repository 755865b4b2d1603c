/** Where a request came in, and what follows for links, cookies and the origin that writes must come from. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { callerScheme, type IsTrustedProxy } from '../http/peer.ts';

/** `members`: a listener for members alone, at which there are no operators and nothing of theirs. */
export type Audience = 'operators' | 'members';

export type ListenerFacts = {
  readonly audience: Audience;
  /** `https://console.example.com`: how browsers reach the listener. */
  readonly origin: string;
  /** Undefined where no cookie could be kept safe: plain HTTP, and not on this machine. */
  readonly cookies: CookieNames | undefined;
};

export type CookieNames = { readonly session: string; readonly signIn: string; readonly isSecure: boolean };

/** With this prefix browsers take a cookie from this very host only, over TLS and for all paths. */
const OVER_TLS: CookieNames = { session: '__Host-trivium', signIn: '__Host-trivium-sign-in', isSecure: true };
const ON_LOOPBACK: CookieNames = { session: 'trivium-session', signIn: 'trivium-sign-in', isSecure: false };

const isLoopback = (hostname: string): boolean => {
  const host = hostname.replace(/^\[|\]$/g, '');
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '::1' || (isIP(host) === 4 && /^127\./.test(host))
  );
};

const cookiesFor = (url: URL | null): CookieNames | undefined => {
  if (url?.protocol === 'https:') return OVER_TLS;
  return url !== null && isLoopback(url.hostname) ? ON_LOOPBACK : undefined;
};

/** As configured, else as the request says it was reached. */
export function listenerFacts(
  request: IncomingMessage,
  audience: Audience,
  publicUrl: string | undefined,
  isTrusted: IsTrustedProxy,
): ListenerFacts {
  const url = URL.parse(publicUrl ?? `${callerScheme(request, isTrusted)}://${request.headers.host ?? ''}`);
  return { audience, origin: url?.origin ?? '', cookies: cookiesFor(url) };
}

const cookieLine = (
  name: string,
  value: string,
  maxAgeS: number,
  sameSite: 'Strict' | 'Lax',
  isSecure: boolean,
): string =>
  `${name}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;

export const sessionCookie = ({ session, isSecure }: CookieNames, id: string, maxAgeMs: number): string =>
  cookieLine(session, id, Math.floor(maxAgeMs / 1000), 'Strict', isSecure);

/** Comes back from another site, so it is sent with navigations that begin there. */
export const signInCookie = ({ signIn, isSecure }: CookieNames, value: string, maxAgeMs: number): string =>
  cookieLine(signIn, value, Math.floor(maxAgeMs / 1000), 'Lax', isSecure);
