/**
 * Sign-ins on their way, in the database so that any node answers: what a program asked for, which browser it is shown in, who the
 * person is, and what the program gets for its code in the end.
 */
import { sql } from 'kysely';
import type { GrantClient } from '../../kernel/caller.ts';
import type { SealedSecret } from '../../people/secrets/vault.ts';
import type { Db } from '../../store/postgres/store.ts';
import { hashBytes, type RefreshToken } from './refresh-token.ts';

export const SIGN_IN_S = 600;
export const POLL_EVERY_S = 5;
/** A timer may fire a little early. */
const POLL_LEAST_S = POLL_EVERY_S - 1;
/** An authorization code is redeemed by the program at once. */
const CODE_S = 120;
/** On their way at once; a company may share one address. */
const [MOST_SIGN_INS, MOST_OF_ADDRESS] = [20_000, 2000];
const MOST_VISITS = 5;
/** Wrong user codes of an address. */
const [MOST_FAILURES, FAILURES_S] = [10, 600];
const SWEEP_ROWS = 100;

type SignInKind = 'device' | 'code' | 'key';

export type SignInRow = {
  readonly id: string;
  readonly door: SignInKind;
  readonly client: GrantClient;
  readonly label: string;
  readonly state: 'asked' | 'begun' | 'proven' | 'allowed' | 'denied' | 'spent';
  readonly address: string;
  readonly user_code: string | null;
  readonly redirect_uri: string | null;
  readonly challenge: string | null;
  readonly client_state: string | null;
  readonly issuer: string | null;
  readonly account_id: string | null;
  readonly member_id: string | null;
  readonly email: string | null;
  readonly cap_nano: bigint | null;
  readonly cap_span: 'day' | 'month' | 'total' | null;
  readonly days: number | null;
  readonly has_refresh: boolean;
  readonly is_early: boolean;
};

const READ = sql`s.*, s.sealed is not null as has_refresh,
  coalesce(s.polled_at > now() - make_interval(secs => ${POLL_LEAST_S}), false) as is_early`;

/** Of IPv6, the network: each has more addresses than anyone can count. */
const network = (address: string) => {
  const plain = address.replace(/^::ffff:/i, '').replace(/%.*$/, '') || null;
  return sql`coalesce(case when family(${plain}::inet) = 6 then host(network(set_masklen(${plain}::inet, 64))) else host(${plain}::inet) end, 'unknown')`;
};

export type NewSignIn = {
  readonly id: string;
  readonly door: SignInKind;
  readonly client: GrantClient;
  readonly label: string;
  readonly address: string;
  readonly deviceCode?: string;
  readonly userCode?: string;
  readonly visit?: string;
  readonly redirectUri?: string;
  readonly challenge?: string;
  readonly clientState?: string | undefined;
  readonly capNano?: bigint | undefined;
  readonly capSpan?: 'day' | 'month' | 'total' | undefined;
  readonly days?: number | undefined;
};

const hashIf = (secret: string | undefined): Buffer | null => (secret === undefined ? null : hashBytes(secret));

/** All of this in transactions of the operator. False: there are too many on their way. */
export async function insertSignIn(db: Db, given: NewSignIn): Promise<boolean> {
  await sql`delete from sign_ins where id in
    (select id from sign_ins where expires_at <= now() order by expires_at limit ${SWEEP_ROWS} for update skip locked)`.execute(
    db,
  );
  const address = network(given.address);
  const { numAffectedRows = 0n } = await sql`
    insert into sign_ins (id, door, client, label, address, code_hash, user_code, visit_hash, redirect_uri, challenge, client_state,
      cap_nano, cap_span, days, expires_at)
    select ${given.id}, ${given.door}, ${given.client}, ${given.label}, ${address}, ${hashIf(given.deviceCode)}::bytea,
      ${given.userCode ?? null}, ${hashIf(given.visit)}::bytea, ${given.redirectUri ?? null}, ${given.challenge ?? null},
      ${given.clientState ?? null}, ${given.capNano ?? null}::bigint, ${given.capSpan ?? null}, ${given.days ?? null}::integer,
      now() + make_interval(secs => ${SIGN_IN_S})
    where (select count(*) from sign_ins) < ${MOST_SIGN_INS}
      and (select count(*) from sign_ins where address = ${address}) < ${MOST_OF_ADDRESS}`.execute(db);
  return numAffectedRows === 1n;
}

/** `too-many`: this address has entered too many wrong codes. */
export async function findByUserCode(
  db: Db,
  userCode: string,
  address: string,
): Promise<SignInRow | 'too-many' | undefined> {
  const from = network(address);
  const { rows: blocked } = await sql`select from sign_in_tries where address = ${from} and failures >= ${MOST_FAILURES}
    and since > now() - make_interval(secs => ${FAILURES_S})`.execute(db);
  if (blocked.length > 0) return 'too-many';
  const { rows } = await sql<SignInRow>`select ${READ} from sign_ins s
    where user_code = ${userCode} and expires_at > now() and state in ('asked', 'begun', 'proven')`.execute(db);
  if (rows[0] !== undefined) return rows[0];
  await sql`delete from sign_in_tries where since <= now() - make_interval(secs => ${FAILURES_S})`.execute(db);
  await sql`insert into sign_in_tries as t (address, failures, since) values (${from}, 1, now())
    on conflict (address) do update set failures = t.failures + 1`.execute(db);
  return undefined;
}

