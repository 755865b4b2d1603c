// `policies`: what the operator says of routing. Contradictions between them are problems of the file.

import Type from 'typebox';
import { compilePolicies } from '../../models/policies/compile.ts';
import { Policy } from '../../models/policies/contract.ts';
import type { Building } from './parts.ts';

const MAX_POLICIES = 10_000;

export const policiesSchema = Type.Array(Policy, {
  maxItems: MAX_POLICIES,
  default: [],
  description:
    'Routing policies: fallbacks, order, shares and limits of hosts that hold whatever callers send. See `docs/operate/routing.md`.',
});

export const checkPolicies = (policies: readonly Policy[], { report }: Building): void => {
  for (const { policy, message } of compilePolicies(policies).problems)
    report(['policies', policies.findLastIndex(({ name }) => name === policy)], message);
};
