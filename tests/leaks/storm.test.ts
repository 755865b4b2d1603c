/** A storm of callers who leave at every moment of a request leaves nothing behind in the live gateway. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { seeded } from '../laws/decode-stream.ts';
import { openForwardProxy } from '../support/forward-proxy.ts';
import { KEY, openStand, postChat, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const CALLERS = 200;
const AT_ONCE = 40;
const LONGEST_STAY_MS = 60;
const ZERO = { openHolds: 0, takenSlots: 0, heldBytes: 0, upstreamExchanges: 0, watched: 0 };

const requestText = (stream: boolean, how: string): string => {
  const body = JSON.stringify({
    model: 'compatible/any',
    stream,
    messages: [{ role: 'user', content: `Tell me. @simulate ${how}` }],
  });
  return `POST /api/v1/chat/completions HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

const HOWS = ['ttft=30 tps=50', 'ttft=0 tps=200', 'ttft=500', 'fault=reset-mid-stream after=2', 'ttft=0'];

/** Sends a part of a request or all of it, stays a while, and leaves without a word or politely. */
async function comeAndGo(stand: Stand, random: () => number): Promise<void> {
  const { hostname, port } = new URL(stand.url);
  const socket: Socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  // The gateway may close it first.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  const text = requestText(random() < 0.7, HOWS[Math.floor(random() * HOWS.length)] ?? '');
  socket.write(random() < 0.2 ? text.slice(0, Math.floor(random() * text.length)) : text);
  if (random() < 0.5) socket.resume();
  // Not waiting for anything: how long a caller stays is what varies here.
  await sleep(random() * LONGEST_STAY_MS);
  const leaving = random();
  if (leaving < 0.4) socket.resetAndDestroy();
  else socket.destroy();
  await closed;
}

const handles = (): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo())
    if (kind.startsWith('TCP') || kind === 'Timeout') counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};
const total = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Direct connections are one client's, a proxy is another's: both are to leave nothing. */
test.each(['directly', 'through a proxy'] as const)(
  'after a storm of aborted requests every gauge is at zero, and closing gives every handle back (%s)',
  async (way) => {
    const before = handles();
    const proxy = way === 'directly' ? undefined : await openForwardProxy();
    const stand = await openStand(proxy && { config: () => ({ upstream: { proxy: proxy.url } }) });
    const random = seeded(20_261_115);
    for (let done = 0; done < CALLERS; done += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => comeAndGo(stand, random)));
    await waitUntil('gauges at zero', () => JSON.stringify(stand.gateway.gauges) === JSON.stringify(ZERO), 10_000);
    expect(stand.gateway.gauges).toEqual(ZERO);
    const ids = stand.records.map(({ requestId }) => requestId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(stand.records.some(({ how }) => how === 'gone')).toBe(true);
    const reply = await postChat(
      stand,
      { model: 'compatible/any', messages: [{ role: 'user', content: 'Still there?' }] },
      { connection: 'close' },
    );
    expect(reply.status).toBe(200);
    expect(stand.gateway.gauges).toEqual(ZERO);
    if (proxy !== undefined) expect(proxy.used).toBeGreaterThan(0);
    await stand.close();
    await proxy?.close();
    await waitUntil('handles back at the baseline', () => total(handles()) <= total(before), 10_000);
  },
);
