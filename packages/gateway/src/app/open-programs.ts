/** Sign-in from programs with all its dependencies; part of the composition root. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { FewAtOnce } from '../control/grants/few-at-once.ts';
import { GrantServer } from '../control/grants/grant-server.ts';
import type { IssuersPort } from '../control/grants/ports.ts';
import { refuse } from '../http/refuse.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Role } from '../people/accounts/rights.ts';
import { roleRank } from '../people/accounts/rights.ts';
import type { Log } from '../telemetry/log.ts';
import { boundsOf, readText } from './open-admin-api.ts';
import { creditIn } from './open-ledger.ts';
import type { Services } from './services.ts';

type Handle = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

/** Undefined without a database. */
export function openPrograms(services: Services, identity: IssuersPort, log: Log): Handle | undefined {
  const { backing, connections } = services;
  if (backing === undefined) return undefined;
  const settings = () => services.config.signIn.programs;
  const memberBounds = (role: Role) => boundsOf(services.config.signIn.keys[role], systemClock.nowMs());
  // A token is bounded as the keys are that its person may make; viewers may make none.
  backing.rightsOfSignedIn = (role) =>
    settings() === undefined || roleRank(role) < roleRank('developer') ? undefined : memberBounds(role).rights;
  const server = new GrantServer({
    // The others are for lookups of keys.
    store: new FewAtOnce(backing.store, Math.ceil((services.config.database?.maxConnections ?? 1) / 2)),
    tell: (message) => backing.tell(message),
    money: creditIn(backing),
    nowMs: systemClock.nowMs,
    settings,
    vault: services.hosts.vault,
    identity,
    memberBounds,
    isTrustedProxy: (address) => connections.isTrustedProxy(address),
    readText: (request, maxBytes) => readText(request, maxBytes, services),
    refuse: (request, response, reply) => refuse(request, response, reply, connections),
    log,
  });
  return (request, response, path) => server.handle(request, response, path);
}
