/** A short digest of a text. Nothing secret is hashed, so it only has to be fast. */
import { hash } from 'node:crypto';

export const digest = (text: string): string => hash('sha1', text, 'base64url');
