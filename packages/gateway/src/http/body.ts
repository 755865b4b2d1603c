/** The body of a request: bounded in size and in time as it arrives, and passed piece by piece to its reader. */

import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import { GatheredBytes, type JsonBounds, JsonCounter, JsonShapeError } from '@trivium/protocol/framing';
import { shapeFault } from '../calls/entry/understand.ts';
import type { BodyRoom } from '../kernel/admission.ts';
import type { JsonText } from '../kernel/long-strings.ts';
import { ABSENT, type Timed, type Timeouts } from '../kernel/timeouts.ts';
import { BodyMeter, type MeterPorts } from './body-meter.ts';
import type { BodyReader } from './body-reader.ts';
import { isPlain, LONG_STRING_BYTES, PlainRanges, setAside } from './long-strings.ts';
import { type Coding, UnpackedBody } from './unpack.ts';

const tooLarge = (limit: number): GatewayError =>
  new GatewayError({ kind: 'too-large', message: `The request body is larger than ${limit} bytes.` });
const TOO_SLOW = new GatewayError({ kind: 'malformed', message: 'The request took too long to arrive.' });
const BROKEN_OFF = new GatewayError({ kind: 'cancelled', message: 'The caller hung up while sending the request.' });

/** Memory budget for bodies of unknown length is reserved in steps. */
const MIN_RESERVED_BYTES = 65_536;

export type BodyBounds = {
  readonly maxBytes: number;
  /** In ms: how long a body may arrive at any rate. */
  readonly graceMs: number;
  /** The minimum average rate, once the grace period is over. */
  readonly bytesPerSecond: number;
};

export type Arrival = {
  readonly request: IncomingMessage;
  /** Sends 100 Continue to a caller that waits for it. */
  readonly invite: () => void;
  readonly declaredBytes: number | undefined;
  /** Absent for a plain body. `maxRatio`: the most unpacked bytes for each byte sent. */
  readonly packed?: { readonly coding: Coding; readonly maxRatio: number } | undefined;
  readonly bounds: BodyBounds;
  readonly timeouts: Timeouts;
  readonly room: BodyRoom;
  /** What bodies may cost, and the turns of the loop that they share. */
  readonly metering: MeterPorts;
};

