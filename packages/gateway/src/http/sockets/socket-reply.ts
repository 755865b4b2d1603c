/**
 * The caller's side of one exchange on a WebSocket: each event of the stream becomes a frame, and what headers and
 * trailers say over plain HTTP is a member of the first and of the last one.
 */
import { type Fault, isJsonObject, type Json, type JsonObject } from '@trivium/protocol/canonical';
import { type Frame, SseReader } from '@trivium/protocol/framing';
import type { CallerPort } from '../../kernel/caller-port.ts';
import { errorFrame, faultFrame, headersOf, laneOf, type StreamLane } from './frames.ts';

/** The connection, as one of its answers sees it. */
export interface Link {
  readonly isOpen: boolean;
  readonly address: string;
  /** Bytes that the caller has not read yet. */
  readonly unread: number;
  /** The caller reads more slowly than it is sent to. */
  readonly isBehind: boolean;
  /** False: it is behind. */
  send(text: string): boolean;
  /** Called once, when the caller is not behind any more, or gone. */
  onRead(listener: () => void): void;
  /** Closes it without a proper end. */
  reset(): void;
}

const LAST: ReadonlySet<string | undefined> = new Set(['response.completed', 'response.incomplete', 'response.failed']);
/** Events come from the gateway's own encoders, and from upstreams within `limits.eventBytes`. */
const MAX_EVENT = Number.POSITIVE_INFINITY;

const BROKEN_OFF = { kind: 'upstream-broken', message: 'The answer broke off.' } as const;

export class SocketReply implements CallerPort {
  readonly #link: Link;
  readonly #lane: StreamLane;
  readonly #requestId: string;
  readonly #onEnd: () => void;
  readonly #reader = new SseReader(MAX_EVENT);
  #onGone: (() => void) | undefined;
  #onDrain: (() => void) | undefined;
  /** Not sent yet: of the head. */
  #headers: readonly string[] | undefined;
  #last: Frame | undefined;
  #hasFailed = false;
  #isOver = false;

  constructor(link: Link, lane: StreamLane, requestId: string, onEnd: () => void) {
    this.#link = link;
    this.#lane = lane;
    this.#requestId = requestId;
    this.#onEnd = onEnd;
  }

  get gone(): boolean {
    return !this.#link.isOpen;
  }

  get address(): string {
    return this.#link.address;
  }

  get unread(): number {
    return this.#link.unread;
  }

  /** The response of a turn that has ended as it should. */
  get finished(): JsonObject | undefined {
    if (this.#last?.event === 'response.failed' || this.#last === undefined) return undefined;
    const event: Json = JSON.parse(this.#last.data);
    const response = isJsonObject(event) ? event['response'] : undefined;
    return response !== undefined && isJsonObject(response) ? response : undefined;
  }

  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  onRead(listener: () => void): void {
    this.#link.onRead(listener);
  }

  /** The connection has closed. */
  closed(): void {
    if (this.#isOver) return;
    this.#onGone?.();
  }

  answer(status: number, headers: readonly string[], body: string): void {
    const isStream = headers.some((value) => value.startsWith('text/event-stream'));
    if (isStream) {
      this.open(status, headers);
      this.write(body);
      this.finish();
      return;
    }
    this.#send(errorFrame(status, headers, JSON.parse(body) as Json, this.#lane));
    this.#end();
  }

  open(_status: number, headers: readonly string[]): void {
    this.#headers = headers;
  }

  write(text: string): boolean {
    let isRead = true;
    this.#reader.push(text, (frame) => {
      if (this.#last !== undefined) return;
      if (LAST.has(frame.event)) this.#last = frame;
      else isRead = this.#pass(frame.data);
      if (frame.event === 'error') this.#hasFailed = true;
    });
    if (isRead) return true;
    this.#link.onRead(() => this.#onDrain?.());
    return false;
  }

  finish(trailers?: Readonly<Record<string, string>>): void {
    if (this.#last === undefined) this.#breakOff();
    else this.#pass(this.#last.data, trailers === undefined ? [] : Object.entries(trailers).flat());
    this.#end();
  }

  /** A failed stream has said so. One that was not read fast enough takes its connection with it. */
  cut(): void {
    if (this.#link.isBehind) this.#link.reset();
    else if (this.#last !== undefined) this.#pass(this.#last.data);
    else this.#breakOff();
    this.#end();
  }

  /** Nothing of an answer was sent, or no more of it can be. */
  fail(fault: Fault): void {
    if (this.#isOver) return;
    this.#send(faultFrame(fault, this.#requestId, this.#lane));
    this.#end();
  }

  #breakOff(): void {
    if (!this.#hasFailed) this.#send(faultFrame(BROKEN_OFF, this.#requestId, this.#lane));
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onGone = undefined;
    this.#onEnd();
  }

  /** An event with what the connection adds to it. */
  #pass(data: string, trailers: readonly string[] = []): boolean {
    const told = [...(this.#headers ?? []), ...trailers];
    this.#headers = undefined;
    const added: JsonObject = { ...laneOf(this.#lane), ...(told.length > 0 && { headers: headersOf(told) }) };
    return this.#send(withMembers(data, added));
  }

  #send(text: string): boolean {
    return this.#link.send(text);
  }
}

/** In front: the text of an event stays as it came. */
function withMembers(data: string, added: JsonObject): string {
  const text = JSON.stringify(added);
  return text === '{}' || !data.startsWith('{"') ? data : `${text.slice(0, -1)},${data.slice(1)}`;
}
