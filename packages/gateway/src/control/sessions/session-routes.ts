/**
 * Sessions at the admin listener: sign in, current session, sign out. No passwords: a secret, a key or a one-time code.
 */

import { callerAddress } from '../../http/peer.ts';
import { hashSecret } from '../../people/accounts/key-secret.ts';
import type { SessionSubject, SignInMethod } from '../../people/accounts/sessions.ts';
import { actorName } from '../api/actor.ts';
import type { AdminIdentity } from '../api/identify.ts';
import { sessionCookie } from '../api/listener-facts.ts';
import { AdminProblem } from '../api/problem.ts';
import { type SessionPorts, type SessionRequest, type SessionRoute, sessionRoute } from '../api/session-route.ts';
import { Me, SignedOut, SignIn } from './contract.ts';
import { oidcRoutes } from './oidc-routes.ts';
import { openSession, requireCookies, showIdentity } from './open-session.ts';

type Presented = { readonly secret?: string; readonly code?: string };
type Found = { readonly subject: SessionSubject; readonly method: SignInMethod };

async function findSubject({ secret, code }: Presented, ports: SessionPorts): Promise<Found | undefined> {
  if (code !== undefined) {
    const subject = await ports.sessions.redeem(hashSecret(code));
    return subject && { subject, method: 'code' };
  }
  if (secret === undefined) return undefined;
  const credential = hashSecret(secret);
  if (await ports.isOperator(credential)) return { subject: { kind: 'operator', credential }, method: 'secret' };
  const known = await ports.keys?.known(secret);
  return known && { subject: { kind: 'key', credential }, method: 'key' };
}

const required = (identity: AdminIdentity | undefined): AdminIdentity => {
  if (identity === undefined) throw new Error('not authenticated');
  return identity;
};

async function signIn(asked: SessionRequest<Presented, unknown>): Promise<AdminIdentity> {
  const { request, listener, body, tries, isTrustedProxy, nowMs } = asked;
  requireCookies(asked);
  const { origin = listener.origin } = request.headers;
  if (origin !== listener.origin) throw new AdminProblem('forbidden', `Sign-in must come from ${listener.origin}.`);
  const address = callerAddress(request, isTrustedProxy);
  tries.requireTry(address, nowMs());
  const found = await findSubject(body, asked);
  const identity = found && (await openSession(asked, found.subject, found.method));
  if (identity !== undefined) return identity;
  tries.failed(address, nowMs());
  throw new AdminProblem('unauthenticated', 'The secret or code is not valid.');
}

export const SESSION_ROUTES: readonly SessionRoute[] = [
  sessionRoute({
    method: 'POST',
    path: '/session',
    name: 'signIn',
    summary: 'Opens a session and sets its cookie. It ends after 12 hours without use, and after 7 days in all.',
    permission: 'public',
    body: SignIn,
    status: 201,
    answer: Me,
    run: async (asked) => showIdentity(await signIn(asked), asked),
  }),
  sessionRoute({
    method: 'GET',
    path: '/session',
    name: 'getSession',
    summary: 'Returns the session of the cookie.',
    permission: 'viewer',
    answer: Me,
    run: async (asked) => {
      const own = required(asked.identity);
      if (own.session === undefined) throw new AdminProblem('not-found', 'This request has no session.');
      return showIdentity(own, asked);
    },
  }),
  sessionRoute({
    method: 'DELETE',
    path: '/session',
    name: 'signOut',
    summary: 'Ends the session of the cookie on all nodes.',
    permission: 'viewer',
    answer: SignedOut,
    run: async (asked) => {
      const { actor, session } = required(asked.identity);
      if (session === undefined) throw new AdminProblem('not-found', 'This request has no session.');
      await asked.sessions.end(hashSecret(session.id));
      const accountId = actor.kind === 'manager' ? actor.accountId : null;
      const name = actorName(actor);
      await asked.note({ accountId, actor: name, action: 'session.end', subject: name, detail: {} });
      asked.reply.setCookie(sessionCookie(requireCookies(asked), '', 0));
      return { signedOut: true };
    },
  }),
  sessionRoute({
    method: 'GET',
    path: '/me',
    name: 'getMe',
    summary: 'Returns the current identity, its role and the CSRF token.',
    permission: 'viewer',
    answer: Me,
    run: async (asked) => showIdentity(required(asked.identity), asked),
  }),
  ...oidcRoutes,
];
