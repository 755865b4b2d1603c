/** Usage at the admin API: an account's usage, in sums and by request, for operators and for the account. */

import { requireAccount } from '../accounts/require-account.ts';
import { routeWith } from '../api/route.ts';
import { UsageOfRequest, UsageQuery, UsageSums } from '../prices/contract.ts';
import type { UsagePorts } from './ports.ts';

const route = routeWith<UsagePorts>();

export const usageRoutes = [
  route({
    method: 'GET',
    path: '/accounts/{account}/usage',
    name: 'getUsage',
    summary: 'Sums requests, tokens and cost of an account.',
    permission: 'viewer',
    query: UsageQuery,
    answer: UsageSums,
    run: async ({ store, usage, accountId, query }) => {
      await requireAccount(store, accountId);
      return usage.sums(accountId, new Map(Object.entries(query)));
    },
  }),
  route({
    method: 'GET',
    path: '/accounts/{account}/usage/{id}',
    name: 'getUsageOfRequest',
    summary: 'Returns usage, bill, attempts, losses and timings of a request.',
    permission: 'viewer',
    answer: UsageOfRequest,
    run: async ({ store, usage, accountId, id }) => {
      await requireAccount(store, accountId);
      return usage.one(accountId, id);
    },
  }),
];
