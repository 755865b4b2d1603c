/** Short digests of a text. Nothing secret is hashed, so they only have to be fast. */
import { hash } from 'node:crypto';

export const digest = (text: string): string => hash('sha1', text, 'base64url');

const BYTES = 6;

/** At least 0 and below 1: the same for the same text, on every node and after every start. */
export const fractionOf = (text: string): number =>
  hash('sha1', text, 'buffer').readUIntBE(0, BYTES) / 2 ** (BYTES * 8);
