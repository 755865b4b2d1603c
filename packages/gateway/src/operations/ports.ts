/** What operations need of the world: rows whose transitions move the money with them, and somebody to wake them. */
import type { NewOperation, OperationEvent, VideoOperation } from './operation.ts';
import type { OperationState } from './states.ts';

export type OperationHold = {
  readonly nanoUsd: bigint;
  readonly priceVersion: string;
  /** Of the caller's scopes those that may have budgets. */
  readonly scopes: readonly string[];
  /** Meters without a price; only accounts without any bound may move them. */
  readonly unpriced: readonly string[];
};

/** How long a new operation has, from the database's now. */
export type Spans = { readonly submitMs: number; readonly deadlineMs: number; readonly keepMs: number };

export type Opening =
  | { readonly kind: 'opened' }
  /** Another request has this idempotency key; `isSame`: and asks for the same. */
  | { readonly kind: 'repeated'; readonly operation: VideoOperation; readonly isSame: boolean }
  | { readonly kind: 'unpriced' }
  /** `recallable`: other nodes are asked to give back enough, so that asking again may help. */
  | { readonly kind: 'too-poor'; readonly scope: string; readonly recallable: boolean };

export type OperationPage = {
  readonly limit: number;
  readonly state?: OperationState;
  readonly modelId?: string;
  readonly provider?: string;
  /** Only those begun before this one. */
  readonly before?: string;
};

export interface OperationStore {
  /** Row, hold and the first wake-up, or none of them. */
  open(order: NewOperation, hold: OperationHold, spans: Spans): Promise<Opening>;
  /** Undefined where the event comes too late: somebody else has moved it, or it is over. Ends close the hold with it. */
  move(id: string, event: OperationEvent): Promise<VideoOperation | undefined>;
  /** As the one account may see it; undefined for all others, and for what has expired or was refused. */
  find(accountId: string, id: string): Promise<VideoOperation | undefined>;
  /** Latest first. Refused ones are left out. Undefined: of all accounts. */
  list(accountId: string | undefined, page: OperationPage): Promise<readonly VideoOperation[]>;
  /** For whoever looks after all of them. */
  read(id: string): Promise<VideoOperation | undefined>;
  /** Wakes what should have been looked at long ago, some at a time; gives their number. */
  rouse(overdueMs: number): Promise<number>;
  /** Takes away what has expired, some at a time; gives their number. */
  forget(): Promise<number>;
}

/** Wakes operations at their time, on one of the nodes; again, if that node dies over it. */
export interface Wakes {
  work(look: (id: string) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Told of every operation that has ended, at least once, on some node; what it rejects is told again. */
export type OnOver = (operation: VideoOperation) => Promise<void>;
