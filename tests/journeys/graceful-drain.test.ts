// Graceful shutdown: running requests finish, no new ones begin, and readiness is withdrawn for the load balancer.
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
/** A stream with its first bytes already received. */
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
  expect(stand.gateway.gauges).toEqual({ openHolds: 0, takenSlots: 0, heldBytes: 0, upstreamExchanges: 0, watched: 0 });
});

test('a running non-streamed answer is delivered during shutdown', async () => {
  const pending = headOf(openChat(stand, asking(road, 'header-delay=200')));
  await waitUntil('the upstream has the request', () => stand.simulator.truth.last() !== undefined);
  const closing = stand.gateway.close();
  const reply = await readStream(await pending);
  expect(reply.status).toBe(200);
  expect(JSON.parse(reply.text)).toMatchObject({ object: 'chat.completion' });
  await closing;
});

test('a request that does not finish within the drain time is cut, and does not look complete', async () => {
  const running = await beginOne(2000);
  await stand.gateway.close({ drainMs: 150 });
  const reply = await running.whole;
  expect(reply.complete).toBe(false);
  expect(reply.text).not.toContain('[DONE]');
  await waitUntilIdle(stand);
});

describe('keep-alive connections', () => {
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

  test('during the notice time, readiness is withdrawn, and old and new connections are served once more and closed', async () => {
    const kept = await keepOne();
    const running = await beginOne(40);
    const closing = stand.gateway.close({ noticeMs: 1500 });
    const [old, fresh] = [await ask(kept, '/readyz'), await ask(new Agent(), '/readyz')];
    expect([old.statusCode, old.headers.connection]).toEqual([503, 'close']);
    expect([fresh.statusCode, fresh.headers.connection]).toEqual([503, 'close']);
    expect((await running.whole).complete).toBe(true);
    await closing;
  });

  test('during a handover a keep-alive connection is served once more, with connection: close', async () => {
    const kept = await keepOne();
    const closing = stand.gateway.close({ handover: true });
    await waitUntilRefused(`${stand.url}/livez`);
    const last = await ask(kept, '/api/v1/models');
    expect([last.statusCode, last.headers.connection]).toEqual([200, 'close']);
    await closing;
  });

  test('during a handover a running stream leaves its connection usable', async () => {
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

  test('a running answer has connection: close during shutdown', async () => {
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
