/** Every route of the admin API. */

import { groupRoutes } from '../accounts/groups.ts';
import { memberRoutes } from '../accounts/members.ts';
import { accountRoutes } from '../accounts/routes.ts';
import { tagRoutes } from '../accounts/tags.ts';
import { alertRoutes } from '../alerts/routes.ts';
import { auditRoutes } from '../audit/routes.ts';
import { keyRoutes } from '../keys/routes.ts';
import { modelRoutes } from '../models/routes.ts';
import { creditRoutes } from '../money/credits.ts';
import { ledgerRoutes } from '../money/ledger.ts';
import { orderRoutes } from '../money/orders.ts';
import { nodeRoutes } from '../nodes/routes.ts';
import { operationRoutes } from '../operations/routes.ts';
import { playgroundRoutes } from '../playground/routes.ts';
import { priceRoutes } from '../prices/routes.ts';
import { providerRoutes } from '../providers/routes.ts';
import { requestRoutes } from '../requests/routes.ts';
import { overviewRoutes } from '../usage/overview.ts';
import { usageRoutes } from '../usage/routes.ts';
import { spendRoutes } from '../usage/spend.ts';
import { webhookRoutes } from '../webhooks/routes.ts';
import { recordRoutes } from '../wire/records.ts';
import { replayRoutes } from '../wire/replay.ts';
import { wireRoutes } from '../wire/routes.ts';
import type { AdminRoute } from './route.ts';

export const ADMIN_MOUNT = '/admin/v1';

export const ADMIN_ROUTES: readonly AdminRoute[] = [
  ...accountRoutes,
  ...memberRoutes,
  ...keyRoutes,
  ...creditRoutes,
  ...tagRoutes,
  ...ledgerRoutes,
  ...groupRoutes,
  ...orderRoutes,
  ...auditRoutes,
  ...providerRoutes,
  ...modelRoutes,
  ...webhookRoutes,
  ...alertRoutes,
  ...priceRoutes,
  ...usageRoutes,
  ...spendRoutes,
  ...overviewRoutes,
  ...requestRoutes,
  ...recordRoutes,
  ...wireRoutes,
  ...replayRoutes,
  ...operationRoutes,
  ...playgroundRoutes,
  ...nodeRoutes,
];
