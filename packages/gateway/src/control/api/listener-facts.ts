/** The listener of a request, and what follows for links, cookies and the origin required of writes. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { callerScheme, type IsTrustedProxy } from '../../http/peer.ts';

/** `members`: a listener for members only, without operators and their routes. */
export type Audience = 'operators' | 'members';

export type ListenerFacts = {
  readonly audience: Audience;
  /** `https://console.example.com`: how browsers reach the listener. */
  readonly origin: string;
  /** Undefined if no cookie would be safe: plain HTTP at a host other than loopback. */
  readonly cookies: CookieNames | undefined;
};

export type CookieNames = {
  readonly session: string;
  readonly signIn: string;
  /** At the listener for callers, while a person signs in from a program. Cookies do not know ports: it has a name of its own. */
  readonly program: string;
  readonly isSecure: boolean;
};

/** With this prefix browsers accept a cookie only from this host, over TLS and for all paths. */
const OVER_TLS: CookieNames = {
  session: '__Host-trivium',
  signIn: '__Host-trivium-sign-in',
  program: '__Host-trivium-program',
  isSecure: true,
};
const ON_LOOPBACK: CookieNames = {
  session: 'trivium-session',
  signIn: 'trivium-sign-in',
  program: 'trivium-program',
  isSecure: false,
};

const isLoopback = (hostname: string): boolean => {
  const host = hostname.replace(/^\[|\]$/g, '');
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '::1' || (isIP(host) === 4 && /^127\./.test(host))
  );
};

export const cookiesFor = (url: URL | null): CookieNames | undefined => {
  if (url?.protocol === 'https:') return OVER_TLS;
  return url !== null && isLoopback(url.hostname) ? ON_LOOPBACK : undefined;
};

/** As configured, else from the request's headers. */
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

/** `Lax`: the browser returns from the issuer's site, and must send it with that navigation. */
export const signInCookie = ({ signIn, isSecure }: CookieNames, value: string, maxAgeMs: number): string =>
  cookieLine(signIn, value, Math.floor(maxAgeMs / 1000), 'Lax', isSecure);

export const programCookie = ({ program, isSecure }: CookieNames, value: string, maxAgeMs: number): string =>
  cookieLine(program, value, Math.floor(maxAgeMs / 1000), 'Lax', isSecure);
