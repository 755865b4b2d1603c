// What one node learns of hosts, the others know a moment later.
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CacheAffinity } from '../../packages/gateway/src/routing/cache-affinity.ts';
import { NodeNotifications } from '../../packages/gateway/src/store/postgres/node-notifications.ts';
import { startServices } from '../../scripts/services/services.ts';

const PATIENCE = { timeout: 10_000 };

let url: string;
const open: NodeNotifications[] = [];
beforeAll(async () => {
  const { redisUrl } = await startServices();
  url = redisUrl!;
});
afterAll(() => {
  for (const news of open) news.close();
});

async function node(name: string) {
  const heard: unknown[][] = [];
  const holders = new CacheAffinity();
  const news = new NodeNotifications(url, name, {
    onOut: (...out) => heard.push(out),
    onHolds: (promptKey, routeKey, forMs) => {
      heard.push([promptKey, routeKey]);
      holders.keep(promptKey, routeKey, forMs);
    },
  });
  open.push(news);
  await news.start();
  return { news, heard, holders, caches: news.tellingOf(holders, () => 0) };
}

test('hosts taken out and prompts held are told to the others, once, and not to oneself', async () => {
  const [one, other] = [await node('one'), await node('other')];
  await vi.waitFor(() => {
    one.news.tell('host model', 4000);
    expect(other.heard).toContainEqual(['host model', 4000]);
  }, PATIENCE);
  for (let time = 0; time < 3; time++) one.caches.keep('prompt', 'host model key', 300_000);
  await vi.waitFor(() => expect(other.holders.find('prompt', 1000)).toBe('host model key'), PATIENCE);
  one.caches.keep('prompt', 'other model key', 300_000);
  await vi.waitFor(() => expect(other.holders.find('prompt', 1000)).toBe('other model key'), PATIENCE);
  expect(other.heard.filter(([promptKey]) => promptKey === 'prompt')).toHaveLength(2);
  expect(one.heard).toEqual([]);
});

test('what is not news is passed over', async () => {
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
    expect(one.heard.length).toBeGreaterThan(0);
  }, PATIENCE);
  stranger.disconnect();
  expect(new Set(one.heard.map(([routeKey]) => routeKey))).toEqual(new Set(['sane']));
});
