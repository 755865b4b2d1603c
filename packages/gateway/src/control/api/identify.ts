/** Authenticates admin API requests from the headers alone: a secret or key in a header, or a session in a cookie. */
import type { IncomingMessage } from 'node:http';
import { firstHeader, readHeaders } from '../../http/head.ts';
import { callerAddress, type IsTrustedProxy } from '../../http/peer.ts';
import type { RawHeaders } from '../../kernel/caller-port.ts';
import { extractCookie, extractCredential } from '../../people/accounts/credentials.ts';
import { hashSecret } from '../../people/accounts/key-secret.ts';
import type { KnownKeys } from '../../people/accounts/known-keys.ts';
import type { Role } from '../../people/accounts/rights.ts';
import { isCsrfOf, type Session, type SessionStore } from '../../people/accounts/sessions.ts';
import { type Actor, type MemberBounds, managerByKey, managerByMember } from './actor.ts';
import type { CredentialTries } from './credential-tries.ts';
import type { ListenerFacts } from './listener-facts.ts';
import { AdminProblem } from './problem.ts';

export type IdentityPorts = {
  /** Absent without a database. */
  readonly keys: Pick<KnownKeys, 'known' | 'knownByHash'> | undefined;
  /** By the hash of the presented secret. */
  readonly isOperator: (secretHash: string) => Promise<boolean>;
  readonly sessions: SessionStore;
  /** Of keys that members of a role create for themselves. */
  readonly memberBounds: (role: Role) => MemberBounds;
  readonly isTrustedProxy: IsTrustedProxy;
  readonly credentialTries: CredentialTries;
  readonly nowMs: () => number;
};

export type SignedIn = Session & { readonly id: string };
export type AdminIdentity = { readonly actor: Actor; readonly session?: SignedIn };

const CSRF_HEADER = 'x-trivium-csrf';

const refusal = (): AdminProblem => new AdminProblem('unauthenticated', 'The credential is missing or not valid.');

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** CSRF protection: browsers send a cookie for any page, so a write must show that our own page sent it. */
function requireOwnPage(request: IncomingMessage, headers: RawHeaders, { origin }: ListenerFacts, id: string): void {
  if (READS.has(request.method ?? '')) return;
  if (firstHeader(headers, 'origin') !== origin)
    throw new AdminProblem('forbidden', `A change with a session must come with the header Origin: ${origin}.`);
  if (!isCsrfOf(id, firstHeader(headers, CSRF_HEADER) ?? ''))
    throw new AdminProblem(
      'forbidden',
      `A change with a session needs the header ${CSRF_HEADER}; GET /admin/v1/me has its value.`,
    );
}

/** A key used from an address that it may not be used from is refused like a wrong one. */
async function actorByKey(
  request: IncomingMessage,
  found: ReturnType<KnownKeys['known']> | undefined,
  { isTrustedProxy }: IdentityPorts,
): Promise<Actor | undefined> {
  const known = await found;
  if (known?.caller.bounds?.mayCallFrom?.(callerAddress(request, isTrustedProxy)) === false) return undefined;
  return known && managerByKey(known.record);
}

/** A session has the current rights of the credential that opened it. */
async function actorOfSession(
  request: IncomingMessage,
  { subject }: Session,
  ports: IdentityPorts,
): Promise<Actor | undefined> {
  switch (subject.kind) {
    case 'member':
      return managerByMember(subject, ports.memberBounds(subject.role));
    case 'key':
      return actorByKey(request, ports.keys?.knownByHash(subject.credential), ports);
    case 'operator':
      return subject.credential === undefined || (await ports.isOperator(subject.credential))
        ? { kind: 'operator' }
        : undefined;
  }
}

async function bySession(
  request: IncomingMessage,
  headers: RawHeaders,
  listener: ListenerFacts,
  ports: IdentityPorts,
): Promise<AdminIdentity | undefined> {
  const id = listener.cookies && extractCookie(headers, listener.cookies.session);
  const session = id === undefined ? undefined : await ports.sessions.find(hashSecret(id));
  if (id === undefined || session === undefined) return undefined;
  requireOwnPage(request, headers, listener, id);
  return identityOf(request, listener, { ...session, id }, ports);
}

/** A listener for members has no operators. */
export async function identityOf(
  request: IncomingMessage,
  { audience }: ListenerFacts,
  session: SignedIn,
  ports: IdentityPorts,
): Promise<AdminIdentity | undefined> {
  const actor = await actorOfSession(request, session, ports);
  return actor === undefined || (audience === 'members' && actor.kind === 'operator') ? undefined : { actor, session };
}

/** A header takes precedence over the cookie. */
export async function identify(
  request: IncomingMessage,
  listener: ListenerFacts,
  ports: IdentityPorts,
): Promise<AdminIdentity> {
  const headers = readHeaders(request.rawHeaders);
  const credential = extractCredential(headers);
  const found =
    credential.kind === 'one'
      ? await bySecret(request, listener, credential.secret, ports)
      : credential.kind === 'none'
        ? await bySession(request, headers, listener, ports)
        : undefined;
  if (found === undefined) throw refusal();
  return found;
}

const OPERATOR: Actor = { kind: 'operator' };

async function bySecret(
  request: IncomingMessage,
  { audience }: ListenerFacts,
  secret: string,
  ports: IdentityPorts,
): Promise<AdminIdentity | undefined> {
  const { credentialTries, isTrustedProxy, nowMs } = ports;
  const hash = hashSecret(secret);
  const address = callerAddress(request, isTrustedProxy);
  credentialTries.requireTry(address, hash, nowMs());
  const isOperator = audience === 'operators' && (await ports.isOperator(hash));
  const actor = isOperator ? OPERATOR : await actorByKey(request, ports.keys?.known(secret), ports);
  if (actor === undefined) credentialTries.failed(address, hash, nowMs());
  else credentialTries.succeeded(hash);
  return actor && { actor };
}
