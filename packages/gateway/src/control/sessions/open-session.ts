/** Opens sessions, and describes the signed-in actor. */

import { callerAddress } from '../../http/peer.ts';
import { hashSecret } from '../../people/accounts/key-secret.ts';
import {
  csrfOf,
  newSessionId,
  SESSION_MAX_MS,
  type SessionSubject,
  type SignInMethod,
} from '../../people/accounts/sessions.ts';
import { actorName, type Manager } from '../api/actor.ts';
import { type AdminIdentity, identityOf } from '../api/identify.ts';
import { type CookieNames, sessionCookie } from '../api/listener-facts.ts';
import { AdminProblem } from '../api/problem.ts';
import type { SessionRequest } from '../api/session-route.ts';
import type { Me } from './contract.ts';

export type SignInRequest = Omit<SessionRequest<unknown, unknown>, 'body' | 'query'>;

export const requireCookies = ({ listener }: Pick<SignInRequest, 'listener'>): CookieNames => {
  if (listener.cookies !== undefined) return listener.cookies;
  throw new AdminProblem(
    'forbidden',
    'Sign-in needs HTTPS, or an address of this machine. Set admin.publicUrl to the https address of the reverse proxy.',
  );
};

/** The same checks as for every later request; undefined if the actor has no access. */
export async function openSession(
  asked: SignInRequest,
  subject: SessionSubject,
  method: SignInMethod,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<AdminIdentity | undefined> {
  const { sessions, note, listener, reply, request } = asked;
  const cookies = requireCookies(asked);
  const id = newSessionId();
  const hash = hashSecret(id);
  await sessions.open(hash, subject, method);
  const identity = await firstIdentity(asked, hash, id);
  if (identity === undefined) return undefined;
  const name = actorName(identity.actor);
  const accountId = identity.actor.kind === 'manager' ? identity.actor.accountId : null;
  const from = callerAddress(request, asked.isTrustedProxy);
  const noted = { method, listener: listener.audience, from, ...detail };
  await note({ accountId, actor: name, action: 'session.start', subject: name, detail: noted });
  reply.setCookie(sessionCookie(cookies, id, SESSION_MAX_MS));
  return identity;
}

async function firstIdentity(asked: SignInRequest, hash: string, id: string): Promise<AdminIdentity | undefined> {
  let identity: AdminIdentity | undefined;
  try {
    const session = await asked.sessions.find(hash);
    identity = session && (await identityOf(asked.request, asked.listener, { ...session, id }, asked));
    return identity;
  } finally {
    if (identity === undefined) await asked.sessions.end(hash);
  }
}

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

/** A listener on all addresses is reachable at the host at which the console is. */
function gatewayAddress({ gateway, listener }: Pick<SignInRequest, 'gateway' | 'listener'>): Me['gateway'] {
  const publicUrl = gateway.publicUrl();
  if (publicUrl !== undefined) return { url: new URL(publicUrl).origin, isConfigured: true };
  const url = new URL(gateway.listenerUrl());
  const own = URL.parse(listener.origin);
  if (own !== null && WILDCARDS.has(url.hostname)) url.hostname = own.hostname;
  return { url: url.origin, isConfigured: false };
}

/** Without the role, which a key has only where it is asked for. */
function ceilingOf({ rights: { manages: _, ...rights }, maxKeys }: Manager): NonNullable<Me['keys']> {
  return { rights: rights as NonNullable<Me['keys']>['rights'], maxKeys: maxKeys ?? null };
}

export async function showIdentity(
  { actor, session }: AdminIdentity,
  asked: Pick<SignInRequest, 'gateway' | 'listener' | 'openAlerts'>,
): Promise<Me> {
  const manager = actor.kind === 'manager' ? actor : undefined;
  return {
    actor: actorName(actor),
    role: manager?.role ?? 'operator',
    accountId: manager?.accountId ?? null,
    memberId: manager?.memberId ?? null,
    name: session?.subject.kind === 'member' ? session.subject.name : null,
    gateway: gatewayAddress(asked),
    openAlerts: await asked.openAlerts(manager?.accountId ?? null),
    csrf: session === undefined ? null : csrfOf(session.id),
    keys: manager === undefined ? null : ceilingOf(manager),
    session:
      session === undefined
        ? null
        : {
            method: session.method,
            createdAt: new Date(session.createdAtMs).toISOString(),
            endsAt: new Date(session.endsAtMs).toISOString(),
          },
  };
}
