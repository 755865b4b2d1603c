// What really happened, request by request: received, answered, billed. A bounded ring; the oldest entries go first.
import type { IncomingHttpHeaders } from 'node:http';
import type { TokenUsage } from './scenarios/script.ts';

/** `severed`: the simulator broke the answer on purpose. `aborted`: the peer went away. */
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
  /** The message with which the request was refused. */
  refusal?: string;
  scenario?: string;
  faults: readonly string[];
  status?: number;
  framesSent: number;
  tokensProduced: number;
  /** What the vendor charges for: the prompt and every token produced until the peer was seen to be gone. */
  billed?: TokenUsage;
  /** Pictures that were made and not held back. */
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

  /** Add an entry once its body is known, since bodies count against the bound. */
  add(entry: TruthEntry): void {
    this.#entries.push(entry);
    this.#characters += entry.bodyText.length;
    while (this.#length() > 1 && this.#isOverfull()) {
      this.#characters -= this.#entries[this.#oldest]?.bodyText.length ?? 0;
      this.#oldest += 1;
    }
    // Dropping in bulk keeps each addition cheap.
    if (this.#oldest > this.#limits.maxEntries) {
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

  #length(): number {
    return this.#entries.length - this.#oldest;
  }

  #isOverfull(): boolean {
    return this.#length() > this.#limits.maxEntries || this.#characters > this.#limits.maxBodyCharacters;
  }
}
