// Secrets of keys: how they are made, recognised and turned into what is stored. The secret itself is never kept.

import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const LEAD = 'sk-trivium-';
/** 256 bits; what the readable prefix gives away leaves 208. */
const SECRET_BYTES = 32;
const RANDOM_LENGTH = 43;
const CHECK_LENGTH = 6;
const SHOWN_LENGTH = LEAD.length + 8;
const FORM = new RegExp(`^${LEAD}[A-Za-z0-9_-]{${RANDOM_LENGTH + CHECK_LENGTH}}$`);

const checkOf = (random: string): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(random));
  return bytes.toString('base64url');
};

export const newKeySecret = (): string => {
  const random = randomBytes(SECRET_BYTES).toString('base64url');
  return `${LEAD}${random}${checkOf(random)}`;
};

/** Whether we could have made it. Mistyped and invented keys are told apart from real ones without asking the database. */
export const isWellFormed = (secret: string): boolean =>
  FORM.test(secret) && checkOf(secret.slice(LEAD.length, LEAD.length + RANDOM_LENGTH)) === secret.slice(-CHECK_LENGTH);

/** What people recognise a key by. */
export const shownPrefix = (secret: string): string => secret.slice(0, SHOWN_LENGTH);

/** SHA-256 in hex. Enough bits are random that no slow hash and no salt is needed. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');
