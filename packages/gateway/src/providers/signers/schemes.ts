// Ways of signing that need a clock, the request's bytes or a token first: named here as data, worked out in `signing/`.

import type { Signer } from './headers.ts';

export type SigningScheme =
  /** AWS Signature Version 4 with an access key, or a key of the service's own as a bearer token. */
  | { readonly kind: 'aws-sigv4'; readonly service: string }
  /** A service account's key, exchanged for access tokens. */
  | { readonly kind: 'google-oauth'; readonly scope: string }
  /** A short-lived token, signed with a secret and named after its key. */
  | { readonly kind: 'key-pair-jwt' };

export type Signing = Signer | SigningScheme;

export const isScheme = (signing: Signing): signing is SigningScheme => typeof signing !== 'function';

/** Variables a scheme reads, beside those of the address. */
export const variablesOfSigning = (signing: Signing): readonly string[] =>
  isScheme(signing) && signing.kind === 'aws-sigv4' ? ['region'] : [];

export const KEY_PAIR: SigningScheme = { kind: 'key-pair-jwt' };

export const GOOGLE_CLOUD: SigningScheme = {
  kind: 'google-oauth',
  scope: 'https://www.googleapis.com/auth/cloud-platform',
};
