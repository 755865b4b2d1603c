/** The servers for callers, operators and members; part of the composition root. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Config } from '../config/config.ts';
import type { AdminApi } from '../control/api/admin-api.ts';
import { ADMIN_MOUNT } from '../control/api/openapi.ts';
import { PAYMENTS_MOUNT } from '../control/money/payment-events.ts';
import { SCIM_MOUNT } from '../control/scim/routes.ts';
import { createAdminPlane, createMembersPlane } from '../http/admin-plane.ts';
import { createDataPlane } from '../http/data-plane.ts';
import type { DataPlanePorts, DataPlaneSettings, Destinations } from '../http/destination.ts';
import { InProcessCalls } from '../http/in-process.ts';
import { Incoming } from '../http/incoming.ts';
import { consoleServer } from '../http/serve-console.ts';
import { Sockets } from '../http/sockets/sockets.ts';
import { systemClock, systemTimer } from '../kernel/clock.ts';
import { requestIds } from '../kernel/request-ids.ts';
import { NodeLedger } from '../money/ledger/node-ledger.ts';
import { withoutSecrets } from '../money/usage/event.ts';
import type { Log } from '../telemetry/log.ts';
import type { Observing } from '../telemetry/observe.ts';
import type { BuiltEngine } from './build-engine.ts';
import { destinationsOf, settingsOf } from './data-plane-settings.ts';
import type { Services } from './services.ts';

/** Whether the gateway takes requests. */
export type Phase = { isReady: boolean; isClosing: boolean };

/** Why `/readyz` answers 503; undefined while it answers 200. */
export function unreadyReason({ isReady }: Phase, { ledger, config }: Services): string | undefined {
  if (!isReady) return 'the gateway is stopping';
  const missing = ledger instanceof NodeLedger ? ledger.missing : undefined;
  if (missing === 'journal') return 'the journal of the ledger cannot be written; is its disk full?';
  if (missing === 'database' && config.readiness.database)
    return 'the database does not answer, and no account is known that is served without it';
  return undefined;
}

/** What requests are served with. */
export class Serving {
  engine: BuiltEngine;
  settings: DataPlaneSettings;
  destinations: Destinations;

  constructor(config: Config, engine: BuiltEngine) {
    this.engine = engine;
    this.settings = settingsOf(config);
    this.destinations = destinationsOf(config);
  }

  /** Another configuration is in force. */
  use(config: Config, engine: BuiltEngine): void {
    Object.assign(this, new Serving(config, engine));
  }
}

type FollowLink = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

export type OpenDataPlane = {
  readonly server: Server;
  readonly sockets: Sockets;
  /** The same calls, made by the gateway itself. */
  readonly inProcess: InProcessCalls;
  /** Serves a link to a blob that came to another listener. */
  readonly followLink: FollowLink;
};

export function openDataPlane(
  services: Services,
  serving: Serving,
  phase: Phase,
  { onReply }: Observing,
  programs: DataPlanePorts['signIn'],
  log: Log,
): OpenDataPlane {
  const { blobs, connections, usage, observers } = services;
  const ports: DataPlanePorts = {
    engine: () => serving.engine,
    blobs,
    connections,
    settings: () => serving.settings,
    destinations: () => serving.destinations,
    nextId: requestIds(systemClock.nowMs),
    unready: () => unreadyReason(phase, services),
    closing: () => phase.isClosing,
    ...(programs !== undefined && { signIn: programs }),
    onReply,
    onRefused: (refused) => {
      usage.refused(refused);
      const interested = observers.filter((observer) => observer.refused !== undefined);
      if (interested.length === 0) return;
      const clean = withoutSecrets(refused, log.redact);
      for (const observer of interested) observer.refused?.(clean);
    },
  };
  const sockets = new Sockets(ports, { timer: systemTimer, turns: () => services.connectionTurns.open() });
  return {
    server: createDataPlane(ports, sockets.take),
    sockets,
    inProcess: new InProcessCalls(ports),
    followLink: (request, response, path) => {
      if (!path.startsWith(`${serving.settings.blobMount}/`)) return false;
      new Incoming(ports, request, response).serve();
      return true;
    },
  };
}

/** The servers for operators and, if it is configured, for members of accounts. */
export function openAdminPlanes(
  services: Services,
  phase: Phase,
  api: AdminApi | undefined,
  followLink: FollowLink,
  metrics: { readonly contentType: string; readonly render: () => Promise<string> },
): { readonly admin: Server; readonly members?: Server } {
  const { config, connections } = services;
  const serveConsole = consoleServer();
  const console = () => (services.config.admin.console ? serveConsole : undefined);
  const plane = { bounds: config, connections, unready: () => unreadyReason(phase, services), metrics };
  if (api === undefined) return { admin: createAdminPlane(plane) };
  const admin = createAdminPlane({
    ...plane,
    api: {
      mounts: [ADMIN_MOUNT, PAYMENTS_MOUNT, SCIM_MOUNT],
      handle: (request, response) => api(request, response, 'operators'),
      console,
      followLink,
    },
  });
  if (config.admin.members === undefined) return { admin };
  const members = createMembersPlane(config, connections, {
    mounts: [ADMIN_MOUNT, SCIM_MOUNT],
    handle: (request, response) => api(request, response, 'members'),
    console,
    followLink,
  });
  return { admin, members };
}
