/**
 * Back-channel logout: an identity provider tells that a person has signed out there, or was signed out. Sessions that it
 * signed in end; keys do not. Not for people, and authenticated by the token in the body.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { callerAddress, type IsTrustedProxy } from '../../http/peer.ts';
import { hashSecret } from '../../people/accounts/key-secret.ts';
import { IssuerUnreachable } from '../../people/accounts/key-source.ts';
import { LOGOUT_TOKEN_MAX_AGE_S, type Logout } from '../../people/identity/logout-tokens.ts';
import { type Db, OPERATOR } from '../../store/postgres/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { appendAudits } from '../api/change.ts';
import { CredentialTries } from '../api/credential-tries.ts';
import { ADMIN_MOUNT } from '../api/openapi.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import type { DatabasePorts } from '../api/route.ts';

export type LogoutPorts = DatabasePorts & {
  /** Undefined for an issuer that is not configured; resolves with undefined for a token that is not genuine. */
  readonly logout: (issuerId: string, token: string) => Promise<Logout | undefined> | undefined;
};

type Ports = LogoutPorts & {
  /** Signs a person out of programs; the ids of what ended. */
  readonly endGrantsOf: (db: Db, accountId: string, memberId: string) => Promise<readonly string[]>;
  readonly log: Log;
  readonly readText: (request: IncomingMessage, maxBytes: number) => Promise<string>;
  readonly isTrustedProxy: IsTrustedProxy;
};

const MAX_BODY_BYTES = 16_384;
/** Twice as long as a token is valid, with room for clocks that differ. */
const REMEMBERED_S = 2 * LOGOUT_TOKEN_MAX_AGE_S + 60;

/** The sender learns no more than that; the form is that of OAuth. */
class Rejected extends AdminProblem {
  constructor() {
    super('invalid', 'This is not a valid logout token.');
  }

  override get body(): object {
    return { error: 'invalid_request', error_description: this.message };
  }
}

type EndedSession = { readonly account_id: string | null; readonly member_id: string | null };

/** False if the token was used before. */
async function isFirstUse(db: Db, { issuer, jti }: Logout): Promise<boolean> {
  await sql`delete from logout_tokens where expires_at <= now()`.execute(db);
  const hash = Buffer.from(hashSecret(`${issuer} ${jti}`), 'hex');
  const { numAffectedRows } = await sql`insert into logout_tokens (hash, expires_at)
    values (${hash}, now() + ${REMEMBERED_S} * interval '1 second') on conflict do nothing`.execute(db);
  return numAffectedRows === 1n;
}

/** A session of which the issuer gave no id ends with its person. */
async function endSessions(db: Db, logout: Logout): Promise<readonly EndedSession[]> {
  const { issuer } = logout;
  const [subject, sid] = [logout.subject ?? null, logout.sid ?? null];
  const { rows } = await sql<EndedSession>`delete from sessions s where s.issuer = ${issuer}
    and (${subject}::text is null or s.subject = ${subject})
    and (${sid}::text is null or s.sid = ${sid} or (s.sid is null and s.subject = ${subject}))
    returning account_id, member_id`.execute(db);
  return rows;
}

type EndedGrants = { readonly accountId: string; readonly memberId: string; readonly grants: readonly string[] };

/** A logout of the whole person signs programs out, too; that of one session does not: people sign out every evening. */
async function endGrants(
  db: Db,
  { issuer, subject, sid }: Logout,
  endGrantsOf: Ports['endGrantsOf'],
): Promise<readonly EndedGrants[]> {
  if (subject === undefined || sid !== undefined) return [];
  const { rows } = await sql<{ account_id: string; member_id: string }>`select account_id, member_id
    from member_identities where issuer = ${issuer} and subject = ${subject}`.execute(db);
  const ended: EndedGrants[] = [];
  for (const { account_id: accountId, member_id: memberId } of rows)
    ended.push({ accountId, memberId, grants: await endGrantsOf(db, accountId, memberId) });
  return ended;
}

export function addBackchannelLogout(app: FastifyInstance, ports: Ports): void {
  const { store, logout, endGrantsOf, log, readText, isTrustedProxy, nowMs } = ports;
  const tries = new CredentialTries();
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/x-www-form-urlencoded', ({ raw }: FastifyRequest) =>
      readText(raw, MAX_BODY_BYTES),
    );
    scope.post<{ Params: { readonly id: string }; Body?: string }>(
      `${ADMIN_MOUNT}/session/oidc/:id/backchannel-logout`,
      async ({ params: { id }, body = '', raw }, reply) => {
        const [token = '', ...more] = new URLSearchParams(body).getAll('logout_token');
        const [address, hash] = [callerAddress(raw, isTrustedProxy), hashSecret(token)];
        tries.requireTry(address, hash, nowMs());
        const reading = logout(id, token);
        if (reading === undefined) throw notFound('Sign-in provider', id);
        const read = await reading.catch((error: unknown) => {
          if (!(error instanceof IssuerUnreachable)) throw error;
          log.warn('logout token not checked', { issuer: id, error });
          throw new AdminProblem('unavailable', 'The keys of the issuer cannot be fetched. Try again shortly.');
        });
        const ended =
          read === undefined || more.length > 0
            ? undefined
            : await store.within(OPERATOR, async (db) => {
                if (!(await isFirstUse(db, read))) return undefined;
                const [sessions, programs] = [await endSessions(db, read), await endGrants(db, read, endGrantsOf)];
                const actor = `issuer:${id}`;
                const detail = { method: 'backchannel-logout' };
                await appendAudits(db, [
                  ...sessions.map(({ account_id: accountId, member_id }) => {
                    const subject = member_id === null ? 'operator' : `member:${member_id}`;
                    return { accountId, actor, action: 'session.end', subject, detail };
                  }),
                  ...programs.flatMap(({ accountId, memberId, grants }) =>
                    grants.map((grant) => ({
                      accountId,
                      actor,
                      action: 'grant.end',
                      subject: grant,
                      detail: { ...detail, memberId },
                    })),
                  ),
                ]);
                return true;
              });
        if (ended !== true) {
          tries.failed(address, hash, nowMs());
          log.warn('logout token rejected', { issuer: id });
          throw new Rejected();
        }
        return reply.send({});
      },
    );
  });
}
