/** What the admin API needs of policies beyond their rows. */
import type { Policy } from '../../models/policies/contract.ts';
import type { DatabasePorts } from '../api/route.ts';

export interface PoliciesPort {
  /** Those of the configuration file. */
  ofFile(): readonly Policy[];
  /** A host or model that a policy names and that is not known here. */
  unknownIn(policy: Policy): string | undefined;
}

export type PolicyPorts = DatabasePorts & { readonly policies: PoliciesPort };
