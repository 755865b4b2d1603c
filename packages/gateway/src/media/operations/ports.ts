/**
 * What operations depend on: rows whose transitions move the hold in the same transaction, and a queue that wakes them.
 */
import type { NewOperation, OperationEvent, VideoOperation } from './operation.ts';
import type { OperationState } from './states.ts';

export type OperationHold = {
  readonly nanoUsd: bigint;
  readonly priceVersion: string;
  /** Those of the caller's scopes that may have budgets. */
  readonly scopes: readonly string[];
  /** Usage dimensions without a price; only accounts without any limit may use them. */
  readonly unpriced: readonly string[];
};

/** Time limits of a new operation in ms, from the database's clock. */
export type Spans = { readonly submitMs: number; readonly deadlineMs: number; readonly keepMs: number };

export type Opening =
  | { readonly kind: 'opened' }
  /** Another request has this idempotency key; `isSame`: and the same content. */
  | { readonly kind: 'repeated'; readonly operation: VideoOperation; readonly isSame: boolean }
  | { readonly kind: 'unpriced' }
  /** `recallable`: other nodes are asked to return enough funds, so that a retry may succeed. */
  | { readonly kind: 'too-poor'; readonly scope: string; readonly recallable: boolean };

export type OperationPage = {
  readonly limit: number;
  readonly state?: OperationState;
  readonly modelId?: string;
  readonly provider?: string;
  /** Only those created before this one, or after it if the oldest come first. */
  readonly before?: string;
  readonly isAscending?: boolean;
};

export interface OperationStore {
  /** Creates row, hold and the first wake-up, or none of them. */
  open(order: NewOperation, hold: OperationHold, spans: Spans): Promise<Opening>;
  /**
   * Undefined if the event comes too late: another process has moved the operation, or it is over. An event that ends
   * it closes its hold, too.
   */
  move(id: string, event: OperationEvent): Promise<VideoOperation | undefined>;
  /** For the account that owns it; undefined for all others, and if it has expired or was refused. */
  find(accountId: string, id: string): Promise<VideoOperation | undefined>;
  /** Latest first, without refused ones and without the bytes of clips. `accountId` undefined: of all accounts. */
  list(accountId: string | undefined, page: OperationPage): Promise<readonly VideoOperation[]>;
  /** Takes a finished one out of sight, with its clips; what is charged and recorded of it stays until it is forgotten. */
  remove(accountId: string, id: string): Promise<void>;
  /** For background work on all accounts. */
  read(id: string): Promise<VideoOperation | undefined>;
  /** Wakes a batch of operations that are overdue; returns their number. */
  rouse(overdueMs: number): Promise<number>;
  /** Deletes a batch of expired operations; returns their number. */
  forget(): Promise<number>;
}

/** Wakes operations when they are due, on one of the nodes; again if that node dies during it. */
export interface Wakes {
  work(look: (id: string) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Called for every operation that has ended, at least once, on some node; repeated if it rejects. */
export type OnOver = (operation: VideoOperation) => Promise<void>;
