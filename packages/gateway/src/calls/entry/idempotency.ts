/**
 * Idempotency-Key: the first request under a key runs, and every repetition gets its answer. A key is bound as soon as
 * an answer has begun; a request that failed before that leaves the key free, so that a retry can succeed.
 */
import { GatewayError } from '@trivium/protocol/canonical';
import type { Caller } from '../../kernel/caller.ts';
import { type AnswerSource, type CallerPort, isSound, type RawHeaders } from '../../kernel/caller-port.ts';
import type { IdempotencyStore, Reservation, StoredAnswer } from '../../kernel/idempotency.ts';
import { SMALL_TEXT } from '../../kernel/memory.ts';
import type { Identified } from '../request.ts';

export const IDEMPOTENCY_KEY = 'idempotency-key';
/** Printable ASCII, at most 255 characters as at Stripe. */
const KEY_FORM = /^[\x20-\x7e]{1,255}$/;

export const REPLAYED_HEADER = 'x-trivium-replayed';

const BAD_KEY = new GatewayError({
  kind: 'malformed',
  message: 'The Idempotency-Key header must be one value of 1 to 255 printable ASCII characters.',
  field: 'Idempotency-Key',
});
const OTHER_BODY = new GatewayError({
  kind: 'idempotency-mismatch',
  message: 'This Idempotency-Key was used with another request before. Use a new key.',
  field: 'Idempotency-Key',
});
const NOT_FOR_THIS_KEY = new GatewayError({
  kind: 'forbidden',
  message: 'This API key may not use the model or the host that answered this Idempotency-Key. Use a new key.',
  field: 'Idempotency-Key',
});
const CANCELLED = new GatewayError({ kind: 'cancelled', message: 'The caller hung up.' });

const tooLong = (requestId: string): GatewayError =>
  new GatewayError({
    kind: 'idempotency-mismatch',
    message: `The answer to this Idempotency-Key was too long to store. It was sent once, to request ${requestId}.`,
    field: 'Idempotency-Key',
  });

/** Undefined for most requests. */
export function idempotencyKeyOf(headers: RawHeaders): string | undefined {
  const value = headers.get(IDEMPOTENCY_KEY);
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !KEY_FORM.test(value)) throw BAD_KEY;
  return value;
}

export type OnceWork = {
  readonly make: (recorded: Identified) => Promise<void>;
  /** Rejects with a GatewayError where this caller could not make the call. */
  readonly requireRights: () => Promise<void>;
};

export async function withIdempotency(
  repeats: IdempotencyStore,
  key: string,
  identified: Identified,
  text: string,
  { make, requireRights }: OnceWork,
): Promise<'made' | 'repeated'> {
  const { id, caller, dialect, head, reply } = identified;
  // Values from the path identify the request as much as its body does.
  const content = [dialect.id, head.form ?? '', head.model ?? '', String(head.stream ?? ''), text].join('\n');
  const claim = await repeats.claim({ accountId: caller.accountId, key, content, requestId: id });
  if (claim.kind === 'other-content') throw OTHER_BODY;
  if (claim.kind === 'too-long') throw tooLong(claim.requestId);
  if (claim.kind === 'kept') {
    if (claim.answer.source === undefined) await requireRights();
    else if (!mayRead(caller, claim.answer.source)) throw NOT_FOR_THIS_KEY;
    replay(claim.answer, reply);
    return 'repeated';
  }
  try {
    if (reply.gone) throw CANCELLED;
    await make(Object.assign(identified, { reply: new RecordedReply(reply, claim.keeping, repeats.maxAnswerLength) }));
    return 'made';
  } catch (error) {
    claim.keeping.forget();
    throw error;
  }
}

/** The keys of an account share stored answers as far as each key could have made the call itself (S9). */
const mayRead = ({ mayUse, bounds }: Caller, { modelId, provider }: AnswerSource): boolean =>
  mayUse(modelId) && bounds?.providers?.has(provider) !== false;

/** The same status, headers and bytes as the first time; the ids name the request that ran and was charged. */
function replay({ status, headers, body, streamed, trailers, complete }: StoredAnswer, reply: CallerPort): void {
  if (reply.gone) return;
  const marked = [...headers, REPLAYED_HEADER, 'true'];
  if (!streamed) {
    reply.answer(status, marked, body);
    return;
  }
  reply.open(status, marked);
  reply.write(body);
  if (complete) reply.finish(trailers);
  else reply.cut();
}

// Records an answer while it is sent. The call continues when the caller disconnects, because it is paid for and will
// be repeated; only an answer too long to store is treated like any other call.

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
    // Stores keep text: sound is sent once, and a repetition says so.
    if (isSound(headers)) this.#tooLong = true;
    if (!this.#caller.gone) this.#caller.open(status, headers);
  }

  /**
   * The recording takes what a slow reader does not, and is bounded: backpressure reaches the upstream only beyond that
   * bound.
   */
  write(text: string): boolean {
    this.#record(text);
    const isRead = this.#caller.gone || this.#caller.write(text);
    return isRead || !this.#tooLong;
  }

  onDrain(listener: () => void): void {
    this.#caller.onDrain(listener);
  }

  get unread(): number {
    return this.#caller.unread ?? 0;
  }

  onRead(listener: () => void): void {
    if (this.#caller.gone || this.#caller.onRead === undefined) listener();
    else this.#caller.onRead(listener);
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
    if (this.#length <= this.#maxLength && this.#hasRoom()) {
      this.#pieces.push(text);
      return;
    }
    this.#tooLong = true;
    this.#pieces = [];
    if (this.#caller.gone) this.#left();
  }

  #hasRoom(): boolean {
    return this.#length <= SMALL_TEXT || this.#keeping.hold?.(this.#length) !== false;
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
