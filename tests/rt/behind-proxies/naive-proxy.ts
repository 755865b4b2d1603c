/**
 * A proxy and a server that disagree, to show that a desync would be detected: the proxy uses lengths only and sends
 * the requests of all callers over one connection; the server is Node's own with its checks off.
 */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Stage } from '../parts/stage.ts';

type Message = { readonly bytes: Buffer; readonly rest: Buffer };

/** The first whole message, by its declared length. */
function takeMessage(bytes: Buffer): Message | undefined {
  const split = bytes.indexOf('\r\n\r\n');
  if (split === -1) return undefined;
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, split))?.[1] ?? 0);
  const end = split + 4 + length;
  return bytes.length < end ? undefined : { bytes: bytes.subarray(0, end), rest: bytes.subarray(end) };
}

/** Forwards each whole message. */
function eachMessage(socket: Socket, take: (message: Buffer) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (piece: Buffer) => {
    bytes = Buffer.concat([bytes, piece]);
    for (let message = takeMessage(bytes); message !== undefined; message = takeMessage(bytes)) {
      bytes = message.rest;
      take(message.bytes);
    }
  });
}

const listening = async (server: Server, stage: Stage): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.atEnd(() => void server.close());
  return (server.address() as AddressInfo).port;
};

/** Echoes the last words of a chat call; `seen` counts them. */
export async function startNaivePair(stage: Stage, seen: Map<string, number>): Promise<string> {
  const backend = createHttpServer({ insecureHTTPParser: true, keepAliveTimeout: 60_000 }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const words = /"content":"([^"]*)"/.exec(Buffer.concat(pieces).toString())?.[1] ?? '';
      seen.set(words, (seen.get(words) ?? 0) + 1);
      const answer = `echo ${words}`;
      // The proxy does not forward `connection: close` of a caller.
      response.shouldKeepAlive = true;
      response.writeHead(200, { 'content-length': answer.length }).end(answer);
    });
  });
  const backendPort = await listening(backend, stage);
  stage.atEnd(() => backend.closeAllConnections());
  const waiting: Socket[] = [];
  const shared = connect(backendPort, '127.0.0.1');
  stage.atEnd(() => void shared.destroy());
  eachMessage(shared, (answer) => waiting.shift()?.write(answer));
  const front = createServer((caller) =>
    eachMessage(caller, (request) => {
      waiting.push(caller);
      shared.write(request.toString('latin1').replace(/^Connection: close\r\n/im, ''), 'latin1');
    }),
  );
  return `http://127.0.0.1:${await listening(front, stage)}`;
}
