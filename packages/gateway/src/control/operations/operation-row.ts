/** Maps a row of `operations` to an operation. Times that are compared stay in the database's own precision. */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { VideoOperation } from '../../media/operations/operation.ts';
import type { OperationsTable } from '../../media/operations/tables.ts';

/** The columns that are read: the database compares times, and the idempotency key stays there. */
export type OperationRow = Omit<
  Selectable<OperationsTable>,
  'idempotency_key' | 'content' | 'next_at' | 'deadline_at'
> & {
  readonly next_at_text: string;
  readonly is_due: boolean;
  readonly is_late: boolean;
};

/** `next_at` as text: a JavaScript date would lose its microseconds, and with them the comparison. */
const columnsWith = (
  result: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`id, account_id, key_id, request_id, protocol, model, model_id, provider, dialect, route_key,
  ordered, state, task, percent, unanswered, denials, ${result}, fault, note, received_at, created_at,
  next_at::text as next_at_text, next_at <= now() as is_due, deadline_at <= now() as is_late, finished_at, expires_at`;

export const COLUMNS = columnsWith(sql`result`);

/** Without the bytes of clips: a page of them would be in memory all at once. */
export const LISTED = columnsWith(sql`case when jsonb_path_exists(result, '$.clips[*].base64')
  then jsonb_set(result, '{clips}', (select jsonb_agg(clip - 'base64' order by place)
    from jsonb_array_elements(result -> 'clips') with ordinality as each (clip, place)))
  else result end as result`);

export const operationOf = (row: OperationRow): VideoOperation => ({
  id: row.id,
  accountId: row.account_id,
  keyId: row.key_id,
  requestId: row.request_id,
  protocol: row.protocol,
  model: row.model,
  modelId: row.model_id,
  provider: row.provider,
  dialect: row.dialect,
  routeKey: row.route_key,
  ordered: row.ordered,
  state: row.state,
  ...(row.task != null && { task: row.task }),
  ...(row.percent !== null && { percent: row.percent }),
  unanswered: row.unanswered,
  denials: row.denials,
  ...(row.result != null && { result: row.result }),
  ...(row.fault != null && { fault: row.fault }),
  ...(row.note !== null && { note: row.note }),
  receivedAtMs: row.received_at.getTime(),
  createdAtMs: row.created_at.getTime(),
  nextAt: row.next_at_text,
  isDue: row.is_due,
  isLate: row.is_late,
  ...(row.finished_at !== null && { finishedAtMs: row.finished_at.getTime() }),
  expiresAtMs: row.expires_at.getTime(),
});
