/** Word of hosts from other nodes, into what this one knows of them; part of the composition root. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { RouteHealth } from '../health/route-health.ts';
import { systemClock } from '../kernel/clock.ts';
import type { CacheMemory } from '../kernel/health.ts';
import { NodeNews } from '../store/postgres/node-news.ts';

const NAME_BYTES = 8;

export function openNews({ redis }: Config, health: RouteHealth, holders: CacheMemory): NodeNews | undefined {
  if (redis === undefined) return undefined;
  const news = new NodeNews(redis.url, randomBytes(NAME_BYTES).toString('hex'), {
    onOut: (routeKey, forMs) => health.hear(routeKey, forMs, systemClock.monotonicMs()),
    onHolds: (promptKey, routeKey, forMs) => holders.keep(promptKey, routeKey, systemClock.monotonicMs() + forMs),
  });
  void news.start();
  return news;
}