/** Memory budget is reserved for the declared length at once, or as the bytes arrive. */
export function readBody<T>(arrival: Arrival, reader: BodyReader<T>): Promise<T> {
  const { request, declaredBytes = 0, bounds } = arrival;
  // A caller who left before, while its key was looked up, would not be noticed: streams report their end once.
  if (request.destroyed) return Promise.reject(BROKEN_OFF);
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
  readonly #metering: MeterPorts;
  readonly #resolve: (whole: T | Promise<T>) => void;
  readonly #reject: (error: unknown) => void;
  /** Undefined once it is over: the request outlives its body, and would retain the bytes. */
  #reader: BodyReader<T> | undefined;
  /** Most bodies have a length and arrive in one piece: they need none. */
  #meter: BodyMeter | undefined;
  /** The time for which the rate of a body is judged begins here. */
  #firstBeatAtMs: number | undefined;
  #lastBeatAtMs = 0;
  /** Reading has paused since the last beat, because turns of the loop were used up. */
  #hasWaited = false;
  #length = 0;
  #reserved: number;

  constructor(
    { request, bounds, timeouts, room, metering, packed, declaredBytes = 0 }: Arrival,
    reader: BodyReader<T>,
    resolve: (whole: T | Promise<T>) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#bounds = bounds;
    this.#timeouts = timeouts;
    this.#room = room;
    this.#metering = metering;
    this.#reserved = declaredBytes;
    this.#reader =
      packed === undefined
        ? reader
        : new UnpackedBody(reader, {
            ...packed,
            maxBytes: bounds.maxBytes,
            room,
            loop: metering.loop,
            onRefused: (error) => this.#refuse(error),
          });
    this.#resolve = resolve;
    this.#reject = reject;
    timeouts.watch(this);
    if (request.headers['transfer-encoding'] !== undefined) this.#measure();
    request.on('data', (chunk: Buffer) => this.#take(chunk));
    request.on('end', () => this.#whole());
    request.on('error', () => this.#fail(BROKEN_OFF));
    request.on('close', () => this.#fail(BROKEN_OFF));
  }

  /** Most bodies are complete before the first tick, and need no clock. */
  tick(nowMs: number): void {
    if (this.#firstBeatAtMs === undefined) this.#firstBeatAtMs = this.#lastBeatAtMs = nowMs;
    // The sender is not late for the time in which we did not read.
    if (this.#hasWaited) this.#firstBeatAtMs += nowMs - this.#lastBeatAtMs;
    this.#hasWaited = this.#meter?.isWaiting === true;
    this.#lastBeatAtMs = nowMs;
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
      // From the second piece on.
      if (this.#length > chunk.length) this.#spend(chunk.length);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #refuse(error: unknown): void {
    this.#request.pause();
    this.#fail(error);
  }

  #spend(bytes: number): void {
    const meter = this.#meter ?? this.#measure();
    meter.spend(bytes);
    if (meter.isWaiting) this.#hasWaited = true;
  }

  #measure(): BodyMeter {
    this.#meter = new BodyMeter(this.#request, this.#metering, {
      accountId: this.#room.accountId,
      onRefused: (refusal) => this.#refuse(refusal),
    });
    return this.#meter;
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

  /** No effect after the end: the connection closes then, too. */
  #fail(error: unknown): void {
    const reader = this.#over();
    if (reader === undefined) return;
    reader.abandon?.();
    this.#reject(error);
  }

  #over(): BodyReader<T> | undefined {
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#timeouts.unwatch(this);
      this.#meter?.end();
    }
    this.#reader = undefined;
    return reader;
  }
}

// A JSON body as text: checked against its bounds as it arrives, collected in few pieces, and valid UTF-8. On request,
// long base64 strings stay the bytes they came in.

const NOT_TEXT = new GatewayError({ kind: 'malformed', message: 'The request body is not valid UTF-8.' });

export class JsonBody implements BodyReader<JsonText> {
  readonly #bounds: JsonBounds;
  readonly #declaredBytes: number | undefined;
  readonly #extractLongStrings: boolean;
  #first: Buffer | undefined;
  #gathered: GatheredBytes | undefined;
  #counter: JsonCounter | undefined;
  /** Undefined if no string is set aside. */
  #plain: PlainRanges | undefined;

  constructor(bounds: JsonBounds, declaredBytes: number | undefined, extractLongStrings = false) {
    this.#bounds = bounds;
    this.#declaredBytes = declaredBytes;
    this.#extractLongStrings = extractLongStrings && (declaredBytes ?? LONG_STRING_BYTES) >= LONG_STRING_BYTES;
  }

  /** A body of one piece is no longer than one socket read: it is checked when its text is scanned. */
  take(chunk: Buffer): void {
    if (this.#first === undefined) {
      this.#first = chunk;
      return;
    }
    if (this.#gathered === undefined) {
      // Bodies with strings to extract are kept in the pieces they arrive in: most of them are never joined.
      this.#gathered = new GatheredBytes(this.#extractLongStrings ? undefined : this.#declaredBytes);
      this.#counter = new JsonCounter(this.#bounds, this.#extractLongStrings ? LONG_STRING_BYTES : undefined);
      this.#gather(this.#first);
    }
    this.#gather(chunk);
  }

  end(): JsonText {
    const places = this.#counter?.longStrings ?? [];
    if (this.#gathered === undefined || places.length === 0)
      return { text: textOf(this.#gathered === undefined ? this.#first : this.#gathered.join()) };
    const { kept, longStrings } = setAside(this.#gathered.pieces(), places, this.#plain ?? new PlainRanges());
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
    const start = this.#gathered?.length ?? 0;
    this.#gathered?.push(chunk);
    // The chunk is in the processor's cache now, and at the end no longer.
    if (!this.#extractLongStrings || (this.#counter?.openStringBytes ?? 0) < chunk.length || !isPlain(chunk)) return;
    this.#plain ??= new PlainRanges();
    this.#plain.add(start, start + chunk.length);
  }
}

/** A body as text that its reader parses by itself. */
export class TextBody implements BodyReader<string> {
  readonly #gathered = new GatheredBytes();

  take(chunk: Buffer): void {
    this.#gathered.push(chunk);
  }

  end(): string {
    return textOf(this.#gathered.join());
  }
}

function textOf(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return '';
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Most bodies are plain ASCII, for which this conversion is cheaper.
  if (isAscii(whole)) return whole.toString('latin1');
  if (isUtf8(whole)) return whole.toString('utf8');
  throw NOT_TEXT;
}
