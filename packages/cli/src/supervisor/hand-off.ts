// The connections that Node's cluster hands to one worker: a suspended worker gets none, and those a worker never accepted
// are closed when it exits. Cluster offers neither, so this intercepts the messages it sends for each connection.

import type { ChildProcess, SendHandle, Serializable } from 'node:child_process';

/** Delay before a connection meant for a suspended worker is offered to another one. */
const OFFER_AGAIN_MS = 5;

/** Node's internal messages: `newconn` with a connection to the worker, then `ack` with its number back. */
type NodeMessage = { readonly cmd?: unknown; readonly act?: unknown; readonly seq?: unknown; readonly ack?: unknown };

const isNodeMessage = (message: unknown): message is NodeMessage =>
  typeof message === 'object' && message !== null && 'cmd' in message && message.cmd === 'NODE_CLUSTER';

type Handle = { close(): void };

const isHandle = (handle: unknown): handle is Handle =>
  typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function';

export class HandOff {
  readonly #child: ChildProcess;
  /** Connections sent and not yet accepted, by sequence number: at most one per address the worker listens on. */
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

  /** Answers as a worker that has stopped listening would: cluster then offers the connection to the next one. */
  #giveBack(seq: unknown): void {
    if (this.#untaken.has(seq)) this.#child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false });
  }

  /** Otherwise their callers would wait for a process that has exited. */
  #closeAll(): void {
    for (const handle of this.#untaken.values()) handle.close();
    this.#untaken.clear();
  }
}
