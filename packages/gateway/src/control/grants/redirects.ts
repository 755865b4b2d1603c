/** Where a browser may be sent with a code: this machine for tokens (RFC 8252), and any https page for keys. */

const MAX_LENGTH = 1000;
const VISIBLE = /^[\x21-\x7e]+$/;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Only what means the same to every reader: as a browser would write it. Undefined: refused. */
function plainUrl(text: string | undefined, own: string): URL | undefined {
  if (text === undefined || text.length > MAX_LENGTH || !VISIBLE.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null || (url.href !== text && url.href !== `${text}/`)) return undefined;
  if (url.username !== '' || url.password !== '' || text.includes('#') || url.origin === own) return undefined;
  return url;
}

const isLoopback = (url: URL): boolean => url.protocol === 'http:' && LOOPBACK.has(url.hostname);

/** `own`: the gateway's own origin, to which no code goes. */
export function loopbackRedirect(text: string | undefined, own: string): URL | undefined {
  const url = plainUrl(text, own);
  return url !== undefined && isLoopback(url) && url.search === '' ? url : undefined;
}

export function keyCallback(text: string | undefined, own: string): URL | undefined {
  const url = plainUrl(text, own);
  if (url === undefined || url.searchParams.has('code')) return undefined;
  return url.protocol === 'https:' || isLoopback(url) ? url : undefined;
}

/** As it was given, so that nothing in it is written in another way. */
export const withAnswer = (redirectUri: string, answer: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(answer)) if (value !== undefined) query.set(name, value);
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`;
};
