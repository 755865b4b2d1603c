/** A running request: what is set aside for it, and what is known of its cost. */

import type { Lease } from './lease.ts';
import type { Nano } from './ledger-state.ts';

const CHECKPOINT_MS = 1_000;
export const CHECKPOINT_NANO: Nano = 10_000_000n;

export type Running = {
  readonly account: string;
  readonly lease: Lease | undefined;
  /** Unmetered: nothing is set aside, so nothing runs out. */
  readonly free: boolean;
  readonly priceVersion: string;
  readonly begun: object | undefined;
  /** By how much a hold grows when it runs out. */
  readonly step: Nano;
  amount: Nano;
  checkpoint: Nano;
  checkpointAtMs: number;
  version: number;
  extension: 'none' | 'asked' | 'refused';
};

export const isDue = ({ checkpoint, checkpointAtMs }: Running, cost: Nano, nowMs: number): boolean =>
  cost > checkpoint &&
  (checkpoint === 0n || cost - checkpoint >= CHECKPOINT_NANO || nowMs - checkpointAtMs >= CHECKPOINT_MS);

/** Our own estimate never charges more than was set aside. */
export const chargeFor = ({ free, amount }: Running, cost: Nano, estimated: boolean): Nano =>
  estimated && !free && cost > amount ? amount : cost;
