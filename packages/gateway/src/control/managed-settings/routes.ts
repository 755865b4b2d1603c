/** Managed settings at the admin API: they are code on people's machines, so they are for operators only. */
import { isDeepStrictEqual } from 'node:util';
import { type ManagedSettings as Entry, managedAnswer } from '../../people/managed/managed-settings.ts';
import { misfitOf } from '../../people/managed/settings-form.ts';
import { type Db, OPERATOR } from '../../store/postgres/store.ts';
import { actorName } from '../api/actor.ts';
import { change } from '../api/change.ts';
import { listOfItems } from '../api/contract.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { type DatabasePorts, routeWith } from '../api/route.ts';
import { ManagedSettings, ManagedSettingsVersion } from './contract.ts';
import { insertManaged, lockManaged, MAX_MANAGED, type ManagedRow, managedInForce, managedVersions } from './rows.ts';

const route = routeWith<DatabasePorts>();

const MAX_VERSIONS = 200;
const DEFAULT_PRIORITY = 100;
/** Settings of the greatest length, and what is around them. */
const MAX_BODY_BYTES = 131_072;

const show = ({ name, version, entry, created_at, created_by }: ManagedRow): ManagedSettingsVersion => ({
  name,
  version,
  checksum: entry && managedAnswer(entry, version).checksum,
  entry: entry as ManagedSettingsVersion['entry'],
  createdAt: created_at.toISOString(),
  createdBy: created_by,
});

export const entryOf = (body: Omit<Entry, 'priority'> & { readonly priority?: number }): Entry => ({
  ...body,
  priority: body.priority ?? DEFAULT_PRIORITY,
});

/** The members of the settings, and of what is around them, that one version has otherwise than the other. */
function changesBetween(before: Entry | null, after: Entry | null): Readonly<Record<string, unknown>> {
  const flat = (entry: Entry | null): ReadonlyMap<string, unknown> => {
    const { name: _name, settings, ...around } = entry ?? { name: '', settings: {} };
    return new Map([
      ...Object.entries(around),
      ...Object.entries(settings).map(([name, value]) => [`settings.${name}`, value] as const),
    ]);
  };
  const [was, is] = [flat(before), flat(after)];
  const members = [...new Set([...was.keys(), ...is.keys()])].filter(
    (name) => !isDeepStrictEqual(was.get(name), is.get(name)),
  );
  const pick = (from: ReadonlyMap<string, unknown>) =>
    Object.fromEntries(members.flatMap((name) => (from.has(name) ? [[name, from.get(name)]] : [])));
  return { before: pick(was), after: pick(is) };
}

/** The new version, and what is noted of it. */
export async function saveManaged(db: Db, name: string, entry: Entry | null, createdBy: string) {
  const [latest] = await managedVersions(db, name, 1);
  const saved = await insertManaged(db, name, entry, createdBy);
  return { saved, detail: { version: saved.version, ...changesBetween(latest?.entry ?? null, entry) } };
}

const LIST = '/managed-settings';
const ONE = `${LIST}/{id}`;

export const managedRoutes = [
  route({
    method: 'GET',
    path: LIST,
    name: 'listManagedSettings',
    summary: 'Lists the managed settings in force, in the order in which they decide.',
    permission: 'operator',
    answer: listOfItems(ManagedSettingsVersion),
    run: async ({ store }) => ({ items: (await store.within(OPERATOR, managedInForce)).map(show), next: null }),
  }),
  route({
    method: 'POST',
    path: LIST,
    name: 'saveManagedSettings',
    summary: "Saves managed settings of people's agents: new ones, or the next version of those with their name.",
    permission: 'operator',
    body: ManagedSettings,
    status: 201,
    answer: ManagedSettingsVersion,
    maxBodyBytes: MAX_BODY_BYTES,
    run: (asked) => {
      const { actor, body } = asked;
      const misfit = misfitOf(body.settings, body.unchecked);
      if (misfit !== undefined)
        throw new AdminProblem('invalid', misfit.message, ['settings', ...misfit.path].join('.'));
      return change(asked, 'managed-settings.save', async (db) => {
        await lockManaged(db);
        const others = (await managedInForce(db)).filter(({ name }) => name !== body.name);
        if (others.length >= MAX_MANAGED)
          throw new AdminProblem('conflict', `There are ${MAX_MANAGED} managed settings already. Remove some first.`);
        const { saved, detail } = await saveManaged(db, body.name, entryOf(body), actorName(actor));
        return { answer: show(saved), subject: body.name, detail };
      });
    },
  }),
  route({
    method: 'GET',
    path: ONE,
    name: 'listManagedSettingsVersions',
    summary: 'Lists the versions of managed settings, latest first. A version without an entry is their removal.',
    permission: 'operator',
    answer: listOfItems(ManagedSettingsVersion),
    run: async ({ store, id }) => {
      const rows = await store.within(OPERATOR, (db) => managedVersions(db, id, MAX_VERSIONS));
      if (rows.length === 0) throw notFound('Managed settings', id);
      return { items: rows.map(show), next: null };
    },
  }),
  route({
    method: 'DELETE',
    path: ONE,
    name: 'removeManagedSettings',
    summary: 'Removes managed settings. Their versions stay listed.',
    permission: 'operator',
    answer: ManagedSettingsVersion,
    run: (asked) =>
      change(asked, 'managed-settings.remove', async (db) => {
        const { actor, id } = asked;
        await lockManaged(db);
        const [latest] = await managedVersions(db, id, 1);
        if (latest === undefined || latest.entry === null) throw notFound('Managed settings', id);
        const { saved, detail } = await saveManaged(db, id, null, actorName(actor));
        return { answer: show(saved), detail };
      }),
  }),
];
