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

  /**
   * The body is a view of a buffer that the next read overwrites. `bytes`: what was read of the connection, in which
   * there were `interim` heads before the one of the answer.
   */
  deliver(head: ResponseHead | undefined, body: Buffer | undefined, bytes: number, interim: number): void {
    if (head !== undefined)
      this.onHead(
        head.status,
        (name) => head.get(name),
        () => head.all(),
      );
    const length = body?.length ?? 0;
    if (body !== undefined) this.onBytes(this.keepsPieces ? Buffer.from(body) : body);
    // In most reads of an answer the body is nearly all of it.
    if (interim > 0 || (head === undefined && bytes > 2 * length)) this.onFraming(bytes - length, length, interim);
  }

  complete(): void {
    this.onEnd();
  }
}
