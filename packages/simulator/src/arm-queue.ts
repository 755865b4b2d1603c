// Instructions waiting for requests that match: first armed, first used, each for a set number of requests.
import type { Instruction } from './instruction.ts';

export interface Matcher {
  readonly vendor?: string;
  readonly host?: string;
  readonly model?: string;
  /** Path below the vendor, e.g. `/v1/models`. */
  readonly path?: string;
  /** How many requests to serve; 1 unless told. */
  readonly times?: number;
}

export interface Matchable {
  readonly vendor: string;
  readonly host: string;
  readonly model: string;
  readonly path: string;
}

const MAX_ARMED = 1000;
/** Requests that are only counted have no answer to be played: they use up what was armed for their path alone. */
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
