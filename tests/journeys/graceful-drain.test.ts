// The process is told to stop: what runs finishes, nothing new begins, and the load balancer is told.
import { Agent, type IncomingMessage, request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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
async function beginOne(
  words: number,
  agent = new Agent(),
): Promise<{ readonly whole: Promise<StreamReply>; readonly agent: Agent }> {
  const body = asking(road, `scenario=text-long words=${words} tps=100`, { stream: true });
  const sent = openChat(stand, body, {}, agent);
  const response = await headOf(sent);
  const whole = readStream(response);
  await new Promise((resolve) => response.once('data', resolve));
  return { whole, agent };
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
  expect(stand.gateway.gauges).toEqual({ openHolds: 0, takenSlots: 0, bodyBytes: 0, upstreamExchanges: 0, watched: 0 });
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
  await stand.gateway.close({ drainMs: 150 });
  const reply = await running.whole;
  expect(reply.complete).toBe(false);
  expect(reply.text).not.toContain('[DONE]');
  await waitUntilIdle(stand);
});

describe('kept connections', () => {
  const ask = (agent: Agent, path: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sent = request(`${stand.url}${path}`, { agent }, (response) => {
        response.resume();
        response.once('end', () => resolve(response));
      });
      sent.once('error', reject);
      sent.end();
    });

  /** One connection, used once and kept. */
  async function keepOne(): Promise<Agent> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await ask(agent, '/livez')).headers.connection).toBe('keep-alive');
    return agent;
  }

  test('while balancers take notice, readiness is withdrawn and connections old and new are served for the last time', async () => {
    const kept = await keepOne();
    const running = await beginOne(40);
    const closing = stand.gateway.close({ noticeMs: 1500 });
    const [old, fresh] = [await ask(kept, '/readyz'), await ask(new Agent(), '/readyz')];
    expect([old.statusCode, old.headers.connection]).toEqual([503, 'close']);
    expect([fresh.statusCode, fresh.headers.connection]).toEqual([503, 'close']);
    expect((await running.whole).complete).toBe(true);
    await closing;
  });

  test('another process takes over: a connection kept from before is served once more, and says that it was the last time', async () => {
    const kept = await keepOne();
    const closing = stand.gateway.close({ handover: true });
    await waitUntilRefused(`${stand.url}/livez`);
    const last = await ask(kept, '/api/v1/models');
    expect([last.statusCode, last.headers.connection]).toEqual([200, 'close']);
    await closing;
  });

  test('another process takes over: a stream under way leaves its connection usable', async () => {
    const running = await beginOne(20, new Agent({ keepAlive: true, maxSockets: 1 }));
    const closing = stand.gateway.close({ handover: true });
    expect((await running.whole).complete).toBe(true);
    expect((await ask(running.agent, '/readyz')).statusCode).toBe(200);
    await closing;
  });

  test('idle connections do not outlive the drain time', async () => {
    const kept = await keepOne();
    await stand.gateway.close({ handover: true, drainMs: 50 });
    await expect(ask(kept, '/livez')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('an answer under way says that it is the last', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const pending = headOf(openChat(stand, asking(road, 'header-delay=200'), {}, agent));
    await waitUntil('the upstream has the request', () => stand.simulator.truth.last() !== undefined);
    const closing = stand.gateway.close();
    expect((await readStream(await pending)).headers.connection).toBe('close');
    await closing;
  });
});

async function waitUntilRefused(url: string): Promise<void> {
  for (;;) {
    const reached = await fetch(url, { headers: { connection: 'close' } }).then(
      () => true,
      () => false,
    );
    if (!reached) return;
  }
}
