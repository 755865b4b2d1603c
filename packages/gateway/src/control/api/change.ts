/** Changes at the admin API: each is one transaction with its entry in the audit log, and then nodes drop what they cached. */
import { type Db, OPERATOR } from '../../store/postgres/store.ts';
import { type Actor, actorName } from './actor.ts';
import type { DatabasePorts } from './route.ts';

type Asked = Pick<DatabasePorts, 'store' | 'tell'> & {
  readonly actor: Actor;
  /** Empty: the change belongs to no account. */
  readonly accountId: string;
  readonly id: string;
};

type Changed<T> = {
  readonly answer: T;
  /** What is in the audit log of it; never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** What it has changed, as it was: the members of `detail` are kept beside it. */
  readonly before?: object | undefined;
  /** Default: the id in the path. */
  readonly subject?: string;
  /** All nodes drop what they cached of the account. */
  readonly isCached?: true;
};

/** `action`: its name in the audit log. Nothing is written if `work` throws. */
export async function change<T>(asked: Asked, action: string, work: (db: Db) => Promise<Changed<T>>): Promise<T> {
  const { store, tell, actor, accountId, id } = asked;
  const { answer, isCached } = await store.within(accountId || OPERATOR, async (db) => {
    const changed = await work(db);
    const { subject = id, detail = {}, before } = changed;
    if (subject === '') throw new Error(`${action} does not say what it has changed`);
    await appendAudit(db, {
      accountId: accountId || null,
      actor: actorName(actor),
      action,
      subject,
      detail: withBefore(detail, before),
    });
    return changed;
  });
  if (isCached === true) tell(`account:${accountId}`);
  return answer;
}

/** The member `before` has the same members as they were; null: there was none. */
export function withBefore(
  detail: Readonly<Record<string, unknown>>,
  before: object | undefined,
): Readonly<Record<string, unknown>> {
  if (before === undefined) return detail;
  const was = before as Readonly<Record<string, unknown>>;
  return { ...detail, before: Object.fromEntries(Object.keys(detail).map((name) => [name, was[name] ?? null])) };
}

export type Noted = {
  readonly accountId: string | null;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  /** Never contains a secret. */
  readonly detail: Readonly<Record<string, unknown>>;
};

export async function appendAudit(db: Db, { accountId, actor, action, subject, detail }: Noted): Promise<void> {
  await db
    .insertInto('audit')
    .values({ account_id: accountId, actor, action, subject, detail: JSON.stringify(detail) })
    .execute();
}

const ROWS_AT_ONCE = 1000;

/** In their order. */
export async function appendAudits(db: Db, entries: readonly Noted[]): Promise<void> {
  for (let from = 0; from < entries.length; from += ROWS_AT_ONCE)
    await db
      .insertInto('audit')
      .values(
        entries.slice(from, from + ROWS_AT_ONCE).map(({ accountId, detail, ...entry }) => ({
          ...entry,
          account_id: accountId,
          detail: JSON.stringify(detail),
        })),
      )
      .execute();
}
