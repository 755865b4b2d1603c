/** A proxy before PostgreSQL that counts the statements sent to it, by reading the lengths of the protocol's messages. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Stage } from './stage.ts';

const QUERY = 'Q'.charCodeAt(0);
const EXECUTE = 'E'.charCodeAt(0);
const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;

export type CountedStatements = {
  /** For the same database. */
  readonly url: string;
  readonly statements: number;
};

export async function countStatements(stage: Stage, url: string): Promise<CountedStatements> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let statements = 0;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.once('close', () => sockets.delete(socket));
    }
    const count = messageCounter((type) => {
      if (type === QUERY || type === EXECUTE) statements++;
    });
    near.on('data', count);
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.atEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const counted = new URL(url);
  counted.port = String((server.address() as AddressInfo).port);
  return {
    url: counted.href,
    get statements() {
      return statements;
    },
  };
}

/** The first message of a connection has no type. */
function messageCounter(onMessage: (type: number) => void): (bytes: Buffer) => void {
  let head: number[] = [];
  let headBytes = LENGTH_BYTES;
  let left = 0;
  return (bytes) => {
    for (let at = 0; at < bytes.length; ) {
      if (left > 0) {
        const skipped = Math.min(left, bytes.length - at);
        left -= skipped;
        at += skipped;
        continue;
      }
      head.push(bytes[at++]!);
      if (head.length < headBytes) continue;
      if (headBytes > LENGTH_BYTES) onMessage(head[0]!);
      left = Buffer.from(head.slice(-LENGTH_BYTES)).readUInt32BE() - LENGTH_BYTES;
      head = [];
      headBytes = TYPE_BYTES + LENGTH_BYTES;
    }
  };
}
