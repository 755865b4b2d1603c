/** The caller's side of an exchange, and where callers are looked up. */
import type { Caller } from '../accounts/caller.ts';

/** Names in lower case; a header that came more than once has a list. */
export type RawHeaders = ReadonlyMap<string, string | readonly string[]>;

/** The caller's side of one exchange: one whole answer, or a stream that ends cleanly or is cut. */
export interface CallerPort {
  readonly gone: boolean;
  /** Where the caller comes from; empty when that is not known any more. */
  readonly address: string;
  /** At most one listener; called when the caller hangs up before the answer is complete. */
  onGone(listener: () => void): void;
  answer(status: number, headers: readonly string[], body: string): void;
  open(status: number, headers: readonly string[]): void;
  /** False when the caller reads slower than we write: wait for `onDrain`. */
  write(text: string): boolean;
  onDrain(listener: () => void): void;
  finish(trailers?: Readonly<Record<string, string>>): void;
  /** Ends the connection after what was written, without a proper end: a failed stream must not look finished. */
  cut(): void;
  /** Called before the first byte of an answer; callers whose answers are not kept have no need of it. */
  servedBy?(source: AnswerSource): void;
}

/** The model and the host that made an answer. */
export type AnswerSource = { readonly modelId: string; readonly provider: string };

export interface Accounts {
  /** A promise only for a key that is not known yet. */
  find(secret: string): Caller | undefined | Promise<Caller | undefined>;
}
