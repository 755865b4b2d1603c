/** Our client reads what undici reads, however the network cuts it, or is stricter; and never hangs. */
import { describe, expect, test } from 'vitest';
import { SocketUpstream } from '../../packages/gateway/src/upstream/socket-upstream.ts';
import { compare, deviation, outcomeOf } from './compare-clients.ts';
import { fuzz } from './fuzz.ts';
import { LONG_RESPONSES, RESPONSES } from './response-corpus.ts';

const cut = (bytes: Buffer, at: number): readonly Buffer[] =>
  [bytes.subarray(0, at), bytes.subarray(at)].filter(({ length }) => length > 0);

describe.each(RESPONSES)('%s', (_name, text, verdict, body) => {
  const bytes = Buffer.from(text, 'latin1');

  test('a response is read like undici wherever it is cut', async () => {
    for (let at = 0; at <= bytes.length; at++) {
      const { ours, undici } = await compare(cut(bytes, at));
      expect(deviation(ours, undici), `cut at ${at}: ${JSON.stringify({ ours, undici })}`).toBeUndefined();
      expect({ result: ours.result, text: ours.text }, `cut at ${at}`).toEqual({ result: verdict, text: body });
    }
  });

  test('a response is read like undici byte by byte', async () => {
    const { ours, undici } = await compare(Array.from(bytes, (byte) => Buffer.from([byte])));
    expect(deviation(ours, undici)).toBeUndefined();
    expect({ result: ours.result, text: ours.text }).toEqual({ result: verdict, text: body });
  });
});

test.each(LONG_RESPONSES)('%s is read like undici in pieces of any length', async (_name, text, verdict) => {
  const bytes = Buffer.from(text, 'latin1');
  for (const length of [997, 4096, 16_384, 65_536]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, number) =>
      bytes.subarray(number * length, (number + 1) * length),
    );
    const { ours, undici } = await compare(pieces);
    expect(deviation(ours, undici), `pieces of ${length}`).toBeUndefined();
    expect(ours.result, `pieces of ${length}`).toBe(verdict);
  }
});

test.each([
  ['an unasked 100 before the answer', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx'],
  ['whitespace after a length', 'HTTP/1.1 200 OK\r\ncontent-length: 1 \r\n\r\nx'],
])('%s is no failure, unlike in undici', async (_what, text) => {
  const bytes = Buffer.from(text);
  for (let at = 0; at <= bytes.length; at++) {
    const { ours, undici } = await compare(cut(bytes, at));
    expect(ours, `cut at ${at}`).toMatchObject({ result: 'ended', text: 'x', next: 'right', isReused: true });
    expect(undici.result, `cut at ${at}`).toBe('failed');
  }
});

test('a connection that a trailer closes is not used again', async () => {
  const bytes = Buffer.from(
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nconnection: close\r\n\r\n',
  );
  for (let at = 0; at <= bytes.length; at++)
    expect(await outcomeOf(SocketUpstream, cut(bytes, at)), `cut at ${at}`).toMatchObject({
      result: 'ended',
      text: 'x',
      next: 'right',
      isReused: false,
    });
});

test('a reason phrase of 17 KB is refused', async () => {
  const bytes = Buffer.from(`HTTP/1.1 200 ${'a'.repeat(17_000)}\r\ncontent-length: 0\r\n\r\n`);
  expect((await outcomeOf(SocketUpstream, [bytes])).result).toBe('failed');
});

test('broken responses are read like undici, and never end in a hang or in the answer to another request', async () => {
  const { deviations, ended, failed, reused } = await fuzz(20_261_116, 2000);
  expect(deviations).toEqual([]);
  // The generator reaches all of it.
  expect(Math.min(ended, failed, reused)).toBeGreaterThan(100);
});
