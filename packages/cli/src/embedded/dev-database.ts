// The database of `trivium dev`: a private PostgreSQL in a folder, for one `dev` at a time, stopped with it.

import { join } from 'node:path';
import { becomeSoleUser } from '@trivium/gateway';
import { type Cluster, startCluster, stopCluster } from './cluster.ts';
import { embeddedPrograms } from './programs.ts';
import { runAs } from './unprivileged.ts';

export type DevDatabase = { readonly url: string; stop(): Promise<void> };

/** Throws with the reason if no database can be started here. */
export async function openDevDatabase(
  folder: string,
  password: string,
  onFetch: (what: string) => void,
): Promise<DevDatabase> {
  const programs = await embeddedPrograms({ folder: join(folder, 'programs'), onFetch });
  const cluster: Cluster = { programs, folder: join(folder, 'postgres'), password, as: runAs('postgres') };
  const { url, isReused } = await startCluster(cluster);
  const use = await becomeSoleUser(url).catch(async (error: unknown) => {
    if (!isReused) await stopCluster(cluster);
    throw error;
  });
  if (use === undefined) throw new Error(`another \`trivium dev\` uses ${folder}`);
  return {
    url,
    stop: async () => {
      await use.release();
      await stopCluster(cluster);
    },
  };
}
