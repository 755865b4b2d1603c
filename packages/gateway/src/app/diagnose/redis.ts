/** Redis: whether it answers, and its clock. */
import type { Config } from '../../config/config.ts';
import { redisClient } from '../../store/redis/client.ts';
import { type Finding, reasonOf } from './finding.ts';
import { readClock, skewFinding } from './skew.ts';

const COMMAND_LIMIT_MS = 2000;

export async function diagnoseRedis(settings: Config['redis']): Promise<readonly Finding[]> {
  if (settings === undefined) return [];
  const redis = redisClient(settings.url, COMMAND_LIMIT_MS);
  // Only the event carries the reason.
  let problem: unknown;
  redis.on('error', (error) => {
    problem ??= error;
  });
  try {
    await redis.connect();
    const clock = await readClock(async () => {
      const [seconds, micros] = await redis.time();
      return Number(seconds) * 1000 + Number(micros) / 1000;
    }, Date.now);
    return [{ check: 'Redis', status: 'ok', detail: 'answers' }, skewFinding('Redis', clock)];
  } catch (error) {
    const next =
      'check redis.url and that the server runs; until then each process enforces its share of the rate limits';
    return [{ check: 'Redis', status: 'warn', detail: reasonOf(problem ?? error), next }];
  } finally {
    redis.disconnect();
  }
}
