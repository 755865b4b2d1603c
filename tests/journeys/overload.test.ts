// Overload: new requests are refused from their headers alone, in their own protocol, and running ones are not affected.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { headOf, openChat, readStream, type StreamReply } from '../support/chat-stream.ts';
import { BEARER, call, errorWord, PROTOCOL_CALLS } from '../support/every-protocol.ts';
import { asking, LANES, type LaneRoad } from '../support/lanes.ts';
import { openStand, type Stand } from '../support/stand.ts';

const road = LANES[0] as LaneRoad;
const MODEL = 'openai/gpt-4o';
const WORDS: Readonly<Record<string, readonly [number, string]>> = {
  chat: [503, 'server_error/overloaded'],
  responses: [503, 'server_error/overloaded'],
  messages: [529, 'overloaded_error'],
  genai: [503, 'UNAVAILABLE'],
};

let stand: Stand;
let running: Promise<StreamReply>;
beforeAll(async () => {
  stand = await openStand({ config: () => ({ limits: { inFlight: 1 } }) });
  const response = await headOf(
    openChat(stand, asking(road, 'scenario=text-long words=2000 tps=100', { stream: true })),
  );
  running = readStream(response);
});
afterAll(async () => {
  await stand.gateway.close({ drainMs: 0 });
  // The running stream survived all refusals.
  expect((await running).text).toContain('word2');
  await stand.simulator.close();
});

test.each(PROTOCOL_CALLS)(
  '$name: an overload refusal has the protocol’s error format and retry-after',
  async (protocol) => {
    const reply = await call(stand, protocol, MODEL, protocol.body(MODEL), BEARER);
    expect([reply.status, errorWord(protocol, reply)]).toEqual(WORDS[protocol.name]);
    expect(reply.headers.get('retry-after')).toMatch(/^[123]$/);
  },
);

/** Sends headers that announce a body, and returns the answer that comes before any of it was sent. */
async function answerToHead(bodyBytes: number): Promise<{ readonly head: string; readonly closed: boolean }> {
  const socket = connect(Number(new URL(stand.url).port), '127.0.0.1');
  const lines = [
    'POST /api/v1/chat/completions HTTP/1.1',
    'host: gateway',
    `authorization: ${BEARER.authorization}`,
    'content-type: application/json',
    `content-length: ${bodyBytes}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  socket.setEncoding('latin1');
  const [head] = (await once(socket, 'data')) as [string];
  const closed = /^connection: close\r$/im.test(head);
  socket.destroy();
  return { head, closed };
}

test('a refusal does not wait for the body; the connection stays open after a short body and is closed after a long one', async () => {
  const short = await answerToHead(1000);
  expect(short.head).toMatch(/^HTTP\/1\.1 503 /);
  expect(short.closed).toBe(false);
  const long = await answerToHead(10_000_000);
  expect(long.head).toMatch(/^HTTP\/1\.1 503 /);
  expect(long.closed).toBe(true);
});

test('every overload refusal is counted by its reason', async () => {
  const figures = await (await fetch(`${stand.gateway.adminUrl}/metrics`)).text();
  const count = Number(/^trivium_refusals_total\{reason="in-flight"\} (\d+)$/m.exec(figures)?.[1]);
  expect(count).toBeGreaterThanOrEqual(PROTOCOL_CALLS.length + 2);
  expect(figures).toContain('trivium_refusals_total{reason="lag"} 0');
});
