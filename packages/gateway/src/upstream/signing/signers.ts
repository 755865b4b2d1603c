// The signers of one configuration. A reload keeps unchanged ones, with their cached tokens.

import { createHash } from 'node:crypto';
import type { RequestSigner } from '../../kernel/upstream.ts';
import { readAwsCredential, readKeyPair, readServiceAccount } from '../../models/providers/signers/credentials.ts';
import type { SigningScheme } from '../../models/providers/signers/schemes.ts';
import { GoogleTokenSigner, type TokenPorts } from './google-token-signer.ts';
import { keyPairSigner } from './key-pair-signer.ts';
import { sigv4Signer } from './sigv4-signer.ts';

export type SigningSettings = {
  readonly credential: string;
  readonly variables: Readonly<Record<string, string>>;
};

/** Undefined if the credential does not have the scheme's form, which the configuration has reported. */
export type SignerFor = (scheme: SigningScheme, settings: SigningSettings) => RequestSigner | undefined;

export class Signers {
  readonly #ports: TokenPorts;
  #known = new Map<string, RequestSigner>();

  constructor(ports: TokenPorts) {
    this.#ports = ports;
  }

  /** For one configuration: signers it does not use are dropped. */
  next(): SignerFor {
    const before = this.#known;
    const now = new Map<string, RequestSigner>();
    this.#known = now;
    return (scheme, settings) => {
      const key = keyOf(scheme, settings);
      const signer = now.get(key) ?? before.get(key) ?? this.#make(scheme, settings);
      if (signer !== undefined) now.set(key, signer);
      return signer;
    };
  }

  #make(scheme: SigningScheme, { credential, variables }: SigningSettings): RequestSigner | undefined {
    switch (scheme.kind) {
      case 'aws-sigv4': {
        const read = readAwsCredential(credential);
        const place = { service: scheme.service, region: variables['region'] ?? '' };
        return 'value' in read ? sigv4Signer(read.value, place, this.#ports.clock) : undefined;
      }
      case 'key-pair-jwt': {
        const read = readKeyPair(credential);
        return 'value' in read ? keyPairSigner(read.value, this.#ports.clock) : undefined;
      }
      case 'google-oauth': {
        const read = readServiceAccount(credential);
        return 'value' in read ? new GoogleTokenSigner(read.value, scheme.scope, this.#ports) : undefined;
      }
    }
  }
}

/** By hash, so that no list of secrets is retained for it. */
const keyOf = (scheme: SigningScheme, { credential, variables }: SigningSettings): string =>
  createHash('sha256')
    .update(JSON.stringify([scheme, credential, variables['region']]))
    .digest('base64url');
