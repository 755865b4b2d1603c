/** What the admin API needs to show records of requests, with a database and without. */
import type { UsageEvent } from '../usage/event.ts';
import type { RecordViewer } from '../usage/record-feed.ts';
import type { HistogramBar, HistogramQuestion, RecordPage, RecordRow } from '../usage/record-query.ts';

export type RequestsPort = {
  readonly nowMs: () => number;
  readonly list: (page: RecordPage) => Promise<readonly RecordRow[]>;
  /** `account`: that may see it, or `*`. */
  readonly one: (account: string, id: string) => Promise<UsageEvent | undefined>;
  readonly histogram: (question: HistogramQuestion) => Promise<readonly HistogramBar[]>;
  /** Undefined where too many follow already. */
  readonly follow: (viewer: RecordViewer) => (() => void) | undefined;
  /** Of keys in the database, by their ids. */
  readonly keyNames: (account: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Throws where the account is known not to exist. */
  readonly requireAccount: (account: string) => Promise<void>;
};
