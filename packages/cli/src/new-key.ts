// A fresh key secret: 256 random bits, in a form people and secret scanners recognise.

import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

export const newKeySecret = (): string => `sk-trivium-${randomBytes(SECRET_BYTES).toString('base64url')}`;
