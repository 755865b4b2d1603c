/**
 * A caller whose answer is written down as it passes. The call goes on when the caller leaves, because it will be repeated
 * and is paid for; only an answer too long to keep makes this an ordinary caller again.
 */
import type { AnswerSource, CallerPort } from '../../kernel/caller-port.ts';
import type { Reservation, StoredAnswer } from '../../kernel/idempotency.ts';

export class RecordedReply implements CallerPort {
  readonly #caller: CallerPort;
  readonly #keeping: Reservation;
  readonly #maxLength: number;
  #status = 0;
  #headers: readonly string[] = [];
  #pieces: string[] = [];
  #length = 0;
  #tooLong = false;
  #settled = false;
  #source: AnswerSource | undefined;
  #onGone: (() => void) | undefined;

  constructor(caller: CallerPort, keeping: Reservation, maxLength: number) {
    this.#caller = caller;
    this.#keeping = keeping;
    this.#maxLength = maxLength;
    caller.onGone(() => {
      if (this.#tooLong) this.#left();
    });
  }

  get gone(): boolean {
    return this.#tooLong && this.#caller.gone;
  }

  get address(): string {
    return this.#caller.address;
  }

  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  servedBy({ modelId, provider }: AnswerSource): void {
    this.#source = { modelId, provider };
  }

  answer(status: number, headers: readonly string[], body: string): void {
    this.#status = status;
    this.#headers = headers;
    this.#record(body);
    this.#settle({ streamed: false, complete: true });
    if (!this.#caller.gone) this.#caller.answer(status, headers, body);
  }

  open(status: number, headers: readonly string[]): void {
    this.#status = status;
    this.#headers = headers;
    if (!this.#caller.gone) this.#caller.open(status, headers);
  }

  /** The record takes what a slow reader does not, and is bounded: the upstream waits for the reader only beyond it. */
  write(text: string): boolean {
    this.#record(text);
    const isRead = this.#caller.gone || this.#caller.write(text);
    return isRead || !this.#tooLong;
  }

  onDrain(listener: () => void): void {
    this.#caller.onDrain(listener);
  }

  finish(trailers?: Readonly<Record<string, string>>): void {
    this.#settle({ streamed: true, complete: true, ...(trailers !== undefined && { trailers }) });
    if (!this.#caller.gone) this.#caller.finish(trailers);
  }

  cut(): void {
    this.#settle({ streamed: true, complete: false });
    if (!this.#caller.gone) this.#caller.cut();
  }

  #record(text: string): void {
    if (this.#tooLong) return;
    this.#length += text.length;
    if (this.#length <= this.#maxLength) {
      this.#pieces.push(text);
      return;
    }
    this.#tooLong = true;
    this.#pieces = [];
    if (this.#caller.gone) this.#left();
  }

  #left(): void {
    this.#settle({ streamed: true, complete: false });
    this.#onGone?.();
  }

  #settle(how: Pick<StoredAnswer, 'streamed' | 'complete' | 'trailers'>): void {
    if (this.#settled) return;
    this.#settled = true;
    if (this.#tooLong) this.#keeping.tooLong();
    else
      this.#keeping.keep({
        status: this.#status,
        headers: this.#headers,
        body: this.#pieces.join(''),
        ...how,
        ...(this.#source !== undefined && { source: this.#source }),
      });
    this.#pieces = [];
  }
}
