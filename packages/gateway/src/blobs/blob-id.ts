/**
 * The names of blobs: whose it is, until when it is kept, and what nobody can guess. Made here only, so that nothing a
 * caller or an upstream says ever becomes part of a path, and a sweep knows from the name alone what has expired.
 */
import { createHash, randomBytes } from 'node:crypto';

export type BlobName = { readonly owner: string; readonly expiresAtMs: number };

const OWNER_LENGTH = 16;
const SECOND_DIGITS = 8;
const RANDOM_BYTES = 16;
const FORM = /^([0-9a-f]{16})-([0-9a-z]{8})-[0-9a-f]{32}$/;

/** Stands for an account without naming it. */
const ownerOf = (accountId: string): string =>
  createHash('sha256').update(accountId).digest('hex').slice(0, OWNER_LENGTH);

export function newBlobId(accountId: string, expiresAtMs: number): string {
  const seconds = Math.ceil(expiresAtMs / 1000)
    .toString(36)
    .padStart(SECOND_DIGITS, '0');
  return `${ownerOf(accountId)}-${seconds}-${randomBytes(RANDOM_BYTES).toString('hex')}`;
}

/** Undefined for whatever was not made here. */
export function readBlobId(id: string): BlobName | undefined {
  const [, owner, seconds] = FORM.exec(id) ?? [];
  if (owner === undefined || seconds === undefined) return undefined;
  return { owner, expiresAtMs: Number.parseInt(seconds, 36) * 1000 };
}
