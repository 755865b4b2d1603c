/** What a request needs to run: memory for its body, a slot in the rate limits, a hold on money. */
import type { Fault } from '@trivium/protocol/canonical';
import type { RateNote } from '@trivium/protocol/dialects';
import type { Caller } from './caller.ts';
import type { BegunRequest, Bill, OnLimitDecision } from './record.ts';
import type { Tags } from './tags.ts';

/** A slot in the rate limits; released exactly once. */
export interface Slot {
  /** Absent if nothing is limited per minute. */
  readonly rate?: RateNote | undefined;
  /** `bill`: what the request was charged, if it was. */
  release(bill?: Bill): void;
}

/** A slot among the running requests, with memory for the body; released at most once, further calls have no effect. */
export interface Place extends BodyRoom {
  release(): void;
}

/** Memory for bodies in this process. */
export interface BodyRoom {
  /** Whose memory it is. */
  readonly accountId: string;
  /** Reserves memory for this many more bytes of a body; a fault if there is no room. */
  reserve(bytes: number): Fault | undefined;
}

export interface Limits {
  /** Decided from the headers alone, before the body costs anything. */
  enter(caller: Caller): Place | Fault;
  /**
   * Takes the limits per minute for a request that has its place; the slot releases both. `request` is called only if
   * something limits it. Returns a promise, which never rejects, only if the lease server must be asked.
   */
  claim(place: Place, caller: Caller, request: () => SlotRequest): Slot | Fault | Promise<Slot | Fault>;
}

/** Estimated size of a request, before it runs. */
export type SlotRequest = { readonly modelId: string; readonly tokens: number; readonly nanoUsd: number };

/** Money set aside for one request; closed exactly once. */
export interface Hold {
  readonly id: string;
  /** Set once settled: less than the bill if the bill is an estimate beyond the hold. Absent if nothing is charged. */
  readonly chargedNanoUsd?: bigint | undefined;
  /** What settling this bill now would charge. Absent if nothing is charged. */
  chargeOf?(bill: Bill): bigint;
  settle(bill: Bill): void;
  release(): void;
  /** Calls back once the end of the request survives the process. Absent if nothing is journalled. */
  onWritten?(run: () => void): void;
  /** `bill`: the cost so far. `stop`: the hold is used up and cannot be extended. Absent if nothing is charged. */
  meter?(bill: Bill): 'go' | 'stop';
}

/** The maximum cost of a request, at the prices it is admitted at. */
export type Quote = {
  readonly holdNanoUsd: bigint;
  readonly priceVersion: string;
  /** Meters it may move that have no price at some target. */
  readonly unpriced: readonly string[];
};

export type HoldRequest = {
  readonly requestId: string;
  readonly caller: Caller;
  readonly modelId: string;
  readonly maxOutputTokens: number | undefined;
  /** For budgets by tag. */
  readonly tags?: Tags | undefined;
  /** The start of its usage event, for its row if this process dies. */
  readonly begun?: BegunRequest | undefined;
  /** Only for ledgers that charge. */
  readonly quote?: Quote;
  /** The model of a request that was refused before, as `onLimitOf` gave it: how far it may go is the template's word. */
  readonly instead?: string | undefined;
};

export interface Ledger {
  readonly charges?: boolean;
  hold(request: HoldRequest): Promise<Hold | Fault> | Hold | Fault;
  /** The model that a budget template names for a request that was refused with this fault. */
  onLimitOf?(refusal: Fault): OnLimitDecision | undefined;
}
