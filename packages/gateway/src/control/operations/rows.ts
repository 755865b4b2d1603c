/**
 * The rows of operations. Opening and ending an operation are transactions with the ledger, so that there is never a
 * video without a hold, nor an end without its charge. Every transition checks the state it expects.
 */
import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { NewOperation, OperationEvent, VideoOperation } from '../../media/operations/operation.ts';
import type { Opening, OperationHold, OperationPage, OperationStore, Spans } from '../../media/operations/ports.ts';
import { TRANSITIONS } from '../../media/operations/states.ts';
import type { Command } from '../../money/ledger/core/commands.ts';
import { boundedScopes } from '../../money/ledger/ledger-database.ts';
import { PostgresLedger } from '../../money/ledger/postgres-ledger.ts';
import type { OperationJobs } from '../../store/jobs/jobs.ts';
import { type Db, OPERATOR, type Store } from '../../store/postgres/store.ts';
import type { Tables } from '../../store/postgres/tables.ts';
import { COLUMNS, LISTED, type OperationRow, operationOf } from './operation-row.ts';

/** Holds of operations belong to no process: their node never counts as dead. */
const EPOCH = 'operations';
const NEVER_SILENT_MS = Number.MAX_SAFE_INTEGER;

const ROUSED_AT_ONCE = 500;
const FORGOTTEN_AT_ONCE = 500;

const ms = (value: number): RawBuilder<unknown> => sql`${value} * interval '1 ms'`;
const digestOf = (content: string): Buffer => createHash('sha256').update(content).digest();

/** Rolls the transaction back: another request was faster with the same key. */
class TakenMeanwhile extends Error {}

export class OperationRows implements OperationStore {
  readonly #store: Store;
  readonly #jobs: Pick<OperationJobs, 'send'>;

  private constructor(store: Store, jobs: Pick<OperationJobs, 'send'>) {
    this.#store = store;
    this.#jobs = jobs;
  }

  static async open(store: Store, jobs: Pick<OperationJobs, 'send'>): Promise<OperationRows> {
    await sql`insert into ledger_nodes (epoch, node, beat_at_ms, state)
      values (${EPOCH}, ${EPOCH}, ${NEVER_SILENT_MS}, 'alive') on conflict do nothing`.execute(store.writer);
    return new OperationRows(store, jobs);
  }

  async open(order: NewOperation, hold: OperationHold, spans: Spans): Promise<Opening> {
    const once = (): Promise<Opening> =>
      this.#store.writer.transaction().execute((db) => this.#open(db, order, hold, spans));
    try {
      return await once();
    } catch (error) {
      if (!(error instanceof TakenMeanwhile)) throw error;
      return once();
    }
  }

  async move(id: string, event: OperationEvent): Promise<VideoOperation | undefined> {
    const { hold } = TRANSITIONS[event.name];
    return this.#store.writer.transaction().execute(async (db) => {
      const { rows } = await changed(db, id, event);
      const [row] = rows;
      if (row === undefined) return undefined;
      const operation = operationOf(row);
      if (hold !== 'stays') await closeHold(db, operation);
      await this.#jobs.send(db, id, 'nextInMs' in event ? event.nextInMs : 0);
      return operation;
    });
  }

  find(accountId: string, id: string): Promise<VideoOperation | undefined> {
    return this.#store.within(accountId, async (db) => {
      const { rows } = await sql<OperationRow>`select ${COLUMNS} from operations
        where account_id = ${accountId} and id = ${id} and state <> 'refused' and expires_at > now()`.execute(db);
      return rows[0] && operationOf(rows[0]);
    });
  }

  list(
    accountId: string | undefined,
    { limit, state, modelId, provider, before, isAscending = false }: OperationPage,
  ): Promise<readonly VideoOperation[]> {
    return this.#store.within(accountId ?? OPERATOR, async (db) => {
      const [isBeyond, order] = isAscending ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`];
      const ofAccount = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
      const { rows } = await sql<OperationRow>`select ${LISTED} from operations
        where state <> 'refused' and expires_at > now() ${ofAccount}
          ${state === undefined ? sql`` : sql`and state = ${state}`}
          ${modelId === undefined ? sql`` : sql`and model_id = ${modelId}`}
          ${provider === undefined ? sql`` : sql`and provider = ${provider}`}
          ${
            before === undefined
              ? sql``
              : sql`and (created_at, id) ${isBeyond} (select created_at, id from operations where id = ${before} ${ofAccount})`
          }
        order by created_at ${order}, id ${order} limit ${limit}`.execute(db);
      return rows.map(operationOf);
    });
  }

  async remove(accountId: string, id: string): Promise<void> {
    await sql`update operations set expires_at = now(), idempotency_key = null,
        result = jsonb_set(result, '{clips}', '[]')
      where account_id = ${accountId} and id = ${id} and finished_at is not null`.execute(this.#store.writer);
  }

  async read(id: string): Promise<VideoOperation | undefined> {
    const { rows } = await sql<OperationRow>`select ${COLUMNS} from operations where id = ${id}`.execute(
      this.#store.writer,
    );
    return rows[0] && operationOf(rows[0]);
  }

  rouse(overdueMs: number): Promise<number> {
    return this.#store.writer.transaction().execute(async (db) => {
      const { rows } = await sql<{ id: string }>`
        update operations set next_at = now() where id in (
          select id from operations where finished_at is null and next_at < now() - ${ms(overdueMs)}
          limit ${ROUSED_AT_ONCE} for update skip locked)
        returning id`.execute(db);
      for (const { id } of rows) await this.#jobs.send(db, id, 0);
      return rows.length;
    });
  }

  async forget(): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      delete from operations where id in (
        select id from operations where finished_at is not null and expires_at <= now()
        limit ${FORGOTTEN_AT_ONCE} for update skip locked)`.execute(this.#store.writer);
    return Number(numAffectedRows);
  }

  async #open(db: Db, order: NewOperation, hold: OperationHold, spans: Spans): Promise<Opening> {
    const before = await repeatOf(db, order);
    if (before !== undefined) return before;
    const ledger = new PostgresLedger<Tables>(db);
    const [terms] = await ledger.termsOf([order.accountId]);
    const { unlimited, budgeted } = terms!;
    if (hold.unpriced.length > 0 && !(unlimited && budgeted.size === 0)) return { kind: 'unpriced' };
    // The operation before its account, in the order in which `move` locks them: the other way round they deadlock.
    if (!(await inserted(db, order, spans))) throw new TakenMeanwhile();
    const [result] = await ledger.apply([
      {
        do: 'hold',
        account: order.accountId,
        request: order.requestId,
        epoch: EPOCH,
        amount: hold.nanoUsd,
        scopes: boundedScopes(hold.scopes, terms!),
        priceVersion: hold.priceVersion,
        idempotencyKey: '',
      },
    ]);
    if (result?.is === 'refused') {
      await sql`delete from operations where id = ${order.id}`.execute(db);
      // Committed, not rolled back: leases that were recalled must stay recalled.
      return { kind: 'too-poor', scope: result.scope, recallable: result.recallable > 0n };
    }
    if (result?.is !== 'granted') throw new Error(`the ledger database answered ${result?.is} to a hold`);
    await this.#jobs.send(db, order.id, spans.submitMs);
    return { kind: 'opened' };
  }
}

