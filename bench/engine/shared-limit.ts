/** One limit that many processes share in Redis: CPU time of the server per call, by how many hold a part of it. */
import { randomBytes } from 'node:crypto';
import { RedisLeases } from '../../packages/gateway/src/store/redis/leases.ts';
import { treeCpuNs } from '../cpu-time.ts';

const CALLS = 300;
/** Large enough for everyone: no call is refused. */
const LIMIT = { capacity: 1_000_000, msPerUnit: 0.06, used: 1, usedAgoMs: 0, keep: 0, need: 1, spare: 0 };

export type SharedLimit = { microsPerCall(): Promise<number>; close(): void };

export async function shareLimit(redisUrl: string, redisPid: number, holders: number): Promise<SharedLimit> {
  const leases = new RedisLeases(redisUrl, `bench-${randomBytes(6).toString('hex')}:{limits}:`);
  await leases.start();
  const ask = (holder: number) => leases.drawAt(`process-${holder}`, [{ name: 'shared', ...LIMIT }]);
  return {
    microsPerCall: async () => {
      // Leases end after ten seconds: all hold one when counting begins.
      for (let holder = 0; holder < holders; holder++) await ask(holder);
      const before = treeCpuNs(redisPid);
      for (let call = 0; call < CALLS; call++) await ask(call % holders);
      return (treeCpuNs(redisPid) - before) / 1000 / CALLS;
    },
    close: () => leases.close(),
  };
}
