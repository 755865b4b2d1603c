/** Answers stored by Idempotency-Key. */
import type { AnswerSource } from './caller-port.ts';

/** An answer as it was given the first time. */
export type StoredAnswer = {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  readonly streamed: boolean;
  readonly trailers?: Readonly<Record<string, string>>;
  /** False for a stream that was cut: it is repeated up to the cut. */
  readonly complete: boolean;
  /** Absent for failures, which no model made, and for answers stored by earlier releases. */
  readonly source?: AnswerSource;
};

/** The right to make the one call of a key; used exactly once, later calls are ignored. */
export interface Reservation {
  /** Counts the memory of the answer so far; false if there is no room to store it. */
  hold?(characters: number): boolean;
  keep(answer: StoredAnswer): void;
  /** Answered, but too long to store: repeats get an error that says so. */
  tooLong(): void;
  /** Nothing was answered: the next request may try. */
  forget(): void;
}

export type IdempotencyClaim =
  | { readonly kind: 'first'; readonly keeping: Reservation }
  | { readonly kind: 'kept'; readonly answer: StoredAnswer }
  | { readonly kind: 'too-long'; readonly requestId: string }
  | { readonly kind: 'other-content' };

/** Answers by Idempotency-Key, separate for each account. */
export interface IdempotencyStore {
  readonly maxAnswerLength: number;
  /** Waits, within a time limit, while another request with the same key runs; then rejects with a GatewayError. */
  claim(request: {
    readonly accountId: string;
    readonly key: string;
    /** Everything that must be equal for a repeat. */
    readonly content: string;
    readonly requestId: string;
  }): Promise<IdempotencyClaim>;
}
