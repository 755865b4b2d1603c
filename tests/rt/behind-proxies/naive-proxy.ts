/**
 * A proxy and a server that disagree, to see whether a desync would be seen: the proxy believes lengths only and sends
 * everybody's requests over one connection; the server is Node's own with its checks off.
 */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Stage } from '../parts/stage.ts';

type Message = { readonly bytes: Buffer; readonly rest: Buffer };

/** The first whole message, as far as its length says. */
function takeMessage(bytes: Buffer): Message | undefined {
  const split = bytes.indexOf('\r\n\r\n');
  if (split === -1) return undefined;
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, split))?.[1] ?? 0);
  const end = split + 4 + length;
  return bytes.length < end ? undefined : { bytes: bytes.subarray(0, end), rest: bytes.subarray(end) };
}

/** Hands on each whole message that comes. */
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

/** Echoes the last words of a chat call; `heard` counts them. */
export async function startNaivePair(stage: Stage, heard: Map<string, number>): Promise<string> {
  const backend = createHttpServer({ insecureHTTPParser: true, keepAliveTimeout: 60_000 }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const words = /"content":"([^"]*)"/.exec(Buffer.concat(pieces).toString())?.[1] ?? '';
      heard.set(words, (heard.get(words) ?? 0) + 1);
      const answer = `echo ${words}`;
      // The proxy does not pass on that a caller wants to close.
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
