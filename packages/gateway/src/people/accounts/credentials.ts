// The only place that reads a caller's secret from headers. Pure: equal headers always give the same result.
import type { RawHeaders } from '../../kernel/caller-port.ts';

export type ExtractedCredential =
  | { readonly kind: 'one'; readonly secret: string }
  | { readonly kind: 'none' }
  /** Two different secrets: guessing which one was meant would be a security hole. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'malformed' };

export const MAX_CREDENTIAL_LENGTH = 512;
/** JSON Web Tokens are longer than keys, and begin with an encoded `{"`. */
const MAX_TOKEN_LENGTH = 8192;
const TOKEN_START = 'eyJ';
/** More copies of one header than any client sends by accident. */
const MAX_COPIES = 8;

/** Visible ASCII: keys never need more, and anything else could split a header or a log line. */
const PLAIN_SECRET = /^[\x21-\x7e]+$/;
const SCHEME = 'bearer';
/** Headers with the bare secret, besides `authorization`. */
const DIRECT_HEADERS = ['x-api-key', 'x-goog-api-key'] as const;

const NONE = { kind: 'none' } as const;
const CONFLICT = { kind: 'conflict' } as const;
const MALFORMED = { kind: 'malformed' } as const;

/** Spaces around a value belong to the transport, not to the secret. */
const withoutBlanks = (value: string): string => {
  let start = 0;
  let end = value.length;
  while (start < end && (value[start] === ' ' || value[start] === '\t')) start += 1;
  while (end > start && (value[end - 1] === ' ' || value[end - 1] === '\t')) end -= 1;
  return value.slice(start, end);
};

/** The part after the scheme; empty if there is none, undefined for another scheme. */
const bearerSecret = (value: string): string | undefined => {
  const given = withoutBlanks(value);
  if (given === '') return '';
  if (given.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  if (given.length === SCHEME.length) return '';
  return given[SCHEME.length] === ' ' ? withoutBlanks(given.slice(SCHEME.length)) : undefined;
};

const isUsable = (secret: string): boolean =>
  secret.length <= (secret.startsWith(TOKEN_START) ? MAX_TOKEN_LENGTH : MAX_CREDENTIAL_LENGTH) &&
  PLAIN_SECRET.test(secret);

/** Folds one more header value into the result so far. Empty values count as absent: SDKs send them without a key. */
const join = (so: ExtractedCredential, secret: string | undefined): ExtractedCredential => {
  if (so.kind === 'malformed' || secret === '') return so;
  if (secret === undefined || !isUsable(secret)) return MALFORMED;
  if (so.kind === 'none') return { kind: 'one', secret };
  return so.kind === 'one' && so.secret === secret ? so : CONFLICT;
};

const joinHeader = (
  so: ExtractedCredential,
  value: string | readonly string[] | undefined,
  read: (text: string) => string | undefined,
): ExtractedCredential => {
  if (value === undefined) return so;
  if (typeof value === 'string') return join(so, read(value));
  return value.length > MAX_COPIES ? MALFORMED : value.reduce((verdict, each) => join(verdict, read(each)), so);
};

export const extractCredential = (headers: RawHeaders): ExtractedCredential => {
  let verdict = joinHeader(NONE, headers.get('authorization'), bearerSecret);
  for (const name of DIRECT_HEADERS) verdict = joinHeader(verdict, headers.get(name), withoutBlanks);
  return verdict;
};

/** The value of a cookie that came exactly once: of two, one may have been planted by a neighbouring host. */
export const extractCookie = (headers: RawHeaders, name: string): string | undefined => {
  const lines = [headers.get('cookie') ?? []].flat();
  const values = lines
    .flatMap((line) => line.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value = ''] = values;
  return values.length === 1 && isUsable(value) ? value : undefined;
};
