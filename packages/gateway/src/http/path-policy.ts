/**
 * The only parser of a request's target, for routing and for authorisation alike. A target that is not canonical is
 * refused, not repaired.
 */
import type { Fault } from '@trivium/protocol/canonical';

export type ParsedTarget = {
  readonly path: string;
  readonly segments: readonly string[];
  readonly query: ReadonlyMap<string, string>;
};

/** Origin form only. Empty, dot and backslash segments, parameters and control characters are refused. */
const CANONICAL = /^\/[A-Za-z0-9\-._~!$&'()*+,=:@%/]*$/;
const NO_QUERY: ReadonlyMap<string, string> = new Map();

export function parseTarget(target: string, maxLength: number): ParsedTarget | undefined {
  if (target.length > maxLength) return undefined;
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  if (!CANONICAL.test(path) || path.includes('//')) return undefined;
  const segments: string[] = [];
  for (const raw of path.slice(1).split('/')) {
    const segment = raw.includes('%') ? decode(raw) : raw;
    if (segment === undefined || segment === '.' || segment === '..') return undefined;
    segments.push(segment);
  }
  // A trailing slash is the only leniency: SDK base URLs often end in one.
  if (segments.length > 1 && segments[segments.length - 1] === '') segments.pop();
  return { path, segments, query: mark === -1 ? NO_QUERY : parseQuery(target.slice(mark + 1)) };
}

/** `%2F` is allowed, since model ids contain slashes; bytes that could end a string or a line are not. */
function decode(raw: string): string | undefined {
  try {
    const text = decodeURIComponent(raw);
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code < 0x20 || code === 0x7f || code === 0x5c) return undefined;
    }
    if (text.split('/').some((part) => part === '.' || part === '..')) return undefined;
    return text;
  } catch {
    return undefined;
  }
}

/** The first value of a name counts. */
function parseQuery(text: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) if (!query.has(name)) query.set(name, value);
  return query;
}

const BENT: Fault = { kind: 'malformed', message: 'The request path is not in canonical form.' };
const NONE_STORED: Fault = {
  kind: 'unknown-operation',
  message: 'There is no stored response, conversation or video at this path.',
  code: 'not_found',
};
const BELOW_STORED = /\/(?:responses|conversations|videos)\//;

/** An id that is no id is answered as one that does not exist, so that callers learn nothing from the difference. */
export const bentPath = (target: string): Fault => (BELOW_STORED.test(target) ? NONE_STORED : BENT);
