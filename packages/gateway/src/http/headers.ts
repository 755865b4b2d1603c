/** Headers from the raw list: lower-case names, repeated ones kept apart, nothing that could reach a prototype. */
import type { RawHeaders } from '../kernel/caller-port.ts';

export function readHeaders(raw: readonly string[]): RawHeaders {
  const headers = new Map<string, string | readonly string[]>();
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    const value = raw[at + 1] ?? '';
    const earlier = headers.get(name);
    if (earlier === undefined) headers.set(name, value);
    else headers.set(name, typeof earlier === 'string' ? [earlier, value] : [...earlier, value]);
  }
  return headers;
}

export const firstHeader = (headers: RawHeaders, name: string): string | undefined => {
  const value = headers.get(name);
  return typeof value === 'string' ? value : value?.[0];
};

/** `application/json`, with any parameters, in any case. One exact rule, since loose ones have been ways around checks. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const semicolon = contentType.indexOf(';');
  const type = semicolon === -1 ? contentType : contentType.slice(0, semicolon);
  return type.trim().toLowerCase() === 'application/json';
}

const MESSAGES_MARKS = ['anthropic-version', 'x-api-key'] as const;

/** Which protocol a caller speaks at a path that several have: these headers are those of one protocol's SDKs. */
export const openProtocol = (headers: Pick<RawHeaders, 'has'>): 'chat' | 'messages' =>
  MESSAGES_MARKS.some((name) => headers.has(name)) ? 'messages' : 'chat';
