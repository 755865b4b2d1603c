// Nodes notify each other of ejected hosts and cached prompts.
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { NodeNotifications } from '../../packages/gateway/src/control/nodes/notification-rows.ts';
import { CacheAffinity } from '../../packages/gateway/src/models/routing/cache-affinity.ts';
import { startServices } from '../../scripts/services/services.ts';

const PATIENCE = { timeout: 10_000 };

let url: string;
const open: NodeNotifications[] = [];
beforeAll(async () => {
  const { redisUrl } = await startServices();
  url = redisUrl!;
});
afterAll(() => {
  for (const notifications of open) notifications.close();
});

async function node(name: string) {
  const received: unknown[][] = [];
  const holders = new CacheAffinity();
  const notifications = new NodeNotifications(url, name, {
    onOut: (...out) => received.push(out),
    onHolds: (promptKey, routeKey, forMs) => {
      received.push([promptKey, routeKey]);
      holders.keep(promptKey, routeKey, forMs);
    },
  });
  open.push(notifications);
  await notifications.start();
  return { notifications, received, holders, caches: notifications.tellingOf(holders, () => 0) };
}

test('a node notifies the others of ejected hosts and cached prompts, once, and not itself', async () => {
  const [one, other] = [await node('one'), await node('other')];
  await vi.waitFor(() => {
    one.notifications.tell('host model', 4000);
    expect(other.received).toContainEqual(['host model', 4000]);
  }, PATIENCE);
  for (let time = 0; time < 3; time++) one.caches.keep('prompt', 'host model key', 300_000);
  await vi.waitFor(() => expect(other.holders.find('prompt', 1000)).toBe('host model key'), PATIENCE);
  one.caches.keep('prompt', 'other model key', 300_000);
  await vi.waitFor(() => expect(other.holders.find('prompt', 1000)).toBe('other model key'), PATIENCE);
  expect(other.received.filter(([promptKey]) => promptKey === 'prompt')).toHaveLength(2);
  expect(one.received).toEqual([]);
});

test('malformed notifications are ignored', async () => {
  const one = await node('one more');
  const stranger = new Redis(url);
  const sane = JSON.stringify({ from: 'x', out: [['sane', 1]], holds: [] });
  for (const text of [
    '{',
    'null',
    '{"from":"x"}',
    '{"from":"x","out":[["a"]],"holds":[]}',
    '{"from":"x","out":[[1,2]],"holds":[]}',
  ])
    await stranger.publish('trivium_hosts', text);
  await vi.waitFor(async () => {
    await stranger.publish('trivium_hosts', sane);
    expect(one.received.length).toBeGreaterThan(0);
  }, PATIENCE);
  stranger.disconnect();
  expect(new Set(one.received.map(([routeKey]) => routeKey))).toEqual(new Set(['sane']));
});
