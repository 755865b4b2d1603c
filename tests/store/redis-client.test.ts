import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { redisClient } from '../../packages/gateway/src/store/redis/client.ts';
import { startServices } from '../../scripts/services/services.ts';

/** Connections to the real Redis through the test; a frozen one stays open and carries nothing more. */
const connections: Socket[] = [];
const server = createServer((caller) => {
  const redis = connect(Number(target.port), target.hostname);
  caller.pipe(redis).pipe(caller);
  for (const [end, other] of [
    [caller, redis],
    [redis, caller],
  ] as const) {
    end.on('error', () => other.destroy());
    end.on('close', () => other.destroy());
  }
  connections.push(redis);
});
let target: URL;
beforeAll(async () => {
  target = new URL((await startServices()).redisUrl!);
});
afterAll(() => server.close());

const freeze = (redis: Socket): void => {
  redis.unpipe();
  redis.pause();
};

test('a connection that falls silent is replaced', { timeout: 60_000 }, async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = redisClient(`redis://127.0.0.1:${port}`, 2000);
  client.on('error', () => undefined);
  await client.connect();
  expect(await client.ping()).toBe('PONG');
  freeze(connections[0]!);
  await expect(client.ping()).rejects.toThrow('timed out');
  await vi.waitFor(async () => expect(await client.ping()).toBe('PONG'), { timeout: 50_000, interval: 200 });
  expect(connections).toHaveLength(2);
  client.disconnect();
});
