/** The rows of capture rules. */
import type { ColumnType } from 'kysely';
import type { Stamp } from '../../store/postgres/tables.ts';
import type { CaptureRule } from './rules.ts';

export type CaptureRulesTable = {
  readonly id: ColumnType<bigint, never, never>;
  readonly account_id: string;
  readonly key_id: string | null;
  readonly bodies: CaptureRule['bodies'];
  readonly sample_percent: number;
  readonly keep_hours: number;
  readonly until_at: Date | null;
  readonly from_at: Stamp;
  readonly created_by: string;
};

declare module '../../store/postgres/tables.ts' {
  interface Tables {
    readonly capture_rules: CaptureRulesTable;
  }
}
