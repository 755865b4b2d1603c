/** The body of a request: bounded in size and in time as it arrives, and handed piece by piece to what reads it. */

import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import { GatheredBytes, type JsonBounds, JsonCounter, JsonShapeError } from '@trivium/protocol/framing';
import type { BodyRoom } from '../kernel/admission.ts';
import type { JsonText } from '../kernel/long-strings.ts';
import { ABSENT, type Timed, type Timeouts } from '../kernel/timeouts.ts';
import { shapeFault } from '../request/entry/understand.ts';
import { isPlain, LONG_STRING_BYTES, setAside } from './long-strings.ts';

const tooLarge = (limit: number): GatewayError =>
  new GatewayError({ kind: 'too-large', message: `The request body is larger than ${limit} bytes.` });
const TOO_SLOW = new GatewayError({ kind: 'malformed', message: 'The request took too long to arrive.' });
const BROKEN_OFF = new GatewayError({ kind: 'cancelled', message: 'The caller hung up while sending the request.' });

/** Room for bodies of unknown length is taken in steps. */
const MIN_RESERVED_BYTES = 65_536;

export type BodyBounds = {
  readonly maxBytes: number;
  /** How long a body may arrive at any pace. */
  readonly graceMs: number;
  /** What it must have kept to on average, once the grace is over. */
  readonly bytesPerSecond: number;
};

/** What makes something of the bytes. Both methods may throw; neither is called after a failure. */
export interface BodyReader<T> {
  take(chunk: Buffer): void;
  end(): T | Promise<T>;
}

export type Arrival = {
  readonly request: IncomingMessage;
  /** Tells a caller who waits for it to send the body. */
  readonly invite: () => void;
  readonly declaredBytes: number | undefined;
  readonly bounds: BodyBounds;
  readonly timeouts: Timeouts;
  readonly room: BodyRoom;
};

/** Room is taken for the declared length at once, or as the bytes come. */
export function readBody<T>(arrival: Arrival, reader: BodyReader<T>): Promise<T> {
  const { declaredBytes = 0, bounds } = arrival;
  if (declaredBytes > bounds.maxBytes) return Promise.reject(tooLarge(bounds.maxBytes));
  const refusal = arrival.room.reserve(declaredBytes);
  if (refusal !== undefined) return Promise.reject(new GatewayError(refusal));
  arrival.invite();
  return new Promise((resolve, reject) => new ArrivingBody(arrival, reader, resolve, reject));
}

class ArrivingBody<T> implements Timed {
  index = ABSENT;
  readonly #request: IncomingMessage;
  readonly #bounds: BodyBounds;
  readonly #timeouts: Timeouts;
  readonly #room: BodyRoom;
  readonly #resolve: (whole: T | Promise<T>) => void;
  readonly #reject: (error: unknown) => void;
  /** Absent once it is over: the request outlives its body, and would keep the bytes. */
  #reader: BodyReader<T> | undefined;
  #firstBeatAtMs: number | undefined;
  #length = 0;
  #reserved: number;

