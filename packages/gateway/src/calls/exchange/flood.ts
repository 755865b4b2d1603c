/**
 * What an upstream sends without any content in between: comments, pings, empty deltas, unknown events, interim heads,
 * chunk extensions. Time alone does not bound it: a host that sends as fast as it can keeps a process busy.
 */
import type { Fault } from '@trivium/protocol/canonical';

export type FloodBounds = { readonly floodBytes: number; readonly floodEvents: number };

/** An interim head (status 1xx) costs about as much as this many events. */
const EVENTS_OF_A_HEAD = 20;
/** Bytes of framing for each byte of a body that are not counted: chunks of one byte, six on the connection, are legal. */
const LEGAL_FRAMING = 16;
/** Events in which some hosts repeat parts of the request: created, queued, in progress; JSON may double a text. */
const REPETITIONS = 6;

export class FloodWatch {
  #bytes = 0;
  #framing = 0;
  #heads = 0;
  readonly #eventsBefore: number;

  /** `eventsBefore`: events of the answer until its last content. */
  constructor(eventsBefore: number) {
    this.#eventsBefore = eventsBefore;
  }

  piece(length: number): void {
    this.#bytes += length;
  }

  framing(bytes: number, bodyBytes: number, heads: number): void {
    this.#framing += Math.max(0, bytes - LEGAL_FRAMING * bodyBytes);
    this.#heads += heads;
  }

  /** `events`: of the whole answer so far. `repeated`: length of the request, if the host repeats parts of it. */
  faultOf(events: number, { floodBytes, floodEvents }: FloodBounds, repeated: number): Fault | undefined {
    if (this.#bytes + this.#framing > floodBytes + REPETITIONS * repeated)
      return tooMuch(`${floodBytes} bytes`, 'limits.floodBytes');
    if (events - this.#eventsBefore + EVENTS_OF_A_HEAD * this.#heads > floodEvents)
      return tooMuch(`${floodEvents} events`, 'limits.floodEvents');
    return undefined;
  }
}

const tooMuch = (amount: string, setting: string): Fault => ({
  kind: 'upstream-broken',
  message: `The upstream provider sent more than ${amount} without any content (${setting}).`,
});
