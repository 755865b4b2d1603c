// The only place that reads a caller's secret from headers. Pure: the same headers always give the same verdict.

/** Names in lower case; a header that came more than once has a list. */
export type RawHeaders = ReadonlyMap<string, string | readonly string[]>;

export type ExtractedCredential =
  | { readonly kind: 'one'; readonly secret: string }
  | { readonly kind: 'none' }
  /** Two secrets that differ: guessing which one was meant would be a hole. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'malformed' };

export const MAX_CREDENTIAL_LENGTH = 512;
/** The scheme and some blanks. */
const MAX_SURROUNDINGS = 64;
/** More copies of one header than any client sends by accident. */
const MAX_COPIES = 8;

const BEARER = /^bearer +(.*)$/is;
/** Visible ASCII: no key ever needs more, and anything else could split a header or a log line. */
const PLAIN_SECRET = /^[\x21-\x7e]+$/;

const NONE = { kind: 'none' } as const;
const CONFLICT = { kind: 'conflict' } as const;
const MALFORMED = { kind: 'malformed' } as const;

const valuesOf = (headers: RawHeaders, name: string): readonly string[] => {
  const value = headers.get(name);
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
};

/** Checked before any pattern runs, so that no value can make one slow. */
const isTooLong = (value: string): boolean => value.length > MAX_CREDENTIAL_LENGTH + MAX_SURROUNDINGS;

const SPACES_AROUND = /^[ \t]+|[ \t]+$/g;
/** Undefined means malformed; empty counts as absent, since SDKs send that when their own key is unset. */
const plain = (value: string): string | undefined => (isTooLong(value) ? undefined : value.replace(SPACES_AROUND, ''));

const bearerSecret = (value: string): string | undefined => {
  const trimmed = plain(value);
  if (trimmed === undefined) return undefined;
  if (trimmed === '' || trimmed.toLowerCase() === 'bearer') return '';
  return BEARER.exec(trimmed)?.[1];
};

export const extractCredential = (headers: RawHeaders): ExtractedCredential => {
  const bearers = valuesOf(headers, 'authorization');
  const direct = [...valuesOf(headers, 'x-api-key'), ...valuesOf(headers, 'x-goog-api-key')];
  if (bearers.length > MAX_COPIES || direct.length > 2 * MAX_COPIES) return MALFORMED;
  const found = new Set<string>();
  for (const secret of [...bearers.map(bearerSecret), ...direct.map(plain)]) {
    if (secret === undefined) return MALFORMED;
    if (secret === '') continue;
    if (secret.length > MAX_CREDENTIAL_LENGTH || !PLAIN_SECRET.test(secret)) return MALFORMED;
    found.add(secret);
  }
  if (found.size > 1) return CONFLICT;
  for (const secret of found) return { kind: 'one', secret };
  return NONE;
};
