// The inputs for planning one account.

import type { FileAccount } from '@trivium/gateway/accounts-file';
import type { AdminOptions } from '../admin-client.ts';
import type { AdminCalls, CurrentAccount } from './current.ts';
import type { ApplyStep, Ids } from './step.ts';

export type ApplyOptions = AdminOptions & {
  readonly file: string;
  readonly dryRun?: true;
  readonly prune?: true;
  readonly secrets?: string;
};

export interface ApplyPlan {
  readonly steps: ApplyStep[];
  /** Removals of what the file does not list; only with `--prune`. */
  readonly removals: ApplyStep[];
  readonly problems: string[];
}

export interface Planning {
  readonly plan: ApplyPlan;
  readonly api: AdminCalls;
  readonly account: FileAccount;
  readonly current: CurrentAccount | undefined;
  readonly ids: Ids;
  /** Path of the account at the admin API. */
  readonly path: string;
  report(path: readonly (string | number)[], message: string): void;
}
