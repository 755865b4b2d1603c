/**
 * An open-loop load: requests are sent at a fixed rate, and the latency of each is measured from the time it was
 * due, so that a gateway that stops answering cannot slow the load down and hide it.
 */
import type { Reply } from './ask.ts';
import { waitFor } from './wait.ts';

const TICK_MS = 5;
/** Requests above this number in flight are not sent, and count as failed. */
const MAX_OPEN = 4000;

export type Shot = Reply & {
  /** When it was due, on the monotonic clock. */
  readonly dueAtMs: number;
  /** From when it was due to its end. */
  readonly latencyMs: number;
};

export type Load = {
  /** Finished requests, in the order of their ends. */
  readonly shots: readonly Shot[];
  /** The number of requests sent. */
  readonly fired: number;
  /** Stops sending, and waits for the last answers. */
  stop(limitMs?: number): Promise<readonly Shot[]>;
};

const NOT_SENT: Reply = {
  status: 0,
  headers: {},
  text: '',
  complete: false,
  failure: `not sent: ${MAX_OPEN} unanswered`,
  headMs: Number.NaN,
  totalMs: 0,
};

/** `fire` never rejects: a failed request is a reply with its failure. */
export function startLoad(perSecond: number, fire: (index: number) => Promise<Reply>): Load {
  const shots: Shot[] = [];
  const startedMs = performance.now();
  let fired = 0;
  let open = 0;
  const one = async (index: number): Promise<void> => {
    const dueAtMs = startedMs + (index * 1000) / perSecond;
    open++;
    const reply = open > MAX_OPEN ? NOT_SENT : await fire(index);
    open--;
    shots.push({ ...reply, dueAtMs, latencyMs: performance.now() - dueAtMs });
  };
  const ticking = setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) * perSecond) / 1000);
    while (fired < due) void one(fired++);
  }, TICK_MS);
  return {
    shots,
    get fired() {
      return fired;
    },
    stop: async (limitMs = 40_000) => {
      clearInterval(ticking);
      await waitFor('the last answers', () => open === 0, limitMs);
      return shots;
    },
  };
}

/** A load for a set time. */
export async function loadFor(
  ms: number,
  perSecond: number,
  fire: (index: number) => Promise<Reply>,
): Promise<readonly Shot[]> {
  const load = startLoad(perSecond, fire);
  const total = Math.round((ms * perSecond) / 1000);
  await waitFor('the load has been fired', () => load.fired >= total, ms * 3 + 10_000);
  return load.stop();
}

/** 0 for no values; `share` of 0.99 gives the 99th percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export const succeeded = ({ status, complete }: Reply): boolean => status === 200 && complete;
export const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));
