// Shared by all dialects to validate a request: the first error wins, and credentials are accepted or not.

import { isAccessToken, isTokenValid } from '../cloud/service-accounts.ts';
import type { DialectOptions } from './dialect.ts';

/** Always rejected, so that tests of bad credentials need no configuration. */
export const NEVER_VALID = 'sk-invalid';

/** The first objection to one of several things. */
export function firstOf<Item, Objection>(
  items: readonly Item[],
  check: (item: Item, at: number) => Objection | undefined,
): Objection | undefined {
  for (const [at, item] of items.entries()) {
    const objection = check(item, at);
    if (objection !== undefined) return objection;
  }
  return undefined;
}

/** What a table of models knows of one. */
export function findFamily<Family extends { readonly pattern: RegExp }>(
  model: string,
  families: readonly Family[],
): Family | undefined {
  return families.find((family) => family.pattern.test(model));
}

/** The place of the first entry that equals an earlier one, or -1. */
export function repeatAt(entries: readonly unknown[]): number {
  return entries.findIndex((entry, at) => entries.indexOf(entry) !== at);
}

export function isAccepted(credential: string, options: DialectOptions): boolean {
  if (isAccessToken(credential)) return isTokenValid(credential, Date.now());
  return options.credential === undefined ? !credential.startsWith(NEVER_VALID) : credential === options.credential;
}

export function bearerOf(authorization: string | undefined): string {
  return /^Bearer +(.+)$/u.exec(authorization ?? '')?.[1] ?? '';
}

export function isJsonContent(contentType: string | undefined): boolean {
  return /^application\/json\s*(;|$)/iu.test(contentType ?? '');
}

/** A stray percent sign gives an unknown name, not a failure. */
export function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u;

export function isBase64(text: string): boolean {
  return text !== '' && BASE64.test(text);
}

const HEAD_CHARACTERS = 32;

/** The image type according to the first bytes. */
export function imageTypeOf(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64');
  if (head.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))) return 'image/png';
  if (head.subarray(0, 2).equals(Buffer.from([0xff, 0xd8]))) return 'image/jpeg';
  if (head.subarray(0, 4).toString('latin1') === 'GIF8') return 'image/gif';
  return head.subarray(8, 12).toString('latin1') === 'WEBP' ? 'image/webp' : undefined;
}
