// The signers of one configuration. A reload keeps unchanged ones, with their cached tokens.

import { createHash } from 'node:crypto';
import type { CredentialState, RequestSigner } from '../../kernel/upstream.ts';
import { readAwsCredential, readKeyPair, readServiceAccount } from '../../models/providers/signers/credentials.ts';
import { type IdentityKind, type MachineIdentity, readIdentity } from '../../models/providers/signers/identities.ts';
import type { SigningScheme } from '../../models/providers/signers/schemes.ts';
import { type AskIssuer, askPlatform, askThrough, type IssuerPorts } from './ask.ts';
import { containerKeys, instanceKeys, webIdentityKeys } from './aws-keys.ts';
import { managedToken, workloadToken } from './azure-identity.ts';
import { tokenSigner } from './bearer-token.ts';
import { externalAccountToken, metadataToken } from './google-identity.ts';
import { keyPairSigner } from './key-pair-signer.ts';
import { readSmallFile, type SigningMachine } from './machine.ts';
import { serviceAccountToken } from './service-account.ts';
import { renewedSigv4Signer, sigv4Signer } from './sigv4-signer.ts';

export type SigningSettings = {
  readonly credential: string;
  readonly variables: Readonly<Record<string, string>>;
};

/** Undefined if the credential does not have the scheme's form, which the configuration has reported. */
export type SignerFor = (scheme: SigningScheme, settings: SigningSettings) => RequestSigner | undefined;

/** `env`, `platform`: of the machine; default: this one. */
export type SigningPorts = IssuerPorts & { readonly env?: SigningMachine['env']; readonly platform?: AskIssuer };

export type NamedState = CredentialState & { readonly identity: string };

export class Signers {
  readonly #machine: SigningMachine;
  #known = new Map<string, RequestSigner>();
  readonly #identities = new WeakMap<RequestSigner, IdentityKind>();

  constructor(ports: SigningPorts) {
    const { env = process.env, platform = askPlatform(), clock } = ports;
    this.#machine = { env, readFile: readSmallFile, ask: askThrough(ports), askPlatform: platform, clock };
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

  /** Of the credentials that are renewed, by what they are. */
  get states(): readonly NamedState[] {
    return [...this.#known.values()].flatMap((signer) => {
      const state = signer.state?.();
      return state === undefined ? [] : [{ ...state, identity: this.#identities.get(signer) ?? 'gcp:service-account' }];
    });
  }

  #make(scheme: SigningScheme, settings: SigningSettings): RequestSigner | undefined {
    const identity = readIdentity(settings.credential);
    if (identity === undefined) return this.#makeOfSecret(scheme, settings);
    const signer = signerOfIdentity(identity, scheme, settings.variables['region'] ?? '', this.#machine);
    if (signer !== undefined) this.#identities.set(signer, identity.kind);
    return signer;
  }

  #makeOfSecret(scheme: SigningScheme, { credential, variables }: SigningSettings): RequestSigner | undefined {
    const { ask, clock } = this.#machine;
    switch (scheme.kind) {
      case 'aws-sigv4': {
        const read = readAwsCredential(credential);
        const place = { service: scheme.service, region: variables['region'] ?? '' };
        return 'value' in read ? sigv4Signer(read.value, place, clock) : undefined;
      }
      case 'key-pair-jwt': {
        const read = readKeyPair(credential);
        return 'value' in read ? keyPairSigner(read.value, clock) : undefined;
      }
      case 'google-oauth': {
        const read = readServiceAccount(credential);
        return 'value' in read
          ? tokenSigner(serviceAccountToken(read.value, scheme.scope, ask, clock), clock)
          : undefined;
      }
      case 'azure-token':
        return undefined;
    }
  }
}

/** Undefined if the identity is one of another cloud than the host's. */
function signerOfIdentity(
  { kind, file = '' }: MachineIdentity,
  scheme: SigningScheme,
  region: string,
  machine: SigningMachine,
): RequestSigner | undefined {
  switch (scheme.kind) {
    case 'aws-sigv4': {
      const issue = {
        'aws:web-identity': webIdentityKeys(machine, region),
        'aws:container': containerKeys(machine),
        'aws:imds': instanceKeys(machine),
      }[kind as string];
      return issue && renewedSigv4Signer(issue, { service: scheme.service, region }, machine.clock);
    }
    case 'google-oauth': {
      const token = {
        'gcp:metadata': metadataToken(machine, scheme.scope),
        'gcp:file': externalAccountToken(machine, file, scheme.scope),
      }[kind as string];
      return token && tokenSigner(token, machine.clock);
    }
    case 'azure-token': {
      const token = {
        'azure:managed': managedToken(machine, scheme.resource),
        'azure:workload': workloadToken(machine, scheme.resource),
      }[kind as string];
      return token && tokenSigner(token, machine.clock);
    }
    case 'key-pair-jwt':
      return undefined;
  }
}

/** By hash, so that no list of secrets is retained for it. */
const keyOf = (scheme: SigningScheme, { credential, variables }: SigningSettings): string =>
  createHash('sha256')
    .update(JSON.stringify([scheme, credential, variables['region']]))
    .digest('base64url');
