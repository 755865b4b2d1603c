/** Models at the admin API: their endpoints and prices, and why one cannot be called. */
import type { Actor } from '../api/actor.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { pageOf, pageSize, routeWith } from '../api/route.ts';
import { ModelDetail, ModelQuery, ModelSearch, Models, type ShownEndpoint } from './contract.ts';
import type { ModelPorts } from './ports.ts';

const route = routeWith<ModelPorts>();

const payerOf = (actor: Actor, asked: string | undefined): string | undefined => {
  if (actor.kind === 'operator') return asked;
  if (asked !== undefined && asked !== actor.accountId)
    throw new AdminProblem('forbidden', 'This credential may not see the prices of other accounts.', 'account');
  return actor.accountId;
};

/** Upstream details are for operators only. */
const forMembers = <E extends ShownEndpoint>(endpoints: readonly E[]) =>
  endpoints.filter(({ callable }) => callable).map(({ upstreamModel: _upstreamModel, ...endpoint }) => endpoint);

const shownTo = <E extends ShownEndpoint, M extends { readonly endpoints: readonly E[] }>(actor: Actor, model: M) =>
  actor.kind === 'operator' ? model : { ...model, endpoints: forMembers(model.endpoints) };

const includes = (text: string, q: string): boolean => text.toLowerCase().includes(q);

export const modelRoutes = [
  route({
    method: 'GET',
    path: '/models',
    name: 'listModels',
    summary:
      'Lists models by id, with endpoints, prices and whether they can be called. Members see callable models only.',
    permission: 'viewer',
    inMemory: true,
    query: ModelSearch,
    answer: Models,
    run: async ({ models, actor, query }) => {
      const { owner, provider, callable, after = '' } = query;
      const q = query.q?.toLowerCase();
      const limit = pageSize(query.limit);
      const rows = models
        .list(payerOf(actor, query.account))
        .filter(
          (model) =>
            model.id > after &&
            (actor.kind === 'operator' || model.callable) &&
            (owner === undefined || model.owner === owner) &&
            (callable === undefined || model.callable === (callable === 'true')) &&
            (provider === undefined || model.endpoints.some((endpoint) => endpoint.provider === provider)) &&
            (q === undefined || [model.id, model.displayName, ...model.aliases].some((name) => includes(name, q))),
        );
      return pageOf(rows.slice(0, limit), limit, (model) => shownTo(actor, model));
    },
  }),
  route({
    method: 'GET',
    path: '/models/{owner}/{name}',
    name: 'getModel',
    summary: 'Returns a model by id or alias, with all endpoints and prices.',
    permission: 'viewer',
    inMemory: true,
    query: ModelQuery,
    answer: ModelDetail,
    run: async ({ models, actor, id, query }) => {
      const model = models.one(id, payerOf(actor, query.account));
      if (model === undefined || (actor.kind !== 'operator' && !model.callable)) throw notFound('Model', id);
      return shownTo(actor, model);
    },
  }),
];
