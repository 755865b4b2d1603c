/** Answers stored by Idempotency-Key. */
import type { AnswerSource } from './caller-port.ts';

/** An answer as it was given the first time. */
export type StoredAnswer = {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  readonly streamed: boolean;
  readonly trailers?: Readonly<Record<string, string>>;
  /** False for a stream that was cut: it is repeated as far as it came. */
  readonly complete: boolean;
  /** Absent of failures, which no model made, and of answers kept by earlier releases. */
  readonly source?: AnswerSource;
};

/** The right to make the one call of a key; used exactly once, what comes later is ignored. */
export interface Reservation {
  keep(answer: StoredAnswer): void;
  /** Answered, but too long to store: repeats get an error that says so. */
  tooLong(): void;
  /** Nothing was answered: the next one may try. */
  forget(): void;
}

export type IdempotencyClaim =
  | { readonly kind: 'first'; readonly keeping: Reservation }
  | { readonly kind: 'kept'; readonly answer: StoredAnswer }
  | { readonly kind: 'too-long'; readonly requestId: string }
  | { readonly kind: 'other-content' };

/** Answers by Idempotency-Key, each account's its own. */
export interface IdempotencyStore {
  readonly maxAnswerLength: number;
  /** Waits, within a bound, while another request under the same key is being made; rejects with a GatewayError beyond it. */
  claim(request: {
    readonly accountId: string;
    readonly key: string;
    /** All that must be the same. */
    readonly content: string;
    readonly requestId: string;
  }): Promise<IdempotencyClaim>;
}
