// What really happened, request by request: received, answered, billed. A bounded ring; the oldest entries are dropped
// first.
import type { IncomingHttpHeaders } from 'node:http';
import type { TokenUsage } from './scenarios/script.ts';

/** `severed`: the simulator broke the answer on purpose. `aborted`: the peer closed the connection. */
export type AnswerOutcome = 'open' | 'finished' | 'aborted' | 'severed';

export interface TruthEntry {
  readonly id: string;
  readonly vendor: string;
  readonly host: string;
  readonly receivedAt: string;
  readonly receivedAtMs: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  bodyText: string;
  body: unknown;
  streamed: boolean;
  /** The error message of a refused request. */
  refusal?: string;
  scenario?: string;
  faults: readonly string[];
  status?: number;
  framesSent: number;
  tokensProduced: number;
  /** What the vendor charges: the prompt and every token produced until it noticed that the peer had closed. */
  billed?: TokenUsage;
  /** Images that were made and not withheld. */
  pictures?: number;
  outcome: AnswerOutcome;
  closedAtMs?: number;
}

export interface TruthLimits {
  readonly maxEntries: number;
  readonly maxBodyCharacters: number;
}

const DEFAULT_LIMITS: TruthLimits = { maxEntries: 10_000, maxBodyCharacters: 256 * 1024 * 1024 };

export class TruthLog {
  readonly #limits: TruthLimits;
  #entries: TruthEntry[] = [];
  #oldest = 0;
  #characters = 0;

  constructor(limits: TruthLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  /** Add an entry once its body is known, because bodies count against the limit. */
  add(entry: TruthEntry): void {
    this.#entries.push(entry);
    this.#characters += entry.bodyText.length;
    const { maxEntries, maxBodyCharacters } = this.#limits;
    for (let length = this.#entries.length - this.#oldest; length > 1; length -= 1) {
      if (length <= maxEntries && this.#characters <= maxBodyCharacters) break;
      this.#characters -= this.#entries[this.#oldest]?.bodyText.length ?? 0;
      this.#oldest += 1;
    }
    // Dropping in bulk keeps each addition cheap.
    if (this.#oldest > maxEntries) {
      this.#entries = this.#entries.slice(this.#oldest);
      this.#oldest = 0;
    }
  }

  /** Oldest first. Entries of open requests keep changing until their outcome is known. */
  read(): readonly TruthEntry[] {
    return this.#entries.slice(this.#oldest);
  }

  last(): TruthEntry | undefined {
    return this.#entries.at(-1);
  }

  clear(): void {
    this.#entries = [];
    this.#oldest = 0;
    this.#characters = 0;
  }
}
