/** Asks a process under test how long its event loop was blocked, and what was parsed on it. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Child } from './child.ts';
import { within } from './wait.ts';

export const LOOP_QUESTION = 'rt:loop';
/** Preloaded into the process; its channel must be open. */
export const LOOP_PROBE = fileURLToPath(new URL('loop-probe.ts', import.meta.url));
const ANSWER_LIMIT_MS = 60_000;

/** Since the previous question. */
export type LoopFacts = {
  readonly longestStallMs: number;
  /** The longest CPU time (ms) of the main thread between two turns of its loop. */
  readonly longestTurnCpuMs: number;
  /** The longest text that was parsed there. */
  readonly longestParsedCharacters: number;
};

export async function loopFacts({ process: child, name }: Child): Promise<LoopFacts> {
  const answer = once(child, 'message') as Promise<[LoopFacts]>;
  child.send(LOOP_QUESTION);
  const [facts] = await within(`${name} reports its event loop`, answer, ANSWER_LIMIT_MS);
  return facts;
}
