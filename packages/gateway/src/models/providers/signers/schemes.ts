// Signing schemes that need a clock, the request's bytes or a token first: named here as data, implemented in
// `signing/`.

import type { Signer } from './headers.ts';
import { type Cloud, readIdentity } from './identities.ts';

export type SigningScheme =
  /** AWS Signature Version 4 with an access key, or a service-specific key as a bearer token. */
  | {
      readonly kind: 'aws-sigv4';
      readonly service: string;
      /** Besides those of every request of JSON: signed, and to be sent as they are. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** A service account's key, exchanged for access tokens. */
  | { readonly kind: 'google-oauth'; readonly scope: string }
  /** The identity of the machine at Microsoft, for tokens to use `resource`. */
  | { readonly kind: 'azure-token'; readonly resource: string }
  /** A short-lived JWT, signed with the secret key; its issuer is the access key. */
  | { readonly kind: 'key-pair-jwt' };

export type Signing = Signer | SigningScheme;

export const isScheme = (signing: Signing): signing is SigningScheme => typeof signing !== 'function';

const CLOUDS: Readonly<Partial<Record<SigningScheme['kind'], Cloud>>> = {
  'aws-sigv4': 'aws',
  'google-oauth': 'gcp',
  'azure-token': 'azure',
};

type Signed = { readonly sign: Signing; readonly identity?: SigningScheme };

/** How a host is signed for with this credential: an identity of the machine may need another scheme than a secret. */
export const signingWith = ({ sign, identity }: Signed, credential: string): Signing =>
  identity !== undefined && readIdentity(credential) !== undefined ? identity : sign;

/** The cloud whose identities a host takes; undefined: none. */
export const cloudOf = ({ sign, identity }: Signed): Cloud | undefined => {
  const scheme = identity ?? sign;
  return isScheme(scheme) ? CLOUDS[scheme.kind] : undefined;
};

/** Variables a scheme reads, besides those of the URL. */
export const variablesOfSigning = (signing: Signing): readonly string[] =>
  isScheme(signing) && signing.kind === 'aws-sigv4' ? ['region'] : [];

export const KEY_PAIR: SigningScheme = { kind: 'key-pair-jwt' };

export const AZURE_AI: SigningScheme = { kind: 'azure-token', resource: 'https://cognitiveservices.azure.com' };

export const GOOGLE_CLOUD: SigningScheme = {
  kind: 'google-oauth',
  scope: 'https://www.googleapis.com/auth/cloud-platform',
};
