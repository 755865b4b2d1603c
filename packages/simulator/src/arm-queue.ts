// Armed instructions waiting for matching requests: first in, first out, each for a set number of requests.
import type { Instruction } from './instruction.ts';

export interface Matcher {
  readonly vendor?: string;
  readonly host?: string;
  readonly model?: string;
  /** Path below the vendor, e.g. `/v1/models`. */
  readonly path?: string;
  /** Number of requests to serve (default: 1). */
  readonly times?: number;
}

export interface Matchable {
  readonly vendor: string;
  readonly host: string;
  readonly model: string;
  readonly path: string;
}

const MAX_ARMED = 1000;
/** Token-count requests have no answer to simulate: they only consume instructions armed for their path. */
const COUNTING = /count_?tokens$/i;
const FIELDS = ['vendor', 'host', 'model', 'path'] as const;

interface Armed {
  readonly instruction: Instruction;
  readonly matcher: Matcher;
  left: number;
}

export class ArmQueue {
  #armed: Armed[] = [];

  get size(): number {
    return this.#armed.length;
  }

  add(instruction: Instruction, matcher: Matcher): void {
    if (this.#armed.length >= MAX_ARMED) throw new RangeError(`at most ${MAX_ARMED} instructions can wait`);
    this.#armed.push({ instruction, matcher, left: matcher.times ?? 1 });
  }

  take(request: Matchable): Instruction | undefined {
    const isCounted = COUNTING.test(request.path);
    const found = this.#armed.find(
      ({ matcher }) =>
        (matcher.path !== undefined || !isCounted) &&
        FIELDS.every((field) => matcher[field] === undefined || matcher[field] === request[field]),
    );
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.#armed = this.#armed.filter((armed) => armed !== found);
    return found.instruction;
  }

  clear(): void {
    this.#armed = [];
  }
}
