// The simulator's end of one HTTP answer: writes with back-pressure, and the ways of not finishing. Every wait ends
// when the peer closes.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { waitMs } from '../pacing/pace.ts';
import type { DeliveryPlan } from './plan.ts';

/** Gives written bytes time to reach the peer's reader: a broken connection may discard unread bytes. */
const BREAK_GRACE_MS = 20;

export class Outlet {
  readonly #response: ServerResponse;
  readonly #plan: DeliveryPlan;
  readonly #onSever: () => void;
  readonly #closed = new AbortController();
  #bytesWritten = 0;

  constructor(response: ServerResponse, plan: DeliveryPlan, onSever: () => void) {
    this.#response = response;
    this.#plan = plan;
    this.#onSever = onSever;
    if (response.destroyed || response.closed) this.#closed.abort();
    response.once('close', () => this.#closed.abort());
    if (plan.splitBytes !== undefined || plan.cutAtByte !== undefined) response.socket?.setNoDelay(true);
  }

  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.isClosed) return;
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
  }

  async write(content: string | Buffer): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    for (const part of this.#parts(bytes)) {
      if (this.isClosed) return;
      this.#bytesWritten += part.length;
      if (!this.#response.write(part))
        await once(this.#response, 'drain', { signal: this.signal }).catch(() => undefined);
      if (this.#plan.dripMs !== undefined) {
        await waitMs(this.#plan.dripMs, this.signal);
      } else if (part.length < bytes.length) {
        // Lets the peer read: one turn may still be in the current round of the event loop; two cannot.
        await nextTurn();
        await nextTurn();
      }
    }
  }

  end(): void {
    if (!this.isClosed) this.#response.end();
  }

  /** Sends nothing until the peer gives up. */
  async stall(): Promise<void> {
    if (this.isClosed) return;
    await once(this.signal, 'abort');
  }

  async reset(): Promise<void> {
    this.#onSever();
    if (this.#bytesWritten > 0) await waitMs(BREAK_GRACE_MS, this.signal);
    this.#response.socket?.resetAndDestroy();
  }

  /** FIN without finishing the HTTP message. */
  async fin(): Promise<void> {
    this.#onSever();
    await waitMs(BREAK_GRACE_MS, this.signal);
    this.#response.socket?.end();
  }

  *#parts(bytes: Buffer): Generator<Buffer> {
    const { splitBytes, cutAtByte } = this.#plan;
    if (splitBytes !== undefined) {
      for (let at = 0; at < bytes.length; at += splitBytes) yield bytes.subarray(at, at + splitBytes);
      return;
    }
    const cut = cutAtByte === undefined ? 0 : cutAtByte - this.#bytesWritten;
    if (cut > 0 && cut < bytes.length) {
      yield bytes.subarray(0, cut);
      yield bytes.subarray(cut);
      return;
    }
    yield bytes;
  }
}
