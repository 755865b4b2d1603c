/**
 * PostgreSQL as the nodes see it: each batch is one transaction, committed or rolled back; commits are durable. The
 * request and the answer may each be lost, or arrive after the timeout.
 */

import type { Command, Result } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import { emptyLedger, type LedgerState } from '../../packages/gateway/src/money/ledger/core/ledger-state.ts';
import type { Random } from './random.ts';
import { apply } from './reference/apply.ts';
import type { Timeline } from './timeline.ts';

export type Answer = (results: readonly Result[] | undefined) => void;

const PATIENCE_MS = 1_000;
const RESTART_MS = 700;

/** Short, and good enough for a simulation without attackers: production hashes with SHA-256. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(36);
}

export class Database {
  readonly state: LedgerState = emptyLedger(digest);
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #onApplied: (command: Command, result: Result) => void;
  /** Nodes that cannot be reached, and cannot reach us. */
  readonly cutOff = new Set<string>();
  /** Of messages, on either way. */
  lossChance = 0;
  #life = 0;
  #upSinceMs: number;
  #up = true;

  constructor(timeline: Timeline, random: Random, onApplied: (command: Command, result: Result) => void) {
    this.#timeline = timeline;
    this.#random = random;
    this.#onApplied = onApplied;
    this.#upSinceMs = timeline.nowMs;
  }

  get isUp(): boolean {
    return this.#up;
  }

  /** The answer is undefined when none came in time: whether it was done is then unknown. */
  ask(from: string, commands: readonly Command[], answer: Answer): void {
    const life = this.#life;
    let waiting = true;
    const reply: Answer = (results) => {
      if (!waiting) return;
      waiting = false;
      answer(results);
    };
    const lost = !this.#up || this.#random.happens(this.lossChance);
    const slow = this.#random.happens(this.lossChance);
    if (!lost)
      this.#timeline.after(slow ? this.#random.between(900, 4_000) : this.#random.between(1, 6), () => {
        if (life !== this.#life || (this.cutOff.has(from) && !slow)) return;
        const results = this.#commit(commands);
        if (this.#random.happens(this.lossChance)) return;
        this.#timeline.after(1, () => {
          if (life === this.#life && !this.cutOff.has(from)) reply(results);
        });
      });
    this.#timeline.after(PATIENCE_MS, () => reply(undefined));
  }

  /** As an administrator, whose messages are never lost. */
  order(command: Command): Result {
    return this.#commit([command])[0]!;
  }

  #commit(commands: readonly Command[]): Result[] {
    const moment = { nowMs: this.#timeline.nowMs, upSinceMs: this.#upSinceMs };
    const results: Result[] = [];
    for (const command of commands) {
      const result = apply(this.state, command, moment);
      results.push(result);
      this.#onApplied(command, result);
    }
    return results;
  }

  /** kill -9: what was under way is lost, what was committed is not. */
  crash(): void {
    if (!this.#up) return;
    this.#up = false;
    this.#life++;
    this.#timeline.after(this.#random.between(1, 2) * RESTART_MS, () => this.heal());
  }

  heal(): void {
    if (this.#up) return;
    this.#up = true;
    this.#upSinceMs = this.#timeline.nowMs;
  }
}
