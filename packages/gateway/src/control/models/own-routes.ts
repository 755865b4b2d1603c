/** Own models and aliases of the database at the admin API. The configuration file takes precedence. */
import { type Db, OPERATOR } from '../../store/postgres/store.ts';
import { actorName } from '../api/actor.ts';
import { change } from '../api/change.ts';
import { listOfItems } from '../api/contract.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { routeWith } from '../api/route.ts';
import { shown } from '../api/shown.ts';
import { ModelAlias, ModelAliasName, NewModelAlias, OwnModel, OwnModelDefinition } from './own-contract.ts';
import type { CataloguePort, OwnModelPorts, StoredCatalogue } from './ports.ts';
import {
  deleteModelAlias,
  deleteOwnModel,
  listModelAliases,
  listOwnModels,
  setModelAlias,
  setOwnModel,
} from './rows.ts';

const route = routeWith<OwnModelPorts>();

const OWN = '/models/own';
const ALIASES = '/models/aliases';

/** After the change: models and aliases together, since one may name the other. */
async function requireFitting(catalogue: CataloguePort, db: Db): Promise<void> {
  const stored: StoredCatalogue = {
    models: (await listOwnModels(db)).map(({ definition }) => definition as OwnModelDefinition),
    aliases: await listModelAliases(db),
    prices: [],
  };
  const misfit = await catalogue.misfitIn(stored);
  if (misfit !== undefined) throw new AdminProblem('invalid', misfit.problem);
}

export const ownModelRoutes = [
  route({
    method: 'GET',
    path: OWN,
    name: 'listOwnModels',
    summary: 'Lists the own models of the database, in the form of `models` of the configuration file.',
    permission: 'operator',
    answer: listOfItems(OwnModel),
    run: async ({ store }) => ({
      items: (await store.within(OPERATOR, listOwnModels)).map((row) => shown(OwnModel, row)),
      next: null,
    }),
  }),
  route({
    method: 'POST',
    path: OWN,
    name: 'setOwnModel',
    summary: 'Adds an own model, or replaces the one with its id. A model of the configuration file takes precedence.',
    permission: 'operator',
    body: OwnModelDefinition,
    answer: OwnModel,
    run: (asked) =>
      change(asked, 'model.set', async (db) => {
        const { actor, body, catalogue } = asked;
        const before = (await listOwnModels(db)).find(({ id }) => id === body.id);
        const made = await setOwnModel(db, body, actorName(actor));
        await requireFitting(catalogue, db);
        return {
          answer: shown(OwnModel, made),
          subject: body.id,
          detail: { ...body, ...(before && { before: before.definition }) },
        };
      }),
  }),
  route({
    method: 'DELETE',
    path: '/models/{owner}/{name}',
    name: 'removeOwnModel',
    summary: 'Deletes an own model of the database. A shipped model of its id is served again.',
    permission: 'operator',
    answer: OwnModel,
    run: (asked) =>
      change(asked, 'model.remove', async (db) => {
        const { id, catalogue } = asked;
        const removed = await deleteOwnModel(db, id);
        if (removed === undefined) throw notFound('Model', id);
        await requireFitting(catalogue, db);
        return { answer: shown(OwnModel, removed) };
      }),
  }),
  route({
    method: 'GET',
    path: ALIASES,
    name: 'listModelAliases',
    summary: 'Lists the aliases of models in the database.',
    permission: 'operator',
    answer: listOfItems(ModelAlias),
    run: async ({ store }) => ({
      items: (await store.within(OPERATOR, listModelAliases)).map((row) => shown(ModelAlias, row)),
      next: null,
    }),
  }),
  route({
    method: 'POST',
    path: ALIASES,
    name: 'setModelAlias',
    summary: 'Sets a further name of a model. An alias of the configuration file takes precedence.',
    permission: 'operator',
    body: NewModelAlias,
    answer: ModelAlias,
    run: (asked) =>
      change(asked, 'alias.set', async (db) => {
        const { actor, body, catalogue } = asked;
        const made = await setModelAlias(db, body.name, body.model, actorName(actor));
        await requireFitting(catalogue, db);
        return { answer: shown(ModelAlias, made), subject: body.name, detail: body };
      }),
  }),
  route({
    method: 'DELETE',
    path: ALIASES,
    name: 'removeModelAlias',
    summary: 'Deletes an alias of the database.',
    permission: 'operator',
    query: ModelAliasName,
    answer: ModelAliasName,
    run: (asked) =>
      change(asked, 'alias.remove', async (db) => {
        const { name } = asked.query;
        if ((await deleteModelAlias(db, name)) === undefined) throw notFound('Alias', name);
        return { answer: { name }, subject: name };
      }),
  }),
];