/** False if another request has taken the idempotency key meanwhile. */
async function inserted(db: Db, order: NewOperation, { submitMs, deadlineMs, keepMs }: Spans): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into operations (id, account_id, key_id, request_id, protocol, idempotency_key, content, model, model_id,
      provider, dialect, route_key, ordered, state, received_at, next_at, deadline_at, expires_at)
    values (${order.id}, ${order.accountId}, ${order.keyId}, ${order.requestId}, ${order.protocol},
      ${order.idempotencyKey ?? null}, ${digestOf(order.content)}, ${order.model}, ${order.modelId}, ${order.provider},
      ${order.dialect}, ${order.routeKey}, ${JSON.stringify(order.ordered)}, 'submitting',
      ${new Date(order.receivedAtMs)}, now() + ${ms(submitMs)}, now() + ${ms(deadlineMs)}, now() + ${ms(keepMs)})
    on conflict do nothing`.execute(db);
  return numAffectedRows > 0n;
}

async function repeatOf(db: Db, { accountId, idempotencyKey, content }: NewOperation): Promise<Opening | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const { rows } = await sql<OperationRow & { readonly content: Buffer }>`select content, ${COLUMNS} from operations
    where account_id = ${accountId} and idempotency_key = ${idempotencyKey} and state <> 'refused'`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  return { kind: 'repeated', operation: operationOf(row), isSame: row.content.equals(digestOf(content)) };
}

/** The row after the event, or none if its state, or its time, has changed meanwhile. */
function changed(db: Db, id: string, event: OperationEvent): Promise<{ readonly rows: readonly OperationRow[] }> {
  const { from, to } = TRANSITIONS[event.name];
  const where = sql`where id = ${id} and state = any(${[...from]})`;
  const set = (more: RawBuilder<unknown>, also = sql``) =>
    sql<OperationRow>`update operations set state = ${to}, ${more} ${where} ${also} returning ${COLUMNS}`.execute(db);
  switch (event.name) {
    case 'accepted':
      return set(sql`task = ${JSON.stringify(event.task)}, next_at = now() + ${ms(event.nextInMs)}`);
    case 'lost':
      return set(sql`next_at = now() + ${ms(event.nextInMs)}`);
    case 'waited':
      return set(
        sql`percent = coalesce(${event.percent ?? null}, percent), unanswered = ${event.unanswered},
          denials = ${event.denials}, next_at = now() + ${ms(event.nextInMs)}`,
        sql`and next_at = ${event.seenNextAt}::timestamptz`,
      );
    case 'finished':
      return set(sql`result = ${JSON.stringify(event.result)}, percent = 100, next_at = now(), finished_at = now()`);
    case 'refused':
      return set(sql`fault = ${JSON.stringify(event.fault)}, next_at = now(), finished_at = now()`);
    case 'failed':
    case 'given-up':
    case 'cancelled':
      return set(sql`fault = ${JSON.stringify(event.fault)}, note = ${event.note ?? null}, next_at = now(),
        finished_at = now()`);
  }
}

/** In the transaction that ends the operation: charges what was delivered, or releases the hold. */
async function closeHold(db: Db, { accountId, requestId, ordered, result, id }: VideoOperation): Promise<void> {
  const nanoUsd = BigInt(result?.bill.nanoUsd ?? 0);
  const command: Command =
    nanoUsd === 0n
      ? { do: 'release', account: accountId, hold: requestId }
      : {
          do: 'settle',
          account: accountId,
          request: requestId,
          lease: '',
          cost: nanoUsd,
          priceVersion: ordered.rates.version,
          estimated: result?.bill.estimated ?? false,
          memo: `operation ${id}`,
        };
  const [answer] = await new PostgresLedger<Tables>(db).apply([command]);
  if (answer?.is !== 'done')
    throw new Error(`the ledger database answered ${answer?.is} to the end of operation ${id}`);
}
