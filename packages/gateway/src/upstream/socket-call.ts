/** A request of the gateway's own client: queued in a pool, or on a connection. */
import type { RequestText } from './request-text.ts';
import type { ResponseHead } from './response-head.ts';
import { UpstreamCall } from './upstream-call.ts';

/** What currently holds a call. */
export interface Carrier {
  pause(): void;
  resume(): void;
  withdraw(call: SocketCall): void;
}

const NOTHING: RequestText = { head: '', body: '' };

export class SocketCall extends UpstreamCall {
  /** Cleared once it is sent. */
  text: RequestText = NOTHING;
  carrier: Carrier | undefined;
  isPaused = false;

  takeText(): RequestText {
    const { text } = this;
    this.text = NOTHING;
    return text;
  }

  pause(): void {
    this.isPaused = true;
    if (!this.isOver) this.carrier?.pause();
  }
  resume(): void {
    this.isPaused = false;
    if (!this.isOver) this.carrier?.resume();
  }
  protected disconnect(): void {
    this.carrier?.withdraw(this);
  }

  /** The body is a view of a buffer that the next read overwrites. */
  deliver(head: ResponseHead | undefined, body: Buffer | undefined): void {
    if (head !== undefined)
      this.onHead(
        head.status,
        (name) => head.get(name),
        () => head.all(),
      );
    if (body !== undefined) this.onBytes(this.keepsPieces ? Buffer.from(body) : body);
  }

  complete(): void {
    this.onEnd();
  }
}
