// A refused sender can read the error, also one that sends all of its body before it reads anything.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntilIdle } from '../support/idle.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

const MIB = 1_048_576;
const PIECE = Buffer.alloc(65_536, 'x');

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ config: () => ({ limits: { bodyBytes: 8 * MIB, inFlightPerKey: 1 } }) });
});
afterAll(() => stand.close());

type Sending = { readonly key?: string; readonly bytes: number; readonly begin?: string; readonly framing?: string };

const headOf = ({ key = KEY, bytes, framing = `content-length: ${bytes}` }: Sending): string =>
  `POST /api/v1/chat/completions HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;

/** Like a blocking client: sends all of the body before it reads a byte of the answer. */
async function sendThenRead(
  sending: Sending,
): Promise<{ readonly received: string; readonly problem: string | undefined }> {
  const { hostname, port } = new URL(stand.url);
  const socket = connect(Number(port), hostname);
  let problem: string | undefined;
  socket.on('error', ({ message }) => {
    problem = message;
  });
  const closed = closeOf(socket);
  await once(socket, 'connect');
  const { begin = '', bytes } = sending;
  const write = (piece: string | Buffer): Promise<unknown> => new Promise((resolve) => socket.write(piece, resolve));
  await write(headOf(sending) + begin);
  for (let at = begin.length; at < bytes; at += PIECE.length) await write(PIECE.subarray(0, bytes - at));
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  await closed;
  return { received, problem };
}

/** Not `once`, which rejects on an error. */
const closeOf = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));

const MEMBERS = Array.from({ length: 20_000 }, (_, at) => `"k${at}":1`).join();

test.each<readonly [string, Sending, number, string]>([
  ['a key that is unknown', { key: 'sk-unknown', bytes: 6 * MIB }, 401, 'missing or not valid'],
  ['a body that is too large', { bytes: 9 * MIB }, 413, 'larger than 8388608 bytes'],
  ['a body beyond a bound', { bytes: 7 * MIB, begin: `{"x":{${MEMBERS}` }, 400, '10000 members'],
])('%s: the answer arrives whole, and the connection ends without a reset', async (_what, sending, status, words) => {
  const { received, problem } = await sendThenRead(sending);
  expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(received).toMatch(/\r\nconnection: close\r\n/i);
  expect(received).toContain(words);
  expect(received).toMatch(/\}$/);
  expect(problem).toBeUndefined();
  await waitUntilIdle(stand);
});

test('a sender that never stops gets its error and is disconnected', async () => {
  const { hostname, port } = new URL(stand.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  const closed = closeOf(socket);
  socket.write(headOf({ key: 'sk-unknown', bytes: 0, framing: 'transfer-encoding: chunked' }));
  const chunk = Buffer.concat([Buffer.from(`${PIECE.length.toString(16)}\r\n`), PIECE, Buffer.from('\r\n')]);
  let sentBytes = 0;
  const send = (): void => {
    while (!socket.destroyed && socket.writable) {
      sentBytes += PIECE.length;
      if (!socket.write(chunk)) return;
    }
  };
  socket.on('drain', send);
  send();
  await closed;
  expect(received).toMatch(/^HTTP\/1\.1 401 /);
  expect(sentBytes).toBeLessThan(100 * MIB);
});
