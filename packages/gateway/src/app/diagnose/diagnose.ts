/** Everything `trivium doctor` checks once there is a configuration. Changes nothing. */
import type { Config } from '../../config/config.ts';
import { diagnoseDatabase } from './database.ts';
import { diagnoseDisk } from './disk.ts';
import type { Finding } from './finding.ts';
import { diagnosePorts } from './ports.ts';
import { diagnoseProviders } from './providers.ts';
import { diagnoseRedis } from './redis.ts';

/** In a fixed order, however long each takes. `offline`: calls no provider. */
export async function diagnose(config: Config, offline: boolean): Promise<readonly Finding[]> {
  const found = await Promise.all([
    diagnosePorts(config),
    diagnoseDatabase(config.database),
    diagnoseRedis(config.redis),
    diagnoseDisk(config),
    offline ? [] : diagnoseProviders(config),
  ]);
  return found.flat();
}
