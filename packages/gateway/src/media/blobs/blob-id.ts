/**
 * The ids of blobs: owner, expiry and a random part. Created only here, so that no text of a caller or an upstream
 * becomes part of a path, and a sweep knows from the id alone what has expired.
 */
import { createHash, randomBytes } from 'node:crypto';

export type BlobName = { readonly owner: string; readonly expiresAtMs: number };

const OWNER_LENGTH = 16;
const SECOND_DIGITS = 8;
const RANDOM_BYTES = 16;
const FORM = /^([0-9a-f]{16})-([0-9a-z]{8})-[0-9a-f]{32}$/;
const OWNER_FORM = /^[0-9a-f]{16}$/;

/** Identifies an account without naming it. */
const ownerOf = (accountId: string): string =>
  createHash('sha256').update(accountId).digest('hex').slice(0, OWNER_LENGTH);

/** Whether a name has the form of an owner. */
export const isOwner = (name: string): boolean => OWNER_FORM.test(name);

export function newBlobId(accountId: string, expiresAtMs: number): string {
  const seconds = Math.ceil(expiresAtMs / 1000)
    .toString(36)
    .padStart(SECOND_DIGITS, '0');
  return `${ownerOf(accountId)}-${seconds}-${randomBytes(RANDOM_BYTES).toString('hex')}`;
}

/** Undefined for any text that is not such an id. */
export function readBlobId(id: string): BlobName | undefined {
  const [, owner, seconds] = FORM.exec(id) ?? [];
  if (owner === undefined || seconds === undefined) return undefined;
  return { owner, expiresAtMs: Number.parseInt(seconds, 36) * 1000 };
}
