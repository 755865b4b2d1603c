/** Word of hosts from other nodes, into what this one knows of them; part of the composition root. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { RouteHealth } from '../health/route-health.ts';
import { systemClock } from '../kernel/clock.ts';
import type { CacheMemory } from '../kernel/health.ts';
import { NodeNotifications } from '../store/postgres/node-notifications.ts';

const NAME_BYTES = 8;

export function openNotifications(
  { redis }: Config,
  health: RouteHealth,
  holders: CacheMemory,
): NodeNotifications | undefined {
  if (redis === undefined) return undefined;
  const news = new NodeNotifications(redis.url, randomBytes(NAME_BYTES).toString('hex'), {
    onOut: (routeKey, forMs) => health.applyHint(routeKey, forMs, systemClock.monotonicMs()),
    onHolds: (promptKey, routeKey, forMs) => holders.keep(promptKey, routeKey, systemClock.monotonicMs() + forMs),
  });
  void news.start();
  return news;
}