  constructor(
    { request, bounds, timeouts, room, declaredBytes = 0 }: Arrival,
    reader: BodyReader<T>,
    resolve: (whole: T | Promise<T>) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#bounds = bounds;
    this.#timeouts = timeouts;
    this.#room = room;
    this.#reserved = declaredBytes;
    this.#reader = reader;
    this.#resolve = resolve;
    this.#reject = reject;
    timeouts.watch(this);
    request.on('data', (chunk: Buffer) => this.#take(chunk));
    request.on('end', () => this.#whole());
    request.on('error', () => this.#fail(BROKEN_OFF));
    request.on('close', () => this.#fail(BROKEN_OFF));
  }

  /** Most bodies are here before the first tick, and need no clock. */
  tick(nowMs: number): void {
    this.#firstBeatAtMs ??= nowMs;
    const { graceMs, bytesPerSecond } = this.#bounds;
    const forMs = nowMs - this.#firstBeatAtMs;
    if (forMs > graceMs && this.#length * 1000 < forMs * bytesPerSecond) this.#fail(TOO_SLOW);
  }

  stop(fault: Fault): void {
    this.#fail(new GatewayError(fault));
  }

  #take(chunk: Buffer): void {
    if (this.#reader === undefined) return;
    this.#length += chunk.length;
    try {
      if (this.#length > this.#bounds.maxBytes) throw tooLarge(this.#bounds.maxBytes);
      if (this.#length > this.#reserved) this.#reserveMore();
      this.#reader.take(chunk);
    } catch (error) {
      this.#request.pause();
      this.#fail(error);
    }
  }

  #reserveMore(): void {
    const bytes = Math.max(MIN_RESERVED_BYTES, this.#length - this.#reserved);
    const refusal = this.#room.reserve(bytes);
    if (refusal !== undefined) throw new GatewayError(refusal);
    this.#reserved += bytes;
  }

  #whole(): void {
    const reader = this.#over();
    if (reader === undefined) return;
    try {
      this.#resolve(reader.end());
    } catch (error) {
      this.#reject(error);
    }
  }

  /** Of no effect after the end: the connection closes then, too. */
  #fail(error: unknown): void {
    if (this.#over() !== undefined) this.#reject(error);
  }

  #over(): BodyReader<T> | undefined {
    const reader = this.#reader;
    if (reader !== undefined) this.#timeouts.unwatch(this);
    this.#reader = undefined;
    return reader;
  }
}

// A JSON body as text: counted against its bounds as it arrives, gathered in few pieces, and valid UTF-8. Where that is
// asked for, long base64 strings stay the bytes they came in.

const NOT_TEXT = new GatewayError({ kind: 'malformed', message: 'The request body is not valid UTF-8.' });

export class JsonBody implements BodyReader<JsonText> {
  readonly #bounds: JsonBounds;
  readonly #declaredBytes: number | undefined;
  readonly #setsAside: boolean;
  #first: Buffer | undefined;
  #gathered: GatheredBytes | undefined;
  #counter: JsonCounter | undefined;
  readonly #plain = new Set<Uint8Array>();

  constructor(bounds: JsonBounds, declaredBytes: number | undefined, setsAside = false) {
    this.#bounds = bounds;
    this.#declaredBytes = declaredBytes;
    this.#setsAside = setsAside && (declaredBytes ?? LONG_STRING_BYTES) >= LONG_STRING_BYTES;
  }

  /** What comes in one piece is no more than the socket is read at once: it is counted when its text is looked through. */
  take(chunk: Buffer): void {
    if (this.#first === undefined) {
      this.#first = chunk;
      return;
    }
    if (this.#gathered === undefined) {
      // What may be set aside is kept in the pieces it comes in: most of them are never put together.
      this.#gathered = new GatheredBytes(this.#setsAside ? undefined : this.#declaredBytes);
      this.#counter = new JsonCounter(this.#bounds, this.#setsAside ? LONG_STRING_BYTES : undefined);
      this.#gather(this.#first);
    }
    this.#gather(chunk);
  }

  end(): JsonText {
    const places = this.#counter?.longStrings ?? [];
    if (this.#gathered === undefined || places.length === 0)
      return { text: textOf(this.#gathered === undefined ? this.#first : this.#gathered.join()) };
    const { kept, longStrings } = setAside(this.#gathered.pieces(), places, this.#plain);
    const text = textOf(Buffer.concat(kept));
    return longStrings === undefined ? { text } : { text, longStrings };
  }

  #gather(chunk: Buffer): void {
    try {
      this.#counter?.feed(chunk);
    } catch (error) {
      if (!(error instanceof JsonShapeError)) throw error;
      throw new GatewayError(shapeFault(error), { cause: error });
    }
    this.#gathered?.push(chunk);
    // Now it is in the processor's cache, and at the end no longer.
    if (this.#setsAside && (this.#counter?.openStringBytes ?? 0) >= chunk.length && isPlain(chunk))
      this.#plain.add(chunk);
  }
}

function textOf(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return '';
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Most bodies are plain ASCII, and that is the cheaper way to text.
  if (isAscii(whole)) return whole.toString('latin1');
  if (isUtf8(whole)) return whole.toString('utf8');
  throw NOT_TEXT;
}
