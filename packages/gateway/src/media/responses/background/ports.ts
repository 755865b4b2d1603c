/** What responses in the background depend on. */
import type { Fault, JsonObject } from '@trivium/protocol/canonical';
import type { Quote } from '../../../kernel/admission.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { RequestRecord } from '../../../kernel/record.ts';
import type { Db, Store } from '../../../store/postgres/store.ts';
import type { StoredContent } from '../content.ts';
import type { StoredRows } from '../rows.ts';
import type { GatheringReply } from './gathering-reply.ts';
import type { BackgroundRows, ClaimedJob, EndState, JobKey } from './rows.ts';

type BackgroundSettings = {
  /** Responses can be queued. */
  readonly isOffered: boolean;
  /** Runs of this process at once. */
  readonly atOnce: number;
  /** Runs of one account at once, on all nodes. */
  readonly perAccount: number;
  /** Of one account that have not ended. */
  readonly queue: number;
  readonly durationMs: number;
  readonly keepMs: number;
  readonly maxEventLength: number;
  readonly maxCharacters: number;
};

/** Its record, once it was admitted; a fault if nothing of it was answered. */
export type Executed = { readonly record?: RequestRecord | undefined; readonly fault?: Fault | undefined };

/** Statements of the ledger, within a transaction of the account. */
export interface BackgroundMoney {
  hold(db: Db, account: string, request: string, quote: Quote, scopes: readonly string[]): Promise<Held>;
  /** Charges what the record says and stores it; releases the hold where it says nothing. */
  end(db: Db, job: ClaimedJob, record: RequestRecord | undefined): Promise<void>;
}

export type Held =
  | { readonly kind: 'held' }
  | { readonly kind: 'unpriced' }
  /** `recallable`: other nodes are asked to return enough funds, so that a retry may succeed. */
  | { readonly kind: 'too-poor'; readonly scope: string; readonly recallable: boolean };

export type BackgroundPorts = {
  readonly store: Pick<Store, 'within'>;
  readonly rows: BackgroundRows;
  readonly stored: StoredRows;
  readonly content: StoredContent;
  readonly money: BackgroundMoney;
  readonly clock: Clock;
  /** Runs once; the returned function cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
  readonly settings: () => BackgroundSettings;
  /** Rejects where the account stores as much as it may. */
  readonly requireRoom: (accountId: string) => Promise<void>;
  /** Runs what was queued; never rejects. */
  readonly execute: (job: string, claimed: ClaimedJob, reply: GatheringReply) => Promise<Executed>;
  /** Tells the account's webhooks, in the transaction that ends it. */
  readonly announce: (db: Db, key: JobKey, end: EndState) => Promise<void>;
  /** The end is stored. */
  readonly onOver: (record: RequestRecord) => void;
  readonly failedMembers: (fault: Fault) => JsonObject;
  readonly onTrouble: (error: unknown) => void;
};
