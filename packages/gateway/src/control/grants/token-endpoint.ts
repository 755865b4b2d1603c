/** What programs get for their codes and refresh tokens, and how they give it back. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { pause } from '../../kernel/clock.ts';
import { hashSecret, newAccessToken } from '../../people/accounts/key-secret.ts';
import type { Db } from '../../store/postgres/store.ts';
import { isUnreachable } from '../../store/postgres/unreachable.ts';
import { appendAudit } from '../api/change.ts';
import { isProgram } from './clients.ts';
import {
  type ClaimedGrant,
  claimRenewal,
  endGrant,
  type GrantName,
  grantOfToken,
  insertAccessToken,
  releaseRenewal,
  rotateGrant,
} from './grant-rows.ts';
import type { GrantPorts, ProgramSettings } from './ports.ts';
import { proveGrant } from './prove.ts';
import { newRefreshToken, type RefreshToken, readRefreshToken, textOf } from './refresh-token.ts';
import { OAuthProblem } from './replies.ts';
import { findByCode, insertGrant, notePoll, type SignInRow, spendSignIn } from './sign-in-rows.ts';

export type OAuthForm = ReadonlyMap<string, string>;

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
export const SCOPE = 'calls';
/** Others that renew the same grant wait for the one that asks the issuer, at most as long as that may take. */
const [WAIT_MS, LOOK_EVERY_MS] = [25_000, 100];
/** In all, well within the time for which a grant is claimed. */
const [MOST_TRIES, TRY_AGAIN_MS] = [6, 500];
const HOUR_MS = 3_600_000;
/** RFC 7636. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

type Ports = Omit<GrantPorts, 'settings'> & { readonly settings: () => ProgramSettings };

const invalidGrant = (status: 400 | 401, why: string): OAuthProblem => new OAuthProblem(status, 'invalid_grant', why);

export async function tokenAnswer(form: OAuthForm, ports: Ports): Promise<object> {
  switch (form.get('grant_type')) {
    case DEVICE_GRANT:
      return redeemed(form, 'device_code', ports);
    case 'authorization_code':
      return redeemed(form, 'code', ports);
    case 'refresh_token':
      return renewed(form, ports);
    default:
      throw new OAuthProblem(
        400,
        'unsupported_grant_type',
        'This gateway knows device codes, codes and refresh tokens.',
      );
  }
}

type Answer = { readonly grant: GrantName; readonly email: string | null; readonly refresh: RefreshToken };

async function withAccess(db: Db, { grant, email, refresh }: Answer, { settings }: Ports): Promise<object> {
  const { accessMinutes } = settings();
  const access = newAccessToken();
  const seconds = await insertAccessToken(db, grant, hashSecret(access), accessMinutes);
  return {
    access_token: access,
    refresh_token: textOf(refresh),
    token_type: 'Bearer',
    expires_in: seconds,
    scope: SCOPE,
    ...(email !== null && { email }),
  };
}

/** A refusal that is also written: throwing within the transaction would undo what it says. */
type Outcome =
  | { readonly answer: object }
  | {
      readonly problem: OAuthProblem;
      /** What nodes drop from their caches. */
      readonly ended?: readonly string[] | undefined;
    };

function answered(outcome: Outcome, { tell }: Pick<GrantPorts, 'tell'>): object {
  if ('answer' in outcome) return outcome.answer;
  outcome.ended?.forEach(tell);
  throw outcome.problem;
}

async function redeemed(form: OAuthForm, member: 'device_code' | 'code', ports: Ports): Promise<object> {
  const code = form.get(member);
  if (code === undefined) throw new OAuthProblem(400, 'invalid_request', `${member} is missing.`);
  return answered(
    await ports.store.within(async (db): Promise<Outcome> => {
      const row = await findByCode(db, code);
      const problem =
        member === 'device_code' ? await deviceProblem(db, row, form) : await codeProblem(db, row, form, 'code');
      if (problem !== undefined) return { problem, ended: await endedByReplay(db, row) };
      if (row === undefined) throw new Error('no sign-in');
      const refresh = newRefreshToken();
      await insertGrant(db, row.id, refresh, { scope: SCOPE, unprovenHours: ports.settings().unprovenHours });
      await spendSignIn(db, row.id);
      const grant = { accountId: row.account_id ?? '', id: row.id };
      if (row.cap_nano !== null) await capGrant(db, grant, row, ports);
      const detail = { client: row.client, label: row.label, memberId: row.member_id, issuer: row.issuer };
      const actor = `member:${row.member_id}`;
      await appendAudit(db, { accountId: grant.accountId, actor, action: 'grant.create', subject: row.id, detail });
      return { answer: await withAccess(db, { grant, email: row.email, refresh }, ports) };
    }),
    ports,
  );
}

/** A grant is budgeted as keys are: it stands in the place of one. */
async function capGrant(db: Db, { accountId, id }: GrantName, row: SignInRow, { money }: Ports): Promise<void> {
  const refused = await money.changeAll(
    db,
    [
      {
        accountId,
        do: 'budget',
        scope: `key:${id}`,
        span: row.cap_span ?? 'total',
        nano: row.cap_nano,
        setBy: 'member',
      },
    ],
    'member',
  );
  if (refused !== undefined) throw new Error(`the budget of a new grant was refused: ${refused.why}`);
}

