/** Usage at the admin API: an account's usage, in sums and by request, for operators and for the account. */

import { requireAccount } from '../accounts/require-account.ts';
import { route } from '../api/route.ts';
import { UsageOfRequest, UsageQuery, UsageSums } from '../prices/contract.ts';

export const usageRoutes = [
  route({
    method: 'GET',
    path: '/accounts/{account}/usage',
    name: 'getUsage',
    summary: 'Sums of what the account used: requests, tokens, cost.',
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
    summary: 'One request of the account: meters, the lines of its bill, attempts, losses, times.',
    permission: 'viewer',
    answer: UsageOfRequest,
    run: async ({ store, usage, accountId, id }) => {
      await requireAccount(store, accountId);
      return usage.one(accountId, id);
    },
  }),
];
