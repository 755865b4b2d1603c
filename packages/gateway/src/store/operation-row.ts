/** A row of operations as the operation it stands for. Times that are compared stay the database's own. */
import { sql } from 'kysely';
import type { Operation } from '../operations/operation.ts';

export type OperationRow = {
  readonly id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly request_id: string;
  readonly protocol: string;
  readonly model: string;
  readonly model_id: string;
  readonly provider: string;
  readonly dialect: string;
  readonly route_key: string;
  readonly ordered: Operation['ordered'];
  readonly state: Operation['state'];
  readonly task: Operation['task'] | null;
  readonly percent: number | null;
  readonly unanswered: number;
  readonly result: Operation['result'] | null;
  readonly fault: Operation['fault'] | null;
  readonly note: string | null;
  readonly received_at: Date;
  readonly created_at: Date;
  readonly next_at_text: string;
  readonly is_due: boolean;
  readonly is_late: boolean;
  readonly finished_at: Date | null;
  readonly expires_at: Date;
};

/** `next_at` as text: a JavaScript date would lose its microseconds, and with them the comparison. */
export const COLUMNS = sql`id, account_id, key_id, request_id, protocol, model, model_id, provider, dialect, route_key,
  ordered, state, task, percent, unanswered, result, fault, note, received_at, created_at, next_at::text as next_at_text,
  next_at <= now() as is_due, deadline_at <= now() as is_late, finished_at, expires_at`;

export const operationOf = (row: OperationRow): Operation => ({
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
