/** A TCP proxy with a switchable target, which can stall or be cut: a virtual address, or a bad network line. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Stage } from './stage.ts';

export class Switchboard {
  #target: number | undefined;
  #isSilent = false;
  readonly #sockets = new Set<Socket>();
  port = 0;

  /** Connects to a port of this machine; refuses connections while there is none. */
  static async open(stage: Stage, target?: number): Promise<Switchboard> {
    const board = new Switchboard();
    board.#target = target;
    const server = createServer((near) => board.#join(near));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    board.port = (server.address() as AddressInfo).port;
    stage.atEnd(() => {
      board.cut();
      server.close();
    });
    return board;
  }

  #join(near: Socket): void {
    near.on('error', () => undefined);
    if (this.#target === undefined || this.#isSilent) {
      near.destroy();
      return;
    }
    const far = connect(this.#target, '127.0.0.1');
    far.on('error', () => undefined);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (bytes: Buffer) => {
        if (!this.#isSilent) to.write(bytes);
      });
      from.on('end', () => to.end());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }

  /** Bytes in flight from now on never arrive. */
  fallSilent(): void {
    this.#isSilent = true;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  leadTo(target: number | undefined): void {
    this.#target = target;
    this.cut();
  }
}
