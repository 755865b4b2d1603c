/** Routing policies at the admin API: for operators only, since they hold for every caller. */
import { canonical } from '../../kernel/canonical.ts';
import { compilePolicies } from '../../models/policies/compile.ts';
import type { Policy as PolicyData } from '../../models/policies/contract.ts';
import { OPERATOR } from '../../store/postgres/store.ts';
import { actorName } from '../api/actor.ts';
import { change } from '../api/change.ts';
import { listOfItems } from '../api/contract.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { routeWith } from '../api/route.ts';
import { Policy, PolicyVersion } from './contract.ts';
import type { PoliciesPort, PolicyPorts } from './ports.ts';
import {
  deleteStepBacks,
  insertPolicy,
  lockPolicies,
  MAX_POLICIES,
  type PolicyRow,
  policiesInForce,
  policyVersions,
  type StepBackRow,
  stepBacks,
} from './rows.ts';

const route = routeWith<PolicyPorts>();

const MAX_VERSIONS = 200;

/** `steppedBack`: absent for a version that is not in force. */
const show = (
  { name, version, policy, created_at, created_by }: PolicyRow,
  steppedBack?: readonly StepBackRow[],
): PolicyVersion => ({
  name,
  version,
  source: 'database',
  policy: policy as PolicyVersion['policy'],
  canary: policy && canaryState(policy, steppedBack),
  createdAt: created_at.toISOString(),
  createdBy: created_by,
});

const showOfFile = (policy: PolicyData, steppedBack: readonly StepBackRow[]): PolicyVersion => ({
  name: policy.name,
  version: 0,
  source: 'file',
  policy: policy as PolicyVersion['policy'],
  canary: canaryState(policy, steppedBack),
  createdAt: null,
  createdBy: null,
});

function canaryState(
  { name, canary }: PolicyData,
  steppedBack: readonly StepBackRow[] | undefined,
): PolicyVersion['canary'] {
  if (canary === undefined || canary === null || steppedBack === undefined) return null;
  const id = canonical(canary);
  const found = steppedBack.find((row) => row.policy === name && row.canary === id);
  if (found === undefined) return { state: 'running', since: null, why: null };
  return { state: 'stepped-back', since: found.stepped_back_at.toISOString(), why: found.reason };
}

function requireNotInFile({ ofFile }: PoliciesPort, name: string): void {
  if (ofFile().some((policy) => policy.name === name))
    throw new AdminProblem('conflict', `Policy "${name}" is in the configuration file. Change it there.`, 'name');
}

/** A policy of the database, of which all names are known here. */
export function requireKnown(policies: PoliciesPort, policy: PolicyData): void {
  requireNotInFile(policies, policy.name);
  const unknown = policies.unknownIn(policy);
  if (unknown !== undefined) throw new AdminProblem('invalid', unknown);
}

/** Throws if a policy is wrong by itself, or contradicts another one. */
export function requireFitting(policy: PolicyData, others: readonly PolicyRow[], policies: PoliciesPort): void {
  const stored = others.flatMap((row) => (row.policy === null || row.name === policy.name ? [] : [row.policy]));
  if (stored.length >= MAX_POLICIES)
    throw new AdminProblem('conflict', `There are ${MAX_POLICIES} policies already. Remove one first.`);
  // The changed one comes last: a problem of two names it.
  const problem = compilePolicies([...policies.ofFile(), ...stored, policy]).problems.at(-1);
  if (problem !== undefined)
    throw new AdminProblem(
      problem.other === undefined ? 'invalid' : 'conflict',
      `Policy "${problem.policy}" ${problem.message}.`,
    );
}

export const policyRoutes = [
  route({
    method: 'GET',
    path: '/policies',
    name: 'listPolicies',
    summary: 'Lists the routing policies in force, those of the configuration file first.',
    permission: 'operator',
    answer: listOfItems(PolicyVersion),
    run: async ({ store, policies }) => {
      const [rows, steppedBack] = await store.within(OPERATOR, async (db) => [
        await policiesInForce(db),
        await stepBacks(db),
      ]);
      const ofFile = policies.ofFile().map((policy) => showOfFile(policy, steppedBack));
      return { items: [...ofFile, ...rows.map((row) => show(row, steppedBack))], next: null };
    },
  }),
  route({
    method: 'POST',
    path: '/policies',
    name: 'savePolicy',
    summary: 'Saves a routing policy: a new one, or the next version of the one with its name. It applies at once.',
    permission: 'operator',
    body: Policy,
    status: 201,
    answer: PolicyVersion,
    run: (asked) => {
      const { policies, actor, body } = asked;
      requireKnown(policies, body);
      return change(asked, 'policy.save', async (db) => {
        await lockPolicies(db);
        const inForce = await policiesInForce(db);
        requireFitting(body, inForce, policies);
        // Replaced as a whole: what the new version leaves out is gone.
        const before = inForce.find(({ name }) => name === body.name);
        const made = await insertPolicy(db, body.name, body, actorName(actor));
        return {
          answer: show(made, await stepBacks(db)),
          subject: body.name,
          detail: {
            version: made.version,
            ...body,
            ...(before && { before: { version: before.version, ...before.policy } }),
          },
        };
      });
    },
  }),
  route({
    method: 'GET',
    path: '/policies/{id}',
    name: 'listPolicyVersions',
    summary: 'Lists the versions of a routing policy, latest first. A version without a policy is its removal.',
    permission: 'operator',
    answer: listOfItems(PolicyVersion),
    run: async ({ store, id, policies }) => {
      const inFile = policies.ofFile().filter(({ name }) => name === id);
      const [rows, steppedBack] = await store.within(OPERATOR, async (db) => [
        await policyVersions(db, id, MAX_VERSIONS),
        await stepBacks(db),
      ]);
      if (rows.length + inFile.length === 0) throw notFound('Policy', id);
      const ofFile = inFile.map((policy) => showOfFile(policy, steppedBack));
      const stored = rows.map((row, place) => show(row, place === 0 && inFile.length === 0 ? steppedBack : undefined));
      return { items: [...ofFile, ...stored], next: null };
    },
  }),
  route({
    method: 'DELETE',
    path: '/policies/{id}',
    name: 'removePolicy',
    summary: 'Removes a routing policy. Its versions stay listed.',
    permission: 'operator',
    answer: PolicyVersion,
    run: (asked) => {
      const { policies, actor, id } = asked;
      requireNotInFile(policies, id);
      return change(asked, 'policy.remove', async (db) => {
        await lockPolicies(db);
        const [latest] = await policyVersions(db, id, 1);
        if (latest === undefined || latest.policy === null) throw notFound('Policy', id);
        const removed = await insertPolicy(db, id, null, actorName(actor));
        return { answer: show(removed), detail: { version: removed.version } };
      });
    },
  }),
  route({
    method: 'POST',
    path: '/policies/{id}/resume',
    name: 'resumeCanary',
    summary: 'Resumes the canary of a routing policy that has stepped back, also of one of the configuration file.',
    permission: 'operator',
    answer: PolicyVersion,
    run: (asked) =>
      change(asked, 'policy.resume', async (db) => {
        const { policies, id } = asked;
        if ((await deleteStepBacks(db, id)) === 0) throw notFound('Step-back of a canary', id);
        const inFile = policies.ofFile().find(({ name }) => name === id);
        if (inFile !== undefined) return { answer: showOfFile(inFile, []) };
        const [latest] = await policyVersions(db, id, 1);
        if (latest === undefined) throw notFound('Policy', id);
        return { answer: show(latest, []) };
      }),
  }),
];
