/** What the admin API needs of policies beyond their rows. */
import type { Policy } from '../../models/policies/contract.ts';
import type { PolicySet } from '../../models/policies/policy-set.ts';
import type { DatabasePorts } from '../api/route.ts';
import type { KeyPorts } from '../keys/routes.ts';
import type { WirePorts } from '../wire/captured-port.ts';

export interface PoliciesPort {
  /** Those of the configuration file. */
  ofFile(): readonly Policy[];
  /** Those in force, with a draft in place of the one of its name. Throws if it contradicts one. */
  withDraft(draft: Policy): Promise<PolicySet>;
  /** A host or model that a policy names and that is not known here. */
  unknownIn(policy: Policy): string | undefined;
}

export type PolicyPorts = DatabasePorts & { readonly policies: PoliciesPort };

/** A preview plans a request that was, with what is captured of it, as its key. */
export type PreviewPorts = PolicyPorts & WirePorts & Pick<KeyPorts, 'fileKeys'>;
