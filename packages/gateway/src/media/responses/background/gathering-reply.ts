/**
 * The caller's side of a run: takes the events of its answer, and hands them over in batches to be stored. No caller waits
 * for them at the other end, so it is slow only where the store is.
 */
import { type JsonObject, objectAt, stringAt } from '@trivium/protocol/canonical';
import { SseReader } from '@trivium/protocol/framing';
import type { CallerPort } from '../../../kernel/caller-port.ts';
import { eventIn, numbered, type ResponseEvent, responseIn, responseText } from './events.ts';

/** Characters of events that wait to be stored: beyond them the upstream is not read. */
const MAX_WAITING = 1_048_576;
/** The first two are those of the queue, and a run that fails says so in its response. */
const LEFT_OUT: ReadonlySet<string> = new Set(['response.created', 'response.queued', 'error', 'keepalive']);
const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);
/** It says nothing that callers could not expect, so it does not keep a run from being started again. */
const SAYS_NOTHING = 'response.in_progress';

export type LastResponse = { readonly response: JsonObject; readonly text: string };

export type Batch = { readonly first: number; readonly events: readonly ResponseEvent[] };

export class GatheringReply implements CallerPort {
  gone = false;
  readonly address = '';
  /** Resolves once nothing more comes. */
  readonly over: Promise<void>;
  /** Items that are complete. */
  readonly output = new Map<number, JsonObject>();
  last: LastResponse | undefined;
  /** Set while something waits that may be stored. */
  isDue = false;
  readonly #onDue: () => void;
  readonly #reader: SseReader;
  #events: ResponseEvent[] = [];
  #length = 0;
  #next: number;
  #end: () => void = () => undefined;
  #onGone: (() => void) | undefined;
  #onDrain: (() => void) | undefined;

  /** `first`: the number of its first event. */
  constructor(first: number, maxEventLength: number, onDue: () => void) {
    this.#next = first;
    this.#onDue = onDue;
    this.#reader = new SseReader(maxEventLength);
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** The caller wants no more of it, or it may not go on. */
  leave(): void {
    if (this.gone) return;
    this.gone = true;
    this.#onGone?.();
  }

  /** All that waits. */
  take(): Batch | undefined {
    const events = this.#events;
    this.isDue = false;
    if (events.length === 0) return undefined;
    this.#events = [];
    return { first: this.#next - events.length, events };
  }

  /** The batches taken so far are stored. */
  stored(): void {
    const wasFull = this.#length > MAX_WAITING;
    this.#length = this.#events.reduce((sum, { data }) => sum + data.length, 0);
    if (wasFull) this.#onDrain?.();
  }

  /** One that the run itself adds. */
  add(type: string, members: JsonObject): void {
    const sequence = this.#next++;
    this.#events.push({ type, data: JSON.stringify({ type, sequence_number: sequence, ...members }) });
  }

  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  open(): void {}

  answer(_status: number, _headers: readonly string[], body: string): void {
    const response = objectAt(eventIn(`{"type":"","response":${body}}`), 'response');
    if (response !== undefined) this.last = { response, text: body };
    this.#end();
  }

  write(text: string): boolean {
    this.#reader.push(text, ({ data }) => this.#take(data));
    return this.#length <= MAX_WAITING;
  }

  finish(): void {
    this.#reader.end(({ data }) => this.#take(data));
    this.#end();
  }

  cut(): void {
    this.#end();
  }

  #take(data: string): void {
    const event = eventIn(data);
    const type = stringAt(event, 'type');
    if (event === undefined || type === undefined || LEFT_OUT.has(type)) return;
    if (ENDS.has(type)) {
      // It is stored with all else that ends the run.
      const response = responseIn(event);
      if (response !== undefined) this.last ??= { response, text: responseText(data) };
      return;
    }
    const item = objectAt(event, 'item');
    const index = event['output_index'];
    if (type === 'response.output_item.done' && item !== undefined && typeof index === 'number')
      this.output.set(index, item);
    this.#events.push({ type, data: numbered(data, this.#next++) });
    this.#length += data.length;
    if (this.isDue || type === SAYS_NOTHING) return;
    this.isDue = true;
    this.#onDue();
  }
}
