/** The rows of operations. */
import type { Stamp } from '../../store/postgres/tables.ts';
import type { VideoOperation } from './operation.ts';

export type OperationsTable = {
  readonly id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly request_id: string;
  readonly protocol: string;
  readonly idempotency_key: string | null;
  readonly content: Buffer;
  readonly model: string;
  readonly model_id: string;
  readonly provider: string;
  readonly dialect: string;
  readonly route_key: string;
  readonly ordered: VideoOperation['ordered'];
  readonly state: VideoOperation['state'];
  readonly task: VideoOperation['task'] | null;
  readonly percent: number | null;
  readonly unanswered: number;
  readonly denials: number;
  readonly result: VideoOperation['result'] | null;
  readonly fault: VideoOperation['fault'] | null;
  readonly note: string | null;
  readonly received_at: Date;
  readonly created_at: Stamp;
  readonly next_at: Date;
  readonly deadline_at: Date;
  readonly finished_at: Date | null;
  readonly expires_at: Date;
};

declare module '../../store/postgres/tables.ts' {
  interface Tables {
    readonly operations: OperationsTable;
  }
}
