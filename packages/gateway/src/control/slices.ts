/** Every slice of the admin API: the only list of them. */
import { groupRoutes } from './accounts/groups.ts';
import { accountRoutes } from './accounts/routes.ts';
import { tagRoutes } from './accounts/tags.ts';
import type { AlertPorts } from './alerts/ports.ts';
import { alertRoutes } from './alerts/routes.ts';
import { type AdminApi, type AdminApiPorts, serveSlices } from './api/admin-api.ts';
import type { MoneyPorts } from './api/credit-port.ts';
import { openApiDocument } from './api/openapi.ts';
import type { AdminRoute } from './api/route.ts';
import { auditRoutes } from './audit/routes.ts';
import { declaredRoutes } from './declared/routes.ts';
import { endGrantsOf } from './grants/grant-rows.ts';
import { grantRoutes } from './grants/routes.ts';
import { openKeyLinkRoute } from './key-links/open-link.ts';
import { type KeyLinkPorts, keyLinkRoutes } from './key-links/routes.ts';
import { type KeyPorts, keyRoutes } from './keys/routes.ts';
import { managedRoutes } from './managed-settings/routes.ts';
import { memberRoutes } from './members/routes.ts';
import { ownModelRoutes } from './models/own-routes.ts';
import type { ModelPorts, OwnModelPorts } from './models/ports.ts';
import { modelRoutes } from './models/routes.ts';
import { creditRoutes } from './money/credits.ts';
import { ledgerRoutes } from './money/ledger.ts';
import { type OrderPorts, orderRoutes } from './money/orders.ts';
import { addPaymentEvents } from './money/payment-events.ts';
import { templateRoutes } from './money/templates.ts';
import type { NodePorts } from './nodes/ports.ts';
import { nodeRoutes } from './nodes/routes.ts';
import { type OperationPorts, operationRoutes } from './operations/routes.ts';
import { overviewRoutes } from './overview/overview.ts';
import type { PeoplePorts } from './people/deciders.ts';
import { peopleRoutes } from './people/routes.ts';
import { playgroundRoutes } from './playground/routes.ts';
import type { PolicyPorts } from './policies/ports.ts';
import { previewRoutes } from './policies/preview.ts';
import { policyRoutes } from './policies/routes.ts';
import type { PricePorts } from './prices/price-port.ts';
import { priceRoutes } from './prices/routes.ts';
import type { ProviderPorts } from './providers/ports.ts';
import { providerRoutes } from './providers/routes.ts';
import type { RequestPorts } from './requests/requests-port.ts';
import { requestRoutes } from './requests/routes.ts';
import { addScim, type ScimPorts } from './scim/routes.ts';
import { addBackchannelLogout, type LogoutPorts } from './sessions/backchannel-logout.ts';
import { SESSION_ROUTES } from './sessions/session-routes.ts';
import { accountFigureRoutes } from './usage/account-figures.ts';
import type { UsagePorts } from './usage/ports.ts';
import { usageRoutes } from './usage/routes.ts';
import { spendRoutes } from './usage/spend.ts';
import { viewRoutes } from './views/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import type { WhatIfPorts } from './what-if/ports.ts';
import { whatIfRoutes } from './what-if/routes.ts';
import type { StoredPorts, WirePorts } from './wire/captured-port.ts';
import { recordRoutes } from './wire/records.ts';
import { replayRoutes } from './wire/replay.ts';
import { wireRoutes } from './wire/routes.ts';
import { storedRoutes } from './wire/stored-routes.ts';

/** Available without a database, too. */
export type MemoryPorts = RequestPorts & ModelPorts & NodePorts;

export type AdminPorts = MemoryPorts &
  AlertPorts &
  KeyLinkPorts &
  KeyPorts &
  LogoutPorts &
  MoneyPorts &
  OperationPorts &
  OrderPorts &
  OwnModelPorts &
  PeoplePorts &
  PolicyPorts &
  PricePorts &
  ProviderPorts &
  ScimPorts &
  StoredPorts &
  UsagePorts &
  WhatIfPorts &
  WirePorts;

export const ADMIN_ROUTES: readonly AdminRoute<AdminPorts>[] = [
  ...accountRoutes,
  ...memberRoutes,
  ...keyRoutes,
  ...keyLinkRoutes,
  ...grantRoutes,
  ...creditRoutes,
  ...templateRoutes,
  ...tagRoutes,
  ...ledgerRoutes,
  ...groupRoutes,
  ...orderRoutes,
  ...auditRoutes,
  ...providerRoutes,
  ...modelRoutes,
  ...ownModelRoutes,
  ...webhookRoutes,
  ...alertRoutes,
  ...priceRoutes,
  ...policyRoutes,
  ...previewRoutes,
  ...managedRoutes,
  ...peopleRoutes,
  ...whatIfRoutes,
  ...usageRoutes,
  ...spendRoutes,
  ...overviewRoutes,
  ...accountFigureRoutes,
  ...requestRoutes,
  ...recordRoutes,
  ...wireRoutes,
  ...storedRoutes,
  ...replayRoutes,
  ...operationRoutes,
  ...playgroundRoutes,
  ...nodeRoutes,
  ...declaredRoutes,
  ...viewRoutes,
];

/** They see cookies, or need no credential. */
export const OPEN_ROUTES = [...SESSION_ROUTES, openKeyLinkRoute];

export const adminDocument = (): object => openApiDocument([...OPEN_ROUTES, ...ADMIN_ROUTES]);

export const createAdminApi = (ports: AdminApiPorts<AdminPorts>): Promise<AdminApi> =>
  serveSlices(ports, {
    sessionRoutes: OPEN_ROUTES,
    routes: ADMIN_ROUTES,
    addOthers: (app, stored, originOf) => {
      const { log, nowMs, readText, jsonBounds, isTrustedProxy } = ports;
      addPaymentEvents(app, { ...stored, log, nowMs, readText });
      addScim(app, { ...stored, nowMs, readText, jsonBounds, isTrustedProxy, originOf });
      addBackchannelLogout(app, { ...stored, endGrantsOf, log, nowMs, readText, isTrustedProxy });
    },
  });
