// The process is told to stop: what runs finishes, nothing new begins, and the load balancer is told.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { headOf, openChat, readStream, type StreamReply } from '../support/chat-stream.ts';
import { waitUntilIdle } from '../support/idle.ts';
import { asking, LANES, type LaneRoad } from '../support/lanes.ts';
import { openStand, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const road = LANES[0] as LaneRoad;

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.simulator.close());

const readiness = async (): Promise<number> => (await fetch(`${stand.gateway.adminUrl}/readyz`)).status;
/** A stream whose first bytes have arrived. */
async function beginOne(words: number): Promise<{ readonly whole: Promise<StreamReply> }> {
  const sent = openChat(stand, asking(road, `scenario=text-long words=${words} tps=100`, { stream: true }));
  const response = await headOf(sent);
  const whole = readStream(response);
  await new Promise((resolve) => response.once('data', resolve));
  return { whole };
}

test('an open stream finishes, new connections are refused, readiness is withdrawn', async () => {
  expect(await readiness()).toBe(200);
  const running = await beginOne(40);
  const closing = stand.gateway.close();
  expect(await readiness()).toBe(503);
  await expect(fetch(`${stand.url}/livez`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  const reply = await running.whole;
  expect(reply.complete).toBe(true);
  expect(reply.frames.at(-1)).toBe('[DONE]');
  expect(reply.text).toContain('word40');
  await closing;
  expect(stand.records.at(-1)?.how).toBe('done');
  expect(stand.gateway.gauges).toEqual({ openHolds: 0, takenSlots: 0, upstreamExchanges: 0, watched: 0 });
});

test('a whole answer under way is delivered', async () => {
  const pending = headOf(openChat(stand, asking(road, 'header-delay=200')));
  await waitUntil('the upstream has the request', () => stand.simulator.truth.last() !== undefined);
  const closing = stand.gateway.close();
  const reply = await readStream(await pending);
  expect(reply.status).toBe(200);
  expect(JSON.parse(reply.text)).toMatchObject({ object: 'chat.completion' });
  await closing;
});

test('what does not finish in time is cut, and does not look finished', async () => {
  const running = await beginOne(2000);
  await stand.gateway.close(150);
  const reply = await running.whole;
  expect(reply.complete).toBe(false);
  expect(reply.text).not.toContain('[DONE]');
  await waitUntilIdle(stand);
});
