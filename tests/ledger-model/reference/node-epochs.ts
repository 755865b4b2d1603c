/** Liveness: each incarnation of a node's process has an epoch, sends heartbeats, and is fenced by the state's clock. */

import {
  type Beat,
  DONE,
  type End,
  FENCED,
  MAX_ACCOUNTS_NAMED,
  type Register,
  type Result,
  SILENCE_MS,
} from '../../../packages/gateway/src/money/ledger/core/commands.ts';
import type { Hold, LedgerState } from '../../../packages/gateway/src/money/ledger/core/ledger-state.ts';

/** The previous epoch of this node takes no new holds; its open holds wait for the replay of its journal. */
export function register(state: LedgerState, { node, epoch }: Register, nowMs: number): Result {
  const before = state.nodes.get(epoch);
  if (before !== undefined) return before.state === 'alive' ? DONE : FENCED;
  for (const other of state.nodes.values())
    if (other.node === node && other.state === 'alive') other.state = 'replaced';
  state.nodes.set(epoch, { epoch, node, beatAtMs: nowMs, state: 'alive' });
  return DONE;
}

export function beat(state: LedgerState, { epoch }: Beat, nowMs: number): Result {
  const node = state.nodes.get(epoch);
  if (node?.state !== 'alive') return FENCED;
  node.beatAtMs = nowMs;
  return { is: 'alive', recalled: named(state, (hold) => hold.epoch === epoch && hold.recall === 'asked') };
}

export function end(state: LedgerState, { epoch }: End): Result {
  const node = state.nodes.get(epoch);
  if (node !== undefined) node.state = 'dead';
  return toBury(state);
}

/** Silence counts only while the state was up: after its own outage every node gets a new deadline. */
export function reap(state: LedgerState, nowMs: number, upSinceMs: number): Result {
  for (const node of state.nodes.values())
    if (nowMs - Math.max(node.beatAtMs, upSinceMs) > SILENCE_MS) node.state = 'dead';
  return toBury(state);
}

const toBury = (state: LedgerState): Result => ({
  is: 'to-bury',
  accounts: named(state, ({ epoch }) => state.nodes.get(epoch)?.state === 'dead'),
});

function named(state: LedgerState, wanted: (hold: Hold) => boolean): string[] {
  const accounts = new Set<string>();
  for (const hold of state.holds.values())
    if (hold.state === 'open' && wanted(hold) && accounts.size < MAX_ACCOUNTS_NAMED) accounts.add(hold.account);
  return [...accounts].sort();
}
