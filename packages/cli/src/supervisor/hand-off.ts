// The connections cluster hands to one worker. None is lost with a worker that never took it, and a suspended worker gets none.
// Node's cluster offers neither, so the messages it sends for a connection are looked at on their way.

import type { ChildProcess, SendHandle, Serializable } from 'node:child_process';

/** A connection that a suspended worker was to get is offered to another one so soon. */
const OFFER_AGAIN_MS = 5;

/** Node's own words between the supervisor and a worker: `newconn` with a connection, then `ack` with its number. */
type NodeMessage = { readonly cmd?: unknown; readonly act?: unknown; readonly seq?: unknown; readonly ack?: unknown };

const isNodeMessage = (message: unknown): message is NodeMessage =>
  typeof message === 'object' && message !== null && 'cmd' in message && message.cmd === 'NODE_CLUSTER';

type Handle = { close(): void };

const isHandle = (handle: unknown): handle is Handle =>
  typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function';

export class HandOff {
  readonly #child: ChildProcess;
  /** By number: sent, and not taken yet. At most one for each address the worker listens on. */
  readonly #untaken = new Map<unknown, Handle>();
  isSuspended = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    const send = child.send.bind(child) as (message: Serializable, ...more: unknown[]) => boolean;
    child.send = (message: Serializable, handle?: unknown, ...more: unknown[]): boolean => {
      if (!isNodeMessage(message) || message.act !== 'newconn' || !isHandle(handle))
        return send(message, handle, ...more);
      this.#untaken.set(message.seq, handle);
      if (!this.isSuspended) return send(message, handle as SendHandle, ...more);
      setTimeout(() => this.#giveBack(message.seq), OFFER_AGAIN_MS);
      return true;
    };
    child.on('internalMessage', (message: unknown) => {
      if (isNodeMessage(message) && message.ack !== undefined) this.#untaken.delete(message.ack);
    });
    child.once('disconnect', () => this.#closeAll());
    child.once('exit', () => this.#closeAll());
  }

  /** As a worker does that has stopped listening: cluster then asks the next one. */
  #giveBack(seq: unknown): void {
    if (this.#untaken.has(seq)) this.#child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false });
  }

  /** Their callers would wait for a process that is gone. */
  #closeAll(): void {
    for (const handle of this.#untaken.values()) handle.close();
    this.#untaken.clear();
  }
}
