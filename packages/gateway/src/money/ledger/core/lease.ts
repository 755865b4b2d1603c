/**
 * A part of an account's money that a node may grant to requests without asking the ledger database, as the node sees
 * it.
 */

import type { Release, Resize } from './commands.ts';
import type { Nano } from './ledger-state.ts';

export type Lease = {
  readonly id: string;
  readonly account: string;
  /** Account and budget scopes: the requests that may use the lease. */
  readonly path: string;
  granted: Nano;
  /** Settled from it in all, whether or not the ledger database knows yet. */
  settled: Nano;
  /** Set aside for running requests, and how many requests those are. */
  held: Nano;
  running: number;
  validUntilMs: number;
  usedAtMs: number;
  /** The amount the node would like to have available locally. */
  target: Nano;
  version: number;
  growing: boolean;
  state: 'asked' | 'open' | 'closing' | 'closed';
};

/** Negative after a request has cost more than was set aside for it. */
export const freeOf = ({ granted, settled, held }: Lease): Nano => granted - settled - held;

export const newLease = (id: string, account: string, path: string, target: Nano): Lease => ({
  id,
  account,
  path,
  granted: 0n,
  settled: 0n,
  held: 0n,
  running: 0,
  validUntilMs: 0,
  usedAtMs: 0,
  target,
  version: 0,
  growing: false,
  state: 'asked',
});

export function growth(lease: Lease): Resize {
  lease.growing = true;
  lease.version++;
  const { account, id: hold, version, settled, held, target } = lease;
  return { do: 'resize', account, hold, version, to: settled + held + target, yields: false };
}

/** Returns at once everything that no running request needs; the rest when the last one has ended. */
export function yielding(lease: Lease): Resize | Release {
  const { account, id: hold, settled, held, running } = lease;
  if (running === 0) {
    lease.state = 'closed';
    return { do: 'release', account, hold };
  }
  lease.version++;
  lease.granted = settled + held;
  return { do: 'resize', account, hold, version: lease.version, to: lease.granted, yields: true };
}
