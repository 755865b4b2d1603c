/** Sign-in through identity providers (OIDC issuers) with all its dependencies; part of the composition root. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../config/config.ts';
import { newId } from '../control/api/ids.ts';
import { AdminProblem } from '../control/api/problem.ts';
import type { SignInPort } from '../control/api/sign-in-port.ts';
import { FewAtOnce } from '../control/grants/few-at-once.ts';
import { GrantServer } from '../control/grants/grant-server.ts';
import type { IssuersPort } from '../control/grants/ports.ts';
import { applyGroups, isOut } from '../control/sessions/identity-rows.ts';
import { refuse } from '../http/refuse.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Upstream } from '../kernel/upstream.ts';
import { type Role, roleRank } from '../people/accounts/rights.ts';
import type { SessionSubject } from '../people/accounts/sessions.ts';
import { issuerFetch } from '../people/identity/issuer-fetch.ts';
import type { SignInIssuer } from '../people/identity/issuers.ts';
import { OidcIssuer, type Person } from '../people/identity/oidc-issuer.ts';
import { OPERATOR, type Store } from '../store/postgres/store.ts';
import type { Log } from '../telemetry/log.ts';
import { boundsOf, readText } from './open-admin-api.ts';
import { creditIn } from './open-ledger.ts';
import type { Services } from './services.ts';

const REFUSALS = {
  'no-account': 'The account of this sign-in does not exist.',
  removed: 'This member was removed from the account.',
  deactivated: 'This member is deactivated.',
} as const;

const NOT_GRANTED = new AdminProblem('forbidden', 'None of your groups may sign in here.');

async function subjectOf(person: Person, store: Store | undefined, log: Log): Promise<SessionSubject> {
  const { granted, issuer, subject, sid } = person;
  if (granted === 'unreadable') log.warn('sign-in refused: the groups of the person cannot be read', { issuer });
  if (granted === undefined || granted === 'unreadable') throw NOT_GRANTED;
  const foreign = { issuer, subject, ...(sid !== undefined && { sid }) };
  if (granted.role === 'operator') {
    if (store !== undefined && (await store.within(OPERATOR, (db) => isOut(db, person))))
      throw new AdminProblem('forbidden', REFUSALS.deactivated);
    return { kind: 'operator', foreign };
  }
  if (store === undefined) throw NOT_GRANTED;
  const { account } = granted;
  const found = await store.within(account, (db) => applyGroups(db, person, granted, () => newId('mem')));
  if ('refused' in found) throw new AdminProblem('forbidden', REFUSALS[found.refused]);
  return { kind: 'member', accountId: account, memberId: found.memberId, foreign };
}

/** The issuers for the console and for programs. */
export function openSignIn(
  config: () => Config,
  upstream: Upstream,
  store: Store | undefined,
  log: Log,
): SignInPort & IssuersPort {
  const fetch = issuerFetch(upstream);
  const opened = new WeakMap<SignInIssuer, OidcIssuer>();
  const issuerOf = (id: string): OidcIssuer | undefined => {
    const settings = config().signIn.issuers.find((one) => one.id === id);
    if (settings === undefined) return undefined;
    const issuer = opened.get(settings) ?? new OidcIssuer(settings, fetch, systemClock.nowMs);
    opened.set(settings, issuer);
    return issuer;
  };
  const asked = async <T>(id: string, code: 'unavailable' | 'unauthenticated', ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      log.warn('sign-in with an issuer failed', { issuer: id, error });
      throw new AdminProblem(code, `Sign-in with "${id}" failed.`);
    }
  };
  const configured = (id: string): OidcIssuer => {
    const issuer = issuerOf(id);
    if (issuer === undefined) throw new AdminProblem('unauthenticated', 'This issuer is not configured any more.');
    return issuer;
  };
  return {
    issuers: () => config().signIn.issuers.map(({ id, name }) => ({ id, name })),
    start: (id, redirectUri, random) => {
      const issuer = issuerOf(id);
      return issuer && asked(id, 'unavailable', () => issuer.start(redirectUri, random));
    },
    finish: async (id, url, random) => {
      const issuer = configured(id);
      return subjectOf(await asked(id, 'unauthenticated', () => issuer.finish(url, random)), store, log);
    },
    startProgram: (id, redirectUri, random) => {
      const issuer = issuerOf(id);
      return issuer && asked(id, 'unavailable', () => issuer.start(redirectUri, random, true));
    },
    finishProgram: async (id, url, random) => {
      const issuer = configured(id);
      return asked(id, 'unauthenticated', () => issuer.finish(url, random));
    },
    prove: (id, refreshToken, subject) => issuerOf(id)?.prove(refreshToken, subject),
  };
}

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
