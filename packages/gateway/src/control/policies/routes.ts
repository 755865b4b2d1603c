/** Routing policies at the admin API: for operators only, since they hold for every caller. */
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
import { insertPolicy, lockPolicies, MAX_POLICIES, type PolicyRow, policiesInForce, policyVersions } from './rows.ts';

const route = routeWith<PolicyPorts>();

const MAX_VERSIONS = 200;

const show = ({ name, version, policy, created_at, created_by }: PolicyRow): object => ({
  name,
  version,
  source: 'database',
  policy,
  createdAt: created_at.toISOString(),
  createdBy: created_by,
});

const showOfFile = (policy: PolicyData): object => ({
  name: policy.name,
  version: 0,
  source: 'file',
  policy,
  createdAt: null,
  createdBy: null,
});

function requireNotInFile({ ofFile }: PoliciesPort, name: string): void {
  if (ofFile().some((policy) => policy.name === name))
    throw new AdminProblem('conflict', `Policy "${name}" is in the configuration file. Change it there.`, 'name');
}

/** Throws if a policy is wrong by itself, or contradicts another one. */
function requireFitting(policy: PolicyData, others: readonly PolicyRow[], policies: PoliciesPort): void {
  const unknown = policies.unknownIn(policy);
  if (unknown !== undefined) throw new AdminProblem('invalid', unknown);
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
      const rows = await store.within(OPERATOR, policiesInForce);
      return { items: [...policies.ofFile().map(showOfFile), ...rows.map(show)], next: null };
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
      requireNotInFile(policies, body.name);
      return change(asked, 'policy.save', async (db) => {
        await lockPolicies(db);
        requireFitting(body, await policiesInForce(db), policies);
        const made = await insertPolicy(db, body.name, body, actorName(actor));
        return { answer: show(made), subject: body.name, detail: { version: made.version, ...body } };
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
      const rows = await store.within(OPERATOR, (db) => policyVersions(db, id, MAX_VERSIONS));
      if (rows.length + inFile.length === 0) throw notFound('Policy', id);
      return { items: [...inFile.map(showOfFile), ...rows.map(show)], next: null };
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
];
