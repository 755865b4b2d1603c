/** Applies other nodes' notifications about hosts to this node's state; part of the composition root. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { NodeNotifications } from '../control/nodes/notification-rows.ts';
import { systemClock } from '../kernel/clock.ts';
import type { CacheMemory } from '../kernel/health.ts';
import type { RouteHealth } from '../models/health/route-health.ts';

const NAME_BYTES = 8;

export function openNotifications(
  { redis }: Config,
  health: RouteHealth,
  holders: CacheMemory,
): NodeNotifications | undefined {
  if (redis === undefined) return undefined;
  const notifications = new NodeNotifications(redis.url, randomBytes(NAME_BYTES).toString('hex'), {
    onOut: (routeKey, forMs) => health.applyHint(routeKey, forMs, systemClock.monotonicMs()),
    onHolds: (promptKey, routeKey, forMs) => holders.keep(promptKey, routeKey, systemClock.monotonicMs() + forMs),
  });
  void notifications.start();
  return notifications;
}
