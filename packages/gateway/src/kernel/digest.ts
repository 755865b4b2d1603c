/** A short name for a text. Equal texts have equal names; nothing secret is hashed, so it only has to be quick. */
import { hash } from 'node:crypto';

export const digest = (text: string): string => hash('sha1', text, 'base64url');
