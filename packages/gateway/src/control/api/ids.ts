/** Ids of objects that operators create: 128 random bits, with a prefix for the type. */
import { randomBytes } from 'node:crypto';

const ID_BYTES = 16;

export const newId = (
  what: 'acc' | 'mem' | 'key' | 'cred' | 'dep' | 'ord' | 'wh' | 'price' | 'dst' | 'msg' | 'link' | 'view',
): string => `${what}_${randomBytes(ID_BYTES).toString('hex')}`;
