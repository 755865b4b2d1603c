/** Routing policies as files declare them. */
import { isDeepStrictEqual } from 'node:util';
import Type from 'typebox';
import { compilePolicies } from '../../models/policies/compile.ts';
import type { Policy as PolicyData } from '../../models/policies/contract.ts';
import { actorName } from '../api/actor.ts';
import { type Applying, declaredKind, type Wanted } from '../api/declared.ts';
import { Policy } from './contract.ts';
import type { PolicyPorts } from './ports.ts';
import { insertPolicy, lockPolicies, MAX_POLICIES, policiesInForce } from './rows.ts';

type At = Applying<PolicyPorts>;

const dataOf = ({ name, value }: Pick<Wanted, 'name' | 'value'>): PolicyData => ({ name, ...value });

/** All are checked together, against those in force that the document does not change here. */
async function save(at: At, wanted: readonly Wanted[]): Promise<void> {
  await lockPolicies(at.db);
  const { ofFile, unknownIn } = at.ports.policies;
  // Models and aliases of the same document are served once it is applied.
  const isElsewhere = ({ model }: { readonly model: string }): boolean =>
    ['model', 'alias'].every((kind) => at.idOf(kind, '', model) === undefined);
  const paths = new Map(wanted.map(({ name, path }) => [name, path]));
  const inForce = await policiesInForce(at.db);
  const others = inForce.flatMap(({ name, policy }) => (policy === null || paths.has(name) ? [] : [policy]));
  if (others.length + wanted.length > MAX_POLICIES) at.report(['policies'], `has more than ${MAX_POLICIES} policies`);
  for (const one of wanted) {
    const policy = dataOf(one);
    const { canary } = policy;
    const unknown = unknownIn({
      ...policy,
      fallbacks: policy.fallbacks?.filter(isElsewhere) ?? null,
      ...(canary?.model !== undefined && !isElsewhere({ model: canary.model }) && { canary: null }),
    });
    if (unknown !== undefined) at.report(one.path, unknown);
    if (ofFile().some(({ name }) => name === one.name))
      at.report(one.path, 'is in the configuration file of the gateway: change it there');
  }
  const { problems } = compilePolicies([...ofFile(), ...others, ...wanted.map(dataOf)]);
  for (const { policy, other = '', message } of problems) {
    const path = paths.get(policy) ?? paths.get(other);
    if (path !== undefined) at.report(path, `policy "${policy}" ${message}`);
  }
  for (const one of wanted) {
    const { version } = await insertPolicy(at.db, one.name, dataOf(one), actorName(at.actor));
    const had = inForce.find(({ name }) => name === one.name);
    const detail = { version, ...one.value, ...(had && { before: { version: had.version, ...had.policy } }) };
    at.note({ accountId: null, action: 'policy.save', subject: one.name, detail });
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
