/** What a request needs to run: memory for its body, a slot in the rate limits, a hold on money. */
import type { Fault } from '@trivium/protocol/canonical';
import type { RateNote } from '@trivium/protocol/dialects';
import type { Caller } from '../accounts/caller.ts';
import type { BegunRequest, Bill } from './record.ts';
import type { Tags } from './tags.ts';

/** A place taken in the limits; given back exactly once. */
export interface Slot {
  /** Absent where nothing is limited by the minute. */
  readonly rate?: RateNote;
  /** With what the request was charged, if it was. */
  release(bill?: Bill): void;
}

/** A place among the requests that run, with room for the body; given back at most once, whatever is called after that. */
export interface Place extends BodyRoom {
  release(): void;
}

/** Room for bodies in the memory of the process. */
export interface BodyRoom {
  /** For so many bytes more; a fault where there is no room. */
  reserve(bytes: number): Fault | undefined;
}

export interface Limits {
  /** From the head alone, before the body costs anything. */
  enter(caller: Caller): Place | Fault;
  /**
   * Room in the limits by the minute, for a request that has its place; the slot gives both back. Asked for the request's
   * size only where something limits it. A promise, which never rejects, only where others have to be asked.
   */
  claim(place: Place, caller: Caller, request: () => SlotRequest): Slot | Fault | Promise<Slot | Fault>;
}

/** Estimated size of a request, before it runs. */
export type SlotRequest = { readonly modelId: string; readonly tokens: number; readonly nanoUsd: number };

/** Money set aside for one request; closed exactly once. */
export interface Hold {
  readonly id: string;
  /** Once settled: less than the bill where the bill is an estimate and more than was set aside. Absent where nothing is charged. */
  readonly chargedNanoUsd?: bigint | undefined;
  /** What settling this bill now would charge. Absent where nothing is charged. */
  chargeOf?(bill: Bill): bigint;
  settle(bill: Bill): void;
  release(): void;
  /** What it has cost so far. `stop`: what was set aside is used up, and there is no more. Absent where nothing is charged. */
  meter?(bill: Bill): 'go' | 'stop';
}

/** What a request may cost at most, at the prices it is admitted at. */
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
  /** Budgets may go by them. */
  readonly tags?: Tags | undefined;
  /** What is recorded of it should this process die. */
  readonly begun?: BegunRequest | undefined;
  /** Made only for ledgers that charge. */
  readonly quote?: Quote;
};

export interface Ledger {
  readonly charges?: boolean;
  hold(request: HoldRequest): Promise<Hold | Fault> | Hold | Fault;
}
