/** A connection to Redis that reconnects by itself, and meanwhile fails at once instead of queueing. */
import { Redis } from 'ioredis';

const CONNECT_LIMIT_MS = 1000;
const MAX_PAUSE_MS = 2000;
/**
 * A connection on which a command waits this long without any data is closed and opened anew: a network that drops
 * packets does not end it for many minutes.
 */
const SILENCE_LIMIT_MS = 4000;

export const redisClient = (url: string, commandLimitMs: number): Redis =>
  new Redis(url, {
    lazyConnect: true,
    commandTimeout: commandLimitMs,
    socketTimeout: SILENCE_LIMIT_MS,
    connectTimeout: CONNECT_LIMIT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(MAX_PAUSE_MS, times * 100),
  });
