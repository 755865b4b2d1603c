/**
 * Refresh tokens: the first half names the grant and stays, the second changes with every use. So one that was used before
 * shows which grant it is of, though only hashes are stored.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { hashSecret } from '../../people/accounts/key-secret.ts';

/** Not the form of a key or of an access token, so that no call can be made with one; redactors know it by its start. */
const LEAD = 'sk-trivium-rt-';
const [SELECTOR_BYTES, VERIFIER_BYTES, SALT_BYTES] = [16, 32, 32];
const SELECTOR_LENGTH = 22;
const FORM = /^sk-trivium-rt-[A-Za-z0-9_-]{65}$/;

export type RefreshToken = { readonly selector: string; readonly verifier: string };

export const newRefreshToken = (): RefreshToken => ({
  selector: randomBytes(SELECTOR_BYTES).toString('base64url'),
  verifier: randomBytes(VERIFIER_BYTES).toString('base64url'),
});

export const newRotationSalt = (): Buffer => randomBytes(SALT_BYTES);

export const textOf = ({ selector, verifier }: RefreshToken): string => `${LEAD}${selector}${verifier}`;

export const readRefreshToken = (text: string): RefreshToken | undefined =>
  FORM.test(text)
    ? {
        selector: text.slice(LEAD.length, LEAD.length + SELECTOR_LENGTH),
        verifier: text.slice(LEAD.length + SELECTOR_LENGTH),
      }
    : undefined;

/** The same for all who present this token while the salt is kept; it can be had from neither alone. */
export const nextToken = ({ selector, verifier }: RefreshToken, salt: Buffer): RefreshToken => ({
  selector,
  verifier: createHmac('sha256', salt).update(verifier).digest('base64url'),
});

export const hashBytes = (secret: string): Buffer => Buffer.from(hashSecret(secret), 'hex');