/** A browser begins to sign in. False: it has ended, or too many browsers have tried. */
export async function beginVisit(db: Db, id: string, visit: string, issuer: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update sign_ins set visit_hash = ${hashBytes(visit)}, issuer = ${issuer}, state = 'begun', visits = visits + 1,
      subject = null, account_id = null, member_id = null, email = null, groups = '{}', sealed = null, wrapped_key = null, wrapping = null
    where id = ${id} and state in ('asked', 'begun', 'proven') and visits < ${MOST_VISITS} and expires_at > now()`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

/** By what the browser's cookie holds. */
export async function findVisit(db: Db, visit: string): Promise<SignInRow | undefined> {
  const { rows } = await sql<SignInRow>`select ${READ} from sign_ins s
    where visit_hash = ${hashBytes(visit)} and expires_at > now()`.execute(db);
  return rows[0];
}

export type ProvenPerson = {
  readonly subject: string;
  readonly accountId: string;
  readonly memberId: string;
  readonly email: string | null;
  readonly groups: readonly string[];
  readonly sealed: SealedSecret | undefined;
};

export async function proveVisit(db: Db, visit: string, person: ProvenPerson): Promise<boolean> {
  const { subject, accountId, memberId, email, groups, sealed } = person;
  const { numAffectedRows = 0n } = await sql`
    update sign_ins set state = 'proven', subject = ${subject}, account_id = ${accountId}, member_id = ${memberId}, email = ${email},
      groups = ${[...groups]}, sealed = ${sealed?.sealed ?? null}, wrapped_key = ${sealed?.wrappedKey ?? null},
      wrapping = ${sealed?.wrapping ?? null}, proven_at = now()
    where visit_hash = ${hashBytes(visit)} and state = 'begun' and expires_at > now()`.execute(db);
  return numAffectedRows === 1n;
}

export type Consent = Pick<SignInRow, 'cap_nano' | 'cap_span' | 'days'> & {
  /** For a redirect: the code that the program redeems. */
  readonly code?: string;
};

/** The person agrees, once. The row as it is then; undefined if there is nothing to agree to. */
export async function allowVisit(db: Db, visit: string, consent: Consent): Promise<SignInRow | undefined> {
  const { code } = consent;
  const { rows } = await sql<SignInRow>`
    update sign_ins s set state = 'allowed', cap_nano = ${consent.cap_nano}::bigint, cap_span = ${consent.cap_span}, days = ${consent.days}::integer,
      visit_hash = null ${code === undefined ? sql`` : sql`, code_hash = ${hashBytes(code)}, expires_at = now() + make_interval(secs => ${CODE_S})`}
    where visit_hash = ${hashBytes(visit)} and state = 'proven' and expires_at > now() returning ${READ}`.execute(db);
  return rows[0];
}

/** By the browser's cookie, or before anyone signed in by the user code. */
export async function denySignIn(
  db: Db,
  by: { readonly visit: string } | { readonly id: string },
): Promise<SignInRow | undefined> {
  const { rows } = await sql<SignInRow>`
    update sign_ins s set state = 'denied', visit_hash = null, sealed = null, wrapped_key = null, wrapping = null
    where ${'visit' in by ? sql`visit_hash = ${hashBytes(by.visit)}` : sql`id = ${by.id}`}
      and state in ('asked', 'begun', 'proven') and expires_at > now() returning ${READ}`.execute(db);
  return rows[0];
}

/** By what the program holds; stays locked until the transaction ends. */
export async function findByCode(db: Db, code: string): Promise<SignInRow | undefined> {
  const { rows } = await sql<SignInRow>`select ${READ} from sign_ins s
    where code_hash = ${hashBytes(code)} and expires_at > now() for update`.execute(db);
  return rows[0];
}

export async function notePoll(db: Db, id: string): Promise<void> {
  await sql`update sign_ins set polled_at = now() where id = ${id}`.execute(db);
}

/** What the program got is known from now on only to itself: a second one with the same code is a thief, or was robbed. */
export async function spendSignIn(db: Db, id: string): Promise<void> {
  await sql`update sign_ins set state = 'spent', sealed = null, wrapped_key = null, wrapping = null where id = ${id}`.execute(
    db,
  );
}

/** The grant that an allowed sign-in becomes. */
export async function insertGrant(
  db: Db,
  id: string,
  refresh: RefreshToken,
  { scope, unprovenHours }: { readonly scope: string; readonly unprovenHours: number },
): Promise<void> {
  await sql`
    insert into grants (account_id, id, member_id, client, label, issuer, subject, email, groups, scope, cap_nano, sealed, wrapped_key,
      wrapping, selector, verifier, proven_at, ends_at)
    select account_id, id, member_id, client, label, issuer, subject, email, groups, ${scope}, cap_nano, sealed, wrapped_key, wrapping,
      ${hashBytes(refresh.selector)}, ${hashBytes(refresh.verifier)}, proven_at,
      least(case when sealed is null then proven_at + make_interval(hours => ${unprovenHours}) end,
        case when days is not null then now() + make_interval(days => days) end)
    from sign_ins where id = ${id}`.execute(db);
}
