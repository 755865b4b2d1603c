/** Own models and aliases as files declare them. */
import { isDeepStrictEqual } from 'node:util';
import Type from 'typebox';
import { actorName } from '../api/actor.ts';
import { type Applying, declaredKind, type Had, type Wanted } from '../api/declared.ts';
import { aliasPattern, OwnModelDefinition } from './own-contract.ts';
import type { OwnModelPorts } from './ports.ts';
import {
  deleteModelAlias,
  deleteOwnModel,
  listModelAliases,
  listOwnModels,
  setModelAlias,
  setOwnModel,
} from './rows.ts';

type At = Applying<OwnModelPorts>;

const MAX_MODELS = 1000;
const MAX_ALIASES = 10_000;

async function setModel(at: At, { name, value }: Wanted, had?: Had): Promise<void> {
  await setOwnModel(at.db, definitionOf({ name, value }), actorName(at.actor));
  at.note({
    accountId: null,
    action: 'model.set',
    subject: name,
    detail: { ...value, ...(had && { before: had.value }) },
  });
}

export const definitionOf = ({ name, value }: Pick<Wanted, 'name' | 'value'>): OwnModelDefinition =>
  ({ id: name, ...value }) as OwnModelDefinition;

export const modelKind = declaredKind<OwnModelPorts>({
  kind: 'model',
  permission: 'operator',
  schema: { top: { models: Type.Optional(Type.Array(OwnModelDefinition, { maxItems: MAX_MODELS })) } },
  *wanted(document) {
    for (const [index, entry] of ((document['models'] ?? []) as readonly OwnModelDefinition[]).entries()) {
      const { id, ...value } = entry;
      yield { account: '', name: id, value, path: ['models', index] };
    }
  },
  isListed: (document) => document['models'] !== undefined,
  read: async ({ db, actor }) =>
    actor.kind === 'operator'
      ? (await listOwnModels(db)).map(({ id, definition }) => {
          const { id: _id, ...value } = definition as OwnModelDefinition;
          return { account: '', name: id, id, value };
        })
      : [],
  // A definition is replaced as a whole: a member that the file leaves out is gone.
  difference: (_at, { value: after }, had) => {
    const before = had?.value;
    const names = [...new Set([...Object.keys(after), ...Object.keys(before ?? {})])];
    const differing = names.filter((name) => !isDeepStrictEqual(after[name], before?.[name]));
    if (before === undefined) return { after };
    const pick = (of: Wanted['value']) => Object.fromEntries(differing.map((name) => [name, of[name] ?? null]));
    return differing.length === 0 ? undefined : { before: pick(before), after: pick(after) };
  },
  create: async (at, wanted) => {
    for (const one of wanted) await setModel(at, one);
  },
  change: async (at, changes) => {
    for (const { wanted, had } of changes) await setModel(at, wanted, had);
  },
  remove: async (at, had) => {
    for (const { name } of had) {
      await deleteOwnModel(at.db, name);
      at.note({ accountId: null, action: 'model.remove', subject: name, detail: {} });
    }
  },
  write: (had, into) => {
    if (had.length > 0) into.top['models'] = had.map(({ name: id, value }) => ({ id, ...value }));
  },
});

async function setAlias(at: At, { name, value }: Wanted): Promise<void> {
  await setModelAlias(at.db, name, String(value['model']), actorName(at.actor));
  at.note({ accountId: null, action: 'alias.set', subject: name, detail: value });
}

export const aliasKind = declaredKind<OwnModelPorts>({
  kind: 'alias',
  permission: 'operator',
  schema: {
    top: {
      aliases: Type.Optional(
        Type.Record(Type.String({ pattern: aliasPattern }), Type.String({ minLength: 1, maxLength: 200 }), {
          additionalProperties: false,
          maxProperties: MAX_ALIASES,
          description: 'Further names of models: the alias on the left, the model on the right.',
        }),
      ),
    },
  },
  *wanted(document) {
    for (const [name, model] of Object.entries((document['aliases'] ?? {}) as Readonly<Record<string, string>>))
      yield { account: '', name, value: { model }, path: ['aliases', name] };
  },
  isListed: (document) => document['aliases'] !== undefined,
  read: async ({ db, actor }) =>
    actor.kind === 'operator'
      ? (await listModelAliases(db)).map(({ name, model }) => ({ account: '', name, id: name, value: { model } }))
      : [],
  create: async (at, wanted) => {
    for (const one of wanted) await setAlias(at, one);
  },
  change: async (at, changes) => {
    for (const { wanted } of changes) await setAlias(at, wanted);
  },
  remove: async (at, had) => {
    for (const { name } of had) {
      await deleteModelAlias(at.db, name);
      at.note({ accountId: null, action: 'alias.remove', subject: name, detail: {} });
    }
  },
  write: (had, into) => {
    if (had.length > 0) into.top['aliases'] = Object.fromEntries(had.map(({ name, value }) => [name, value['model']]));
  },
});