async function deviceProblem(db: Db, row: SignInRow | undefined, form: OAuthForm): Promise<OAuthProblem | undefined> {
  const expired = new OAuthProblem(400, 'expired_token', 'The code has expired. Sign in again.');
  if (row?.door !== 'device') return expired;
  if (!isProgram(form.get('client_id'))(row.client, row.label))
    return invalidGrant(400, 'This code was given to another program.');
  if (row.state === 'denied') return new OAuthProblem(400, 'access_denied', 'The sign-in was refused.');
  if (row.state === 'spent') return expired;
  if (row.state === 'allowed') return undefined;
  if (row.is_early) return new OAuthProblem(429, 'slow_down', 'Asked again too soon.');
  await notePoll(db, row.id);
  return new OAuthProblem(400, 'authorization_pending', 'The person has not agreed yet.');
}

/** Of authorization codes, for tokens or for a key. */
export async function codeProblem(
  db: Db,
  row: SignInRow | undefined,
  form: OAuthForm,
  door: 'code' | 'key',
): Promise<OAuthProblem | undefined> {
  if (row?.door !== door) return invalidGrant(400, 'The code is not valid.');
  const verifier = form.get('code_verifier') ?? '';
  const isOwn =
    door === 'key' ||
    (isProgram(form.get('client_id'))(row.client, row.label) && form.get('redirect_uri') === row.redirect_uri);
  if (row.state === 'spent') return invalidGrant(400, 'The code is not valid.');
  if (row.state !== 'allowed' || !isOwn || !isVerifierOf(verifier, row.challenge ?? '')) {
    // A code without its verifier was stolen on its way: it is worth nothing from now on.
    await spendSignIn(db, row.id);
    return invalidGrant(400, 'The code is not valid.');
  }
  return undefined;
}

function isVerifierOf(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false;
  const [made, asked] = [createHash('sha256').update(verifier).digest('base64url'), challenge].map((one) =>
    Buffer.from(one),
  );
  return made !== undefined && asked !== undefined && made.length === asked.length && timingSafeEqual(made, asked);
}

/** A code that comes twice was stolen: what it gave ends. */
const endedByReplay = async (db: Db, row: SignInRow | undefined): Promise<readonly string[] | undefined> =>
  row?.state === 'spent' && row.account_id !== null
    ? endGrant(db, { accountId: row.account_id, id: row.id }, 'sign-in', 'its code was used again')
    : undefined;

async function renewed(form: OAuthForm, ports: Ports): Promise<object> {
  const ended = invalidGrant(401, 'This sign-in has ended. Sign in again.');
  const token = readRefreshToken(form.get('refresh_token') ?? '');
  if (token === undefined) throw ended;
  const claim = (db: Db) => claimRenewal(db, token, isProgram(form.get('client_id')));
  for (let waitedMs = 0; waitedMs <= WAIT_MS; waitedMs += LOOK_EVERY_MS) {
    const outcome = await ports.store.within(async (db): Promise<Outcome | 'busy' | ClaimedGrant> => {
      const found = await claim(db);
      if (found.is === 'busy') return 'busy';
      if (found.is === 'claimed') return found.grant;
      if (found.is !== 'renewed') return { problem: ended, ...('ended' in found && { ended: found.ended }) };
      return { answer: await withAccess(db, { ...found, refresh: found.next }, ports) };
    });
    if (outcome === 'busy') {
      await pause(LOOK_EVERY_MS);
      continue;
    }
    if ('answer' in outcome || 'problem' in outcome) return answered(outcome, ports);
    return answered(await renewClaimed(outcome, token, ended, ports), ports);
  }
  throw unavailable();
}

async function renewClaimed(
  grant: ClaimedGrant,
  presented: RefreshToken,
  gone: OAuthProblem,
  ports: Ports,
): Promise<Outcome> {
  const { store, settings } = ports;
  const release = () => store.within((db) => releaseRenewal(db, grant)).catch(() => undefined);
  try {
    const proof = await proveGrant(grant, ports);
    const isOver = proof.is === 'unknown' && grant.unprovenMs > settings().outageHours * HOUR_MS;
    if (isOver || proof.is === 'unconfigured') {
      await release();
      return { problem: unavailable() };
    }
    return await writtenInTheEnd(ports, async (db): Promise<Outcome> => {
      const settled = await proof.settle(db);
      if (settled.is === 'over') {
        return { problem: gone, ended: await endGrant(db, grant, 'sign-in', settled.why) };
      }
      const next = await rotateGrant(db, grant, presented, settled.proven);
      // Ended, or renewed by a transaction whose end was not heard of: asked once more, it is clear which.
      if (next === undefined) return { problem: unavailable() };
      const email = settled.proven?.person?.email ?? grant.email;
      return { answer: await withAccess(db, { grant, email, refresh: next }, ports) };
    });
  } catch (error) {
    await release();
    throw error;
  }
}

/** What the issuer has given is given once: a database that is away for a moment must not cost people their sign-in. */
async function writtenInTheEnd<T>({ store }: Ports, work: (db: Db) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await store.within(work, true);
    } catch (error) {
      if (tries === MOST_TRIES || !isUnreachable(error)) throw error;
      await pause(tries * TRY_AGAIN_MS);
    }
}

const unavailable = (): OAuthProblem =>
  new OAuthProblem(503, 'temporarily_unavailable', 'The identity provider does not answer. Try again shortly.');

/** RFC 7009: any token of a grant ends it, and unknown ones are no error. */
export async function revokeToken(form: OAuthForm, { store, tell }: GrantPorts): Promise<void> {
  const token = form.get('token');
  if (token === undefined) throw new OAuthProblem(400, 'invalid_request', 'token is missing.');
  const ended = await store.within(async (db) => {
    const grant = await grantOfToken(db, token, readRefreshToken(token));
    return grant && endGrant(db, grant, `member:${grant.memberId}`, 'signed out');
  });
  ended?.forEach(tell);
}
