// Secrets of keys: how they are generated, recognised and hashed. The secret itself is never stored.

import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const LEAD = 'sk-trivium-';
/** Of the tokens of people who signed in from a program. The length tells them from keys. */
const TOKEN_LEAD = `${LEAD}at-`;
/** 256 bits; 208 without the part that the readable prefix reveals. */
const SECRET_BYTES = 32;
const RANDOM_LENGTH = 43;
const CHECK_LENGTH = 6;
const SHOWN_LENGTH = LEAD.length + 8;
const FORM = new RegExp(`^${LEAD}(?:at-)?[A-Za-z0-9_-]{${RANDOM_LENGTH + CHECK_LENGTH}}$`);

const checkOf = (random: string): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(random));
  return bytes.toString('base64url');
};

const newSecret = (lead: string): string => {
  const random = randomBytes(SECRET_BYTES).toString('base64url');
  return `${lead}${random}${checkOf(random)}`;
};

export const newKeySecret = (): string => newSecret(LEAD);
export const newAccessToken = (): string => newSecret(TOKEN_LEAD);

/** Whether form and checksum fit. Rejects mistyped and invented keys and tokens without asking the database. */
export const isWellFormed = (secret: string): boolean =>
  FORM.test(secret) &&
  checkOf(secret.slice(-CHECK_LENGTH - RANDOM_LENGTH, -CHECK_LENGTH)) === secret.slice(-CHECK_LENGTH);

/** The prefix by which people recognise a key. */
export const shownPrefix = (secret: string): string => secret.slice(0, SHOWN_LENGTH);

/** SHA-256 in hex. The secret has enough random bits that no slow hash and no salt is needed. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');
