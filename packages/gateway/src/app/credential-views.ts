/** Credentials of a provider as operators see them: what they are and when they are renewed, never their values. */
import type { ProviderSettings } from '../config/config.ts';
import type { ShownCredential } from '../control/providers/contract.ts';
import type { CredentialState, RequestSigner } from '../kernel/upstream.ts';
import { readIdentity } from '../models/providers/signers/identities.ts';
import { isStoreReference } from '../models/providers/signers/store-references.ts';
import type { BuiltEngine } from './build-engine.ts';

type Shown = Omit<ShownCredential, 'position' | 'source'>;

/** In the order they are tried in. */
export function credentialsAt(
  { directory }: BuiltEngine,
  provider: string,
  { credential, spareCredentials = [] }: Partial<ProviderSettings> = {},
): readonly Shown[] {
  const signers = new Map<number, RequestSigner | undefined>();
  for (const id of directory.modelIds) {
    const { targets = [], imageTargets = [] } = directory.find(id) ?? {};
    for (const target of [...targets, ...imageTargets].flatMap((one) => [one, ...(one.spares ?? [])]))
      if (target.provider === provider) signers.set(target.credential ?? 1, target.signer);
  }
  return [...(credential === undefined ? [] : [credential]), ...spareCredentials].map((text, index) => ({
    identity: readIdentity(text)?.kind ?? (isStoreReference(text) ? text : null),
    renewal: renewalOf(signers.get(index + 1)?.state?.()),
  }));
}

const moment = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function renewalOf(state: CredentialState | undefined): Shown['renewal'] {
  if (state === undefined) return null;
  const { issuedAtMs, renewAtMs, endsAtMs, failedAtMs, failure } = state;
  return {
    issuedAt: moment(issuedAtMs),
    renewsAt: moment(renewAtMs),
    endsAt: moment(endsAtMs),
    failedAt: moment(failedAtMs),
    failure,
  };
}
