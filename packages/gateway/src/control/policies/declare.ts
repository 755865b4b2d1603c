/** Routing policies as files declare them. */
import { isDeepStrictEqual } from 'node:util';
import Type from 'typebox';
import type { Policy as PolicyData } from '../../models/policies/contract.ts';
import { actorName } from '../api/actor.ts';
import { type Applying, declaredKind, type Wanted } from '../api/declared.ts';
import { AdminProblem } from '../api/problem.ts';
import { Policy } from './contract.ts';
import type { PolicyPorts } from './ports.ts';
import { requireFitting, requireNotInFile } from './routes.ts';
import { insertPolicy, lockPolicies, MAX_POLICIES, policiesInForce } from './rows.ts';

type At = Applying<PolicyPorts>;

const dataOf = ({ name, value }: Pick<Wanted, 'name' | 'value'>): PolicyData => ({ name, ...value });

/** Each is checked against those in force, with what this run has saved before. */
async function save(at: At, wanted: readonly Wanted[]): Promise<void> {
  await lockPolicies(at.db);
  const { ofFile, unknownIn } = at.ports.policies;
  // Models and aliases of the same document are served once it is applied.
  const isElsewhere = ({ model }: { readonly model: string }): boolean =>
    ['model', 'alias'].every((kind) => at.idOf(kind, '', model) === undefined);
  const policies = {
    ofFile,
    unknownIn: (policy: PolicyData) =>
      unknownIn({ ...policy, fallbacks: policy.fallbacks?.filter(isElsewhere) ?? null }),
  };
  for (const one of wanted) {
    try {
      requireNotInFile(policies, one.name);
      requireFitting(dataOf(one), await policiesInForce(at.db), policies);
    } catch (error) {
      if (!(error instanceof AdminProblem)) throw error;
      at.report(one.path, error.message);
      continue;
    }
    const { version } = await insertPolicy(at.db, one.name, dataOf(one), actorName(at.actor));
    at.note({ accountId: null, action: 'policy.save', subject: one.name, detail: { version, ...one.value } });
  }
}

export const policyKind = declaredKind<PolicyPorts>({
  kind: 'policy',
  permission: 'operator',
  schema: {
    top: {
      policies: Type.Optional(
        Type.Array(Policy, { maxItems: MAX_POLICIES, description: 'Routing policies. Complete if given.' }),
      ),
    },
  },
  *wanted(document) {
    for (const [index, entry] of ((document['policies'] ?? []) as readonly PolicyData[]).entries()) {
      const { name, ...value } = entry;
      yield { account: '', name, value, path: ['policies', index] };
    }
  },
  isListed: (document) => document['policies'] !== undefined,
  read: async ({ db, actor }) =>
    actor.kind === 'operator'
      ? (await policiesInForce(db)).map(({ name, policy }) => {
          const { name: _name, ...value } = policy as PolicyData;
          return { account: '', name, id: name, value };
        })
      : [],
  // A policy is replaced as a whole: a member that the file leaves out is gone.
  difference: (_at, { value: after }, had) =>
    had === undefined ? { after } : isDeepStrictEqual(after, had.value) ? undefined : { before: had.value, after },
  create: save,
  change: (at, changes) =>
    save(
      at,
      changes.map(({ wanted }) => wanted),
    ),
  remove: async (at, had) => {
    await lockPolicies(at.db);
    for (const { name } of had) {
      const { version } = await insertPolicy(at.db, name, null, actorName(at.actor));
      at.note({ accountId: null, action: 'policy.remove', subject: name, detail: { version } });
    }
  },
  write: (had, into) => {
    if (had.length > 0) into.top['policies'] = had.map(({ name, value }) => ({ name, ...value }));
  },
});
