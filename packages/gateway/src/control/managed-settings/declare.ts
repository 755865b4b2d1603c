/** Managed settings as files declare them. */
import { isDeepStrictEqual } from 'node:util';
import Type from 'typebox';
import type { ManagedSettings as Entry } from '../../people/managed/managed-settings.ts';
import { misfitOf } from '../../people/managed/settings-form.ts';
import { actorName } from '../api/actor.ts';
import { type Applying, declaredKind, type Wanted } from '../api/declared.ts';
import type { DatabasePorts } from '../api/route.ts';
import { ManagedSettings } from './contract.ts';
import { entryOf, saveManaged } from './routes.ts';
import { lockManaged, MAX_MANAGED, managedInForce } from './rows.ts';

type At = Applying<DatabasePorts>;

async function save(at: At, wanted: readonly Wanted[]): Promise<void> {
  await lockManaged(at.db);
  for (const { name, value, path } of wanted) {
    const { settings, unchecked } = value as unknown as Entry;
    const misfit = misfitOf(settings, unchecked);
    if (misfit !== undefined) at.report([...path, 'settings', ...misfit.path], misfit.message);
    const entry = { ...value, name } as unknown as Entry;
    const { detail } = await saveManaged(at.db, name, entry, actorName(at.actor));
    at.note({ accountId: null, action: 'managed-settings.save', subject: name, detail });
  }
}

export const managedKind = declaredKind<DatabasePorts>({
  kind: 'managed-settings',
  permission: 'operator',
  schema: {
    top: {
      managedSettings: Type.Optional(
        Type.Array(ManagedSettings, {
          maxItems: MAX_MANAGED,
          description: "Managed settings of people's agents. Complete if given.",
        }),
      ),
    },
  },
  *wanted(document) {
    for (const [index, given] of ((document['managedSettings'] ?? []) as readonly Entry[]).entries()) {
      const { name, ...value } = entryOf(given);
      yield { account: '', name, value, path: ['managedSettings', index] };
    }
  },
  isListed: (document) => document['managedSettings'] !== undefined,
  read: async ({ db, actor }) =>
    actor.kind === 'operator'
      ? (await managedInForce(db)).map(({ name, entry: { name: _name, ...value } }) => ({
          account: '',
          name,
          id: name,
          value,
        }))
      : [],
  // They are replaced as a whole: a member that the file leaves out is gone.
  difference: (_at, { value: after }, had) =>
    had === undefined ? { after } : isDeepStrictEqual(after, had.value) ? undefined : { before: had.value, after },
  create: save,
  change: (at, changes) =>
    save(
      at,
      changes.map(({ wanted }) => wanted),
    ),
  remove: async (at, had) => {
    await lockManaged(at.db);
    for (const { name } of had) {
      const { detail } = await saveManaged(at.db, name, null, actorName(at.actor));
      at.note({ accountId: null, action: 'managed-settings.remove', subject: name, detail });
    }
  },
  write: (had, into) => {
    if (had.length > 0) into.top['managedSettings'] = had.map(({ name, value }) => ({ name, ...value }));
  },
});
