/** Every route of the admin API. */
import { accountRoutes } from './accounts.ts';
import { alertRoutes } from './alerts.ts';
import { auditRoutes } from './audit.ts';
import { creditRoutes } from './credits.ts';
import { groupRoutes } from './groups.ts';
import { keyRoutes } from './keys.ts';
import { ledgerRoutes } from './ledger.ts';
import { memberRoutes } from './members.ts';
import { modelRoutes } from './models.ts';
import { nodeRoutes } from './nodes.ts';
import { operationRoutes } from './operations.ts';
import { orderRoutes } from './orders.ts';
import { overviewRoutes } from './overview.ts';
import { playgroundRoutes } from './playground.ts';
import { priceRoutes } from './prices.ts';
import { providerRoutes } from './providers.ts';
import { recordRoutes } from './records.ts';
import { replayRoutes } from './replay.ts';
import { requestRoutes } from './requests.ts';
import type { AdminRoute } from './route.ts';
import { spendRoutes } from './spend.ts';
import { tagRoutes } from './tags.ts';
import { usageRoutes } from './usage.ts';
import { webhookRoutes } from './webhooks.ts';
import { wireRoutes } from './wire.ts';

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
