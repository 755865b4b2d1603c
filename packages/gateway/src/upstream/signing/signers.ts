// The signers of one configuration. A reload keeps unchanged ones, with their cached tokens.

import { createHash } from 'node:crypto';
import type { CredentialState, RequestSigner } from '../../kernel/upstream.ts';
import { readAwsCredential, readKeyPair, readServiceAccount } from '../../models/providers/signers/credentials.ts';
import type { Signer } from '../../models/providers/signers/headers.ts';
import { type IdentityKind, type MachineIdentity, readIdentity } from '../../models/providers/signers/identities.ts';
import { isScheme, type Signing, type SigningScheme } from '../../models/providers/signers/schemes.ts';
import { isStoreReference } from '../../models/providers/signers/store-references.ts';
import { type AskIssuer, askPlatform, askThrough, type IssuerPorts } from './ask.ts';
import { containerKeys, instanceKeys, webIdentityKeys } from './aws-keys.ts';
import { managedToken, workloadToken } from './azure-identity.ts';
import { tokenSigner } from './bearer-token.ts';
import { externalAccountToken, metadataToken } from './google-identity.ts';
import { type HeldValue, heldSigner } from './held-signer.ts';
import { keyPairSigner } from './key-pair-signer.ts';
import { readSmallFile, type SigningMachine } from './machine.ts';
import { serviceAccountToken } from './service-account.ts';
import { renewedSigv4Signer, sigv4Signer } from './sigv4-signer.ts';

export type SigningSettings = {
  readonly credential: string;
  readonly variables: Readonly<Record<string, string>>;
};

/** Undefined if the credential does not have the scheme's form, which the configuration has reported. */
export type SignerFor = (signing: Signing, settings: SigningSettings) => RequestSigner | undefined;

/** `env`, `platform`: of the machine; default: this one. `held`: a secret of a store, by its reference. */
export type SigningPorts = IssuerPorts & {
  readonly env?: SigningMachine['env'];
  readonly platform?: AskIssuer;
  readonly held?: (reference: string) => HeldValue | undefined;
};

export type NamedState = CredentialState & { readonly identity: string };

export class Signers {
  readonly #machine: SigningMachine;
  #known = new Map<string, RequestSigner>();
  readonly #identities = new WeakMap<RequestSigner, IdentityKind | 'gcp:service-account'>();
  readonly #held: NonNullable<SigningPorts['held']>;

  constructor(ports: SigningPorts) {
    const { env = process.env, platform = askPlatform(), clock, held = () => undefined } = ports;
    this.#held = held;
    this.#machine = { env, readFile: readSmallFile, ask: askThrough(ports), askPlatform: platform, clock };
  }

  /** For one configuration: signers it does not use are dropped. */
  next(): SignerFor {
    const before = this.#known;
    const now = new Map<string, RequestSigner>();
    this.#known = now;
    return (signing, settings) => {
      if (!isScheme(signing)) return this.#ofStore(settings.credential, (secret) => fixedSigner(signing, secret), true);
      const key = keyOf(signing, settings);
      const signer = now.get(key) ?? before.get(key) ?? this.#make(signing, settings);
      if (signer !== undefined) now.set(key, signer);
      return signer;
    };
  }

  /** Of the credentials that are renewed, by what they are. */
  get states(): readonly NamedState[] {
    return [...this.#known.values()].flatMap((signer) => {
      const state = signer.state?.();
      const identity = this.#identities.get(signer);
      return state === undefined || identity === undefined ? [] : [{ ...state, identity }];
    });
  }

  #ofStore(
    reference: string,
    make: (secret: string) => RequestSigner | undefined,
    ignoresBody: boolean,
  ): RequestSigner | undefined {
    const held = this.#held(reference);
    return held && heldSigner(held, make, ignoresBody);
  }

  #make(scheme: SigningScheme, settings: SigningSettings): RequestSigner | undefined {
    const { credential } = settings;
    if (isStoreReference(credential)) {
      const make = (secret: string) => this.#makeOfSecret(scheme, { ...settings, credential: secret });
      return this.#ofStore(credential, make, scheme.kind !== 'aws-sigv4');
    }
    const identity = readIdentity(credential);
    if (identity === undefined) {
      const made = this.#makeOfSecret(scheme, settings);
      if (made?.state !== undefined) this.#identities.set(made, 'gcp:service-account');
      return made;
    }
    const signer = signerOfIdentity(identity, scheme, settings.variables['region'] ?? '', this.#machine);
    if (signer !== undefined) this.#identities.set(signer, identity.kind);
    return signer;
  }

  #makeOfSecret(scheme: SigningScheme, { credential, variables }: SigningSettings): RequestSigner | undefined {
    const { ask, clock } = this.#machine;
    switch (scheme.kind) {
      case 'aws-sigv4': {
        const read = readAwsCredential(credential);
        const place = { service: scheme.service, region: variables['region'] ?? '', headers: scheme.headers };
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
      const place = { service: scheme.service, region, headers: scheme.headers };
      return issue && renewedSigv4Signer(issue, place, machine.clock, kind === 'aws:imds');
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

/** Headers that characters of the secret would break are not made. */
function fixedSigner(signer: Signer, secret: string): RequestSigner | undefined {
  const headers = signer(secret).flat();
  return HEADER_VALUE.test(secret) ? { sign: () => headers } : undefined;
}

/** Characters allowed in a header. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** By hash, so that no list of secrets is retained for it. */
const keyOf = (scheme: SigningScheme, { credential, variables }: SigningSettings): string =>
  createHash('sha256')
    .update(JSON.stringify([scheme, credential, variables['region']]))
    .digest('base64url');
