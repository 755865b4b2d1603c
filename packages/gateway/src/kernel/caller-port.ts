/** The caller's side of an exchange, and the lookup of callers. */
import type { Caller } from './caller.ts';

/** Names in lower case; a repeated header has a list. */
export type RawHeaders = ReadonlyMap<string, string | readonly string[]>;

/** A header that was sent several times is one list. */
export const listedIn =
  (headers: RawHeaders) =>
  (name: string): string | undefined => {
    const value = headers.get(name);
    return value === undefined || typeof value === 'string' ? value : value.join(',');
  };

/** The caller's side of one exchange: one whole answer, or a stream that ends cleanly or is cut. */
export interface CallerPort {
  readonly gone: boolean;
  /** The caller's IP address; empty if it is no longer known. */
  readonly address: string;
  /** At most one listener; called when the caller disconnects before the answer is complete. */
  onGone(listener: () => void): void;
  answer(status: number, headers: readonly string[], body: string): void;
  open(status: number, headers: readonly string[]): void;
  /** False if the caller reads slower than we write: wait for `onDrain`. */
  write(text: string): boolean;
  onDrain(listener: () => void): void;
  /** Bytes written that are still in this process because the caller has not read them; absent: unknown. */
  readonly unread?: number;
  /** Called once nothing of an ended answer is left in this process, or the connection is closed; absent: unknown. */
  onRead?(listener: () => void): void;
  finish(trailers?: Readonly<Record<string, string>>): void;
  /** Closes the connection after the written bytes, without a proper end: a failed stream must not look finished. */
  cut(): void;
  /** Called before the first byte of an answer; absent if the answer is not stored. */
  servedBy?(source: AnswerSource): void;
}

/** A caller's side that passes everything on; what does something to an answer on its way extends it. */
export class ForwardingReply implements CallerPort {
  protected readonly caller: CallerPort;

  constructor(caller: CallerPort) {
    this.caller = caller;
  }

  get gone(): boolean {
    return this.caller.gone;
  }

  get address(): string {
    return this.caller.address;
  }

  get unread(): number {
    return this.caller.unread ?? 0;
  }

  onGone(listener: () => void): void {
    this.caller.onGone(listener);
  }

  onDrain(listener: () => void): void {
    this.caller.onDrain(listener);
  }

  onRead(listener: () => void): void {
    if (this.caller.onRead === undefined) listener();
    else this.caller.onRead(listener);
  }

  servedBy(source: AnswerSource): void {
    this.caller.servedBy?.(source);
  }

  answer(status: number, headers: readonly string[], body: string): void {
    this.caller.answer(status, headers, body);
  }

  open(status: number, headers: readonly string[]): void {
    this.caller.open(status, headers);
  }

  write(text: string): boolean {
    return this.caller.write(text);
  }

  finish(trailers?: Readonly<Record<string, string>>): void {
    this.caller.finish(trailers);
  }

  cut(): void {
    this.caller.cut();
  }
}

/** Whether what follows a head is sound: its bytes are written as text with a character for each. */
export const isSound = (headers: readonly string[]): boolean =>
  headers.some((value, at) => at % 2 === 1 && headers[at - 1] === 'content-type' && value.startsWith('audio/'));

/** The model and the host that made an answer. */
export type AnswerSource = { readonly modelId: string; readonly provider: string };

export interface Accounts {
  /** A promise only for a key that is not cached yet. */
  find(secret: string): Caller | undefined | Promise<Caller | undefined>;
}
