/** The body of a request as text: bounded in size and in time as it arrives, and valid UTF-8. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import type { Pulse, Watched } from '../engine/pulse.ts';
import { ABSENT } from '../engine/roster.ts';

const tooLarge = (limit: number): GatewayError =>
  new GatewayError({ kind: 'too-large', message: `The request body is larger than ${limit} bytes.` });
const NOT_TEXT = new GatewayError({ kind: 'malformed', message: 'The request body is not valid UTF-8.' });
const TOO_SLOW = new GatewayError({ kind: 'malformed', message: 'The request took too long to arrive.' });
const BROKEN_OFF = new GatewayError({ kind: 'cancelled', message: 'The caller hung up while sending the request.' });

export type BodyBounds = {
  readonly maxBytes: number;
  /** How long a body may arrive at any pace. */
  readonly graceMs: number;
  /** What it must have kept to on average, once the grace is over. */
  readonly bytesPerSecond: number;
};

export function readText(
  request: IncomingMessage,
  declaredLength: string | undefined,
  bounds: BodyBounds,
  pulse: Pulse,
): Promise<string> {
  if (declaredLength !== undefined && Number(declaredLength) > bounds.maxBytes)
    return Promise.reject(tooLarge(bounds.maxBytes));
  return new Promise((resolve, reject) => new ArrivingBody(request, bounds, pulse, resolve, reject));
}

class ArrivingBody implements Watched {
  seat = ABSENT;
  readonly #bounds: BodyBounds;
  readonly #pulse: Pulse;
  readonly #resolve: (text: string) => void;
  readonly #reject: (error: GatewayError) => void;
  #firstBeatAtMs: number | undefined;
  #first: Buffer | undefined;
  #more: Buffer[] | undefined;
  #length = 0;

  constructor(
    request: IncomingMessage,
    bounds: BodyBounds,
    pulse: Pulse,
    resolve: (text: string) => void,
    reject: (error: GatewayError) => void,
  ) {
    this.#bounds = bounds;
    this.#pulse = pulse;
    this.#resolve = resolve;
    this.#reject = reject;
    pulse.watch(this);
    request.on('data', (chunk: Buffer) => this.#take(request, chunk));
    request.on('end', () => this.#whole());
    request.on('error', () => this.#fail(BROKEN_OFF));
    request.on('close', () => this.#fail(BROKEN_OFF));
  }

  /** Most bodies are here before the first beat, and need no clock. */
  beat(nowMs: number): void {
    this.#firstBeatAtMs ??= nowMs;
    const { graceMs, bytesPerSecond } = this.#bounds;
    const forMs = nowMs - this.#firstBeatAtMs;
    if (forMs > graceMs && this.#length * 1000 < forMs * bytesPerSecond) this.#fail(TOO_SLOW);
  }

  stop(fault: Fault): void {
    this.#fail(new GatewayError(fault));
  }

  #take(request: IncomingMessage, chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length > this.#bounds.maxBytes) {
      request.pause();
      this.#fail(tooLarge(this.#bounds.maxBytes));
    } else if (this.#first === undefined) this.#first = chunk;
    else if (this.#more === undefined) this.#more = [this.#first, chunk];
    else this.#more.push(chunk);
  }

  #whole(): void {
    this.#pulse.unwatch(this);
    const bytes = this.#more === undefined ? this.#first : Buffer.concat(this.#more, this.#length);
    if (bytes === undefined) this.#resolve('');
    // Most bodies are plain ASCII, and that is the cheaper way to text.
    else if (isAscii(bytes)) this.#resolve(bytes.toString('latin1'));
    else if (isUtf8(bytes)) this.#resolve(bytes.toString('utf8'));
    else this.#reject(NOT_TEXT);
  }

  /** Of no effect after the end: the connection closes then, too. */
  #fail(error: GatewayError): void {
    this.#pulse.unwatch(this);
    this.#reject(error);
  }
}
