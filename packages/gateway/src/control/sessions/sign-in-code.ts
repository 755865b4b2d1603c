/**
 * One-time sign-in codes, and the link that carries one: in its fragment, which browsers do not send and servers do not
 * log.
 */
import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../people/accounts/key-secret.ts';

const CODE_BYTES = 32;
export const SIGN_IN_PAGE = '/console/sign-in';

export type SignInCode = { readonly code: string; readonly url: string; readonly expiresAt: string };

export function newSignInCode(): { readonly hash: string; show(origin: string, expiresAt: Date): SignInCode } {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  return {
    hash: hashSecret(code),
    show: (origin, expiresAt) => ({
      code,
      url: `${origin}${SIGN_IN_PAGE}#code=${code}`,
      expiresAt: expiresAt.toISOString(),
    }),
  };
}
