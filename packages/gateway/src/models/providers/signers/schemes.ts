// Signing schemes that need a clock, the request's bytes or a token first: named here as data, implemented in
// `signing/`.

import type { Signer } from './headers.ts';

export type SigningScheme =
  /** AWS Signature Version 4 with an access key, or a service-specific key as a bearer token. */
  | { readonly kind: 'aws-sigv4'; readonly service: string }
  /** A service account's key, exchanged for access tokens. */
  | { readonly kind: 'google-oauth'; readonly scope: string }
  /** A short-lived JWT, signed with the secret key; its issuer is the access key. */
  | { readonly kind: 'key-pair-jwt' };

export type Signing = Signer | SigningScheme;

export const isScheme = (signing: Signing): signing is SigningScheme => typeof signing !== 'function';

/** Variables a scheme reads, besides those of the URL. */
export const variablesOfSigning = (signing: Signing): readonly string[] =>
  isScheme(signing) && signing.kind === 'aws-sigv4' ? ['region'] : [];

export const KEY_PAIR: SigningScheme = { kind: 'key-pair-jwt' };

export const GOOGLE_CLOUD: SigningScheme = {
  kind: 'google-oauth',
  scope: 'https://www.googleapis.com/auth/cloud-platform',
};
