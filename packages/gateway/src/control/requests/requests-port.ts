/** What the admin API needs to show request records, with and without a database. */
import type { UsageEvent } from '../../money/usage/event.ts';
import type { RecordViewer } from '../../money/usage/record-feed.ts';
import type { HistogramBar, HistogramQuestion, RecordPage, RecordRow } from '../../money/usage/record-query.ts';

export type RequestsPort = {
  readonly nowMs: () => number;
  readonly list: (page: RecordPage) => Promise<readonly RecordRow[]>;
  /** `account`: the one that may see it, or `*`. */
  readonly one: (account: string, id: string) => Promise<UsageEvent | undefined>;
  readonly histogram: (question: HistogramQuestion) => Promise<readonly HistogramBar[]>;
  /** Undefined if there are too many viewers already. */
  /** `account`: of the member or key that views; an operator has none. */
  readonly follow: (viewer: RecordViewer, account?: string) => (() => void) | undefined;
  /** Names of keys in the database, by id. */
  readonly keyNames: (account: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Throws if the account is known not to exist. */
  readonly requireAccount: (account: string) => Promise<void>;
};

export type RequestPorts = { readonly requests: RequestsPort };
