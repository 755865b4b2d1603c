/** The true events at the upstream, independent of the ledger: the reference for I6, I7, I9 and I12. */
import type { Nano } from '../../packages/gateway/src/money/ledger/core/ledger-state.ts';

/** How a request will go, drawn before it starts. */
export type Fate = {
  readonly request: string;
  readonly account: string;
  readonly scopes: readonly string[];
  readonly idempotencyKey: string;
  readonly chunkCost: Nano;
  /** What the caller allowed, and what the upstream makes of it; more only where caps are not honoured. */
  readonly cap: number;
  readonly chunks: number;
  readonly everyMs: number;
  /** By how much our own count is above what the upstream reports in the end. */
  readonly surplus: Nano;
  /** Says at the end what it has used. */
  readonly frame: boolean;
  /** Fails before it has produced anything. */
  readonly fails: boolean;
  /** The caller leaves after this many chunks. */
  readonly leavesAfter: number;
};

/** Models that templates name for what does not fit, and by how much they are cheaper; `free` costs nothing. */
export const MODELS: Readonly<Record<string, bigint>> = { small: 4n, free: 0n };

export function cheaper(fate: Fate, model: string): Fate {
  const part = MODELS[model]!;
  const of = (cost: Nano): Nano => (part === 0n ? 0n : cost / part);
  return { ...fate, chunkCost: of(fate.chunkCost), surplus: of(fate.surplus) };
}

export type Truth = {
  readonly fate: Fate;
  readonly node: string;
  readonly epoch: string;
  readonly priceVersion: string;
  /** Admitted without a hold, when its account had no bound. */
  readonly free: boolean;
  produced: Nano;
  /** The usage frame reached the node, and what it settled stands in the journal. */
  settledExactly: boolean;
};
