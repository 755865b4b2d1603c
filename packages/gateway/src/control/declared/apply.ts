/** Makes an installation match a document, in one transaction: all of it, or nothing. And the reverse: an installation as a document. */
import { OPERATOR } from '../../store/postgres/store.ts';
import { type Actor, actorName } from '../api/actor.ts';
import { type Declaration, type DeclaredValue, type Exporting, identityOf } from '../api/declared.ts';
import { AdminProblem } from '../api/problem.ts';
import { fullName, Run } from './applying.ts';
import type { Applied } from './contract.ts';
import { DECLARED_KINDS, type DeclaredPorts } from './kinds.ts';
import { type DeclaredPlan, planOf } from './plan.ts';
import { forgetThings, keepThings, lockApply } from './rows.ts';

export type ApplyChoices = {
  readonly prune?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly takeSecrets?: boolean | undefined;
};

/** A secret that is not taken would be lost, and its key useless. */
function requireTaken({ kinds }: DeclaredPlan, takeSecrets: boolean): void {
  const made = kinds.flatMap(({ kind, created }) =>
    created.filter((one) => kind.hasSecret?.(one) === true).map((one) => `${kind.kind} ${fullName(one)}`),
  );
  if (takeSecrets || made.length === 0) return;
  const more = made.length > 3 ? ` and ${made.length - 3} more` : '';
  throw new AdminProblem(
    'conflict',
    `This makes ${made.length === 1 ? 'a new secret' : `${made.length} new secrets`} (${made.slice(0, 3).join(', ')}${more}): say where secrets go.`,
    'takeSecrets',
  );
}

async function make(run: Run, { kinds }: DeclaredPlan): Promise<void> {
  for (const { kind, created, changed } of kinds) {
    if (created.length > 0) await kind.create(run, created);
    if (changed.length > 0) await kind.change(run, changed);
  }
  for (const { kind, removed } of [...kinds].reverse()) if (removed.length > 0) await kind.remove?.(run, removed);
}

/** Kept as it was wanted: what differs from it later was changed by hand. */
async function keep(run: Run, { kinds }: DeclaredPlan): Promise<void> {
  const wanted = kinds.flatMap(({ kind: { kind, permission }, wanted: things }) =>
    // What only operators declare is theirs to prune.
    (permission === 'operator' && run.actor.kind !== 'operator' ? [] : things).map((one) => ({
      account: one.account,
      kind,
      name: identityOf(one),
      value: one.value,
    })),
  );
  const isOther = wanted.filter(({ account, kind, name, value }) => {
    const kept = run.kept(kind, account, name);
    return kept === undefined || JSON.stringify(sorted(kept)) !== JSON.stringify(sorted(value));
  });
  await keepThings(run.db, isOther, actorName(run.actor));
  const removed = kinds.flatMap(({ kind: { kind }, removed: things }) =>
    things.flatMap((one) =>
      [identityOf(one), ...(one.aliases ?? [])].map((name) => ({ account: one.account, kind, name })),
    ),
  );
  await forgetThings(run.db, removed);
}

export async function applyDeclared(
  ports: DeclaredPorts,
  actor: Actor,
  document: Declaration,
  { prune = false, dryRun = false, takeSecrets = false }: ApplyChoices,
): Promise<Applied> {
  const tenant = actor.kind === 'operator' ? OPERATOR : actor.accountId;
  const { run, plan } = await ports.store.within(tenant, async (db) => {
    await lockApply(db);
    const run = await Run.begin(ports, db, actor, document);
    const plan = await planOf(run, document, prune);
    if (!dryRun) {
      requireTaken(plan, takeSecrets);
      await make(run, plan);
      await keep(run, plan);
      await run.finish();
    }
    return { run, plan };
  });
  if (!dryRun) {
    for (const account of run.changedAccounts) ports.tell(`account:${account}`);
    for (const work of run.later) await work();
  }
  const { changes, leftAlone } = plan;
  return { applied: !dryRun, changes: [...changes], leftAlone, secrets: run.secrets };
}

/** The same text for the same state: members of objects in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

/** Members that people look for first come first; below them, names decide. */
const FIRST = ['id', 'name', 'key', 'url', 'kind', 'model', 'provider', 'email', 'role', 'member', 'from'];

function ordered(row: DeclaredValue): DeclaredValue {
  const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return Object.fromEntries(
    Object.entries(row)
      .sort(([one], [other]) => rank(one) - rank(other) || (one < other ? -1 : 1))
      .map(([name, value]) => [
        name,
        Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null)
          ? value.map((one: DeclaredValue) => ordered(one))
          : sorted(value),
      ]),
  );
}

export async function exportDeclared(ports: DeclaredPorts, actor: Actor): Promise<Declaration> {
  const accounts = new Map<string, Record<string, unknown>>();
  const entries = new Map<string, Record<string, unknown>>();
  const top: Record<string, unknown> = {};
  const into: Exporting = {
    top,
    account: (id) => {
      const known = accounts.get(id) ?? { id };
      accounts.set(id, known);
      return known;
    },
    entry: (list, account, name) => entries.get(`${list}\n${account}\n${name}`),
    add: (list, account, name, entry) => {
      const own = into.account(account);
      const all = (own[list] ?? []) as Record<string, unknown>[];
      own[list] = all;
      all.push(entry);
      const key = `${list}\n${account}\n${name}`;
      if (entries.has(key))
        throw new AdminProblem(
          'conflict',
          `The account "${account}" has several entries "${name}" in ${list}: rename or remove all but one.`,
        );
      entries.set(key, entry);
    },
  };
  await ports.store.reading(OPERATOR, async (db) => {
    const run = await Run.begin(ports, db, actor);
    for (const kind of DECLARED_KINDS) {
      const had = await kind.read(run);
      for (const one of had) run.register(kind.kind, one, one.id);
      kind.write(had, into, run);
    }
  });
  const all = [...accounts.values()].sort((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1));
  return ordered({ ...(all.length > 0 && { accounts: all }), ...top }) as Declaration;
}
