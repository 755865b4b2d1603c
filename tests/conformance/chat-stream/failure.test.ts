// CS: streams that fail, stall or lose their caller.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { headOf, openChat, streamChat } from '../../support/chat-stream.ts';
import { asking, LANES } from '../../support/lanes.ts';
import { openStand, postChat, type Stand } from '../../support/stand.ts';
import { waitUntil } from '../../support/wait-until.ts';

const KEEP_ALIVE_MS = 40;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ config: () => ({ timeouts: { keepAliveToCallerMs: KEEP_ALIVE_MS } }) });
});
afterAll(() => stand.close());

describe.each(LANES)('$lane lane', (road) => {
  test.each(['reset-mid-stream', 'close-mid-stream', 'end-mid-stream', 'malformed-frame', 'error-frame-mid'])(
    '[CS-13] %s: the stream ends with an error frame and without [DONE]',
    async (fault) => {
      const reply = await streamChat(stand, asking(road, `scenario=text-long words=12 tps=25 fault=${fault} after=5`));
      expect(reply.status).toBe(200);
      // Keep-alive comments may occur between frames on a slow machine.
      const frames = reply.text.replaceAll(': ping\n\n', '');
      expect(frames).toMatch(/^(?:data: \{[^\n]*\}\n\n){2,}$/);
      expect(frames).toMatch(
        /data: \{"error":\{"message":"[^"]+","type":"server_error","param":null,"code":"[^"]+"\}\}\n\n$/,
      );
      expect(reply.chunks.slice(0, -1).every(({ error, choices }) => error === undefined && choices.length === 1)).toBe(
        true,
      );
      expect(reply.complete).toBe(false);
      expect(stand.records.at(-1)).toMatchObject({ how: 'fault', lane: road.lane });
    },
  );

  test.each([
    [503, 503, 'overloaded'],
    [500, 502, 'upstream_error'],
    [429, 429, 'rate_limit_exceeded'],
    [504, 504, 'timeout'],
    [401, 502, 'upstream_error'],
  ])('[CS-14] upstream %d before the first event is HTTP %d', async (upstream, status, code) => {
    const reply = await postChat(stand, asking(road, `status=${upstream}`, { stream: true }));
    expect(reply.status).toBe(status);
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(reply.json['error']).toMatchObject({ code });
  });

  test('[CS-14] an error as the first frame still has its HTTP status', async () => {
    const reply = await postChat(stand, asking(road, 'fault=error-frame-first', { stream: true }));
    expect(reply.status).toBeGreaterThanOrEqual(500);
    expect(reply.json['error']).toMatchObject({ type: 'server_error' });
  });

  test('[CS-15] keep-alive comments are sent during silence, between frames and never inside one', async () => {
    // Pauses longer than a keep-alive fall inside the upstream's frames.
    const reply = await streamChat(
      stand,
      asking(road, 'scenario=text-long words=2 fault=slow-drip split=150 drip=100'),
    );
    expect(reply.text).toMatch(/^(?:(?:data: \{[^\n]*\}|: [^\n]*)\n\n)+data: \[DONE\]\n\n$/);
    expect(reply.text).toMatch(/(?:^|\n\n): ping\n\n/);
    const brisk = await streamChat(stand, asking(road, 'scenario=text-long words=2'));
    expect(brisk.text).not.toContain(': ping');
  });

  test('[CS-17] partly: a caller who disconnects stops the upstream, and what was generated is recorded', async () => {
    const sent = openChat(stand, asking(road, 'scenario=text-long words=5000 tps=200', { stream: true }));
    const response = await headOf(sent);
    await new Promise((resolve) => response.once('data', resolve));
    await waitUntil('tokens produced', () => (stand.simulator.truth.last()?.tokensProduced ?? 0) > 5);
    const before = stand.records.length;
    sent.destroy();
    await waitUntil('the upstream closed', () => stand.simulator.truth.last()?.outcome === 'aborted');
    await waitUntil('the record', () => stand.records.length > before);
    const truth = stand.simulator.truth.last();
    expect(truth?.tokensProduced).toBeLessThan(5000);
    expect(stand.records.at(-1)).toMatchObject({ how: 'gone', lane: road.lane });
    expect(stand.records.at(-1)?.reading?.producedCharacters).toBeGreaterThan(0);
  });
});
