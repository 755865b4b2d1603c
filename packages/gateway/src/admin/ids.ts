/** Ids of what operators make: 128 random bits, with a word in front that says what it is. */
import { randomBytes } from 'node:crypto';

const ID_BYTES = 16;

export const newId = (what: 'acc' | 'mem' | 'key' | 'cred' | 'dep' | 'ord' | 'wh' | 'price' | 'dst' | 'msg'): string =>
  `${what}_${randomBytes(ID_BYTES).toString('hex')}`;
