/**
 * A thousand running videos and one node that polls them: how late it polls compared with the poll interval, and how
 * much CPU time PostgreSQL needs for it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freshDatabase } from '../../support/database.ts';
import { ask } from '../parts/ask.ts';
import { FILM_ACCOUNT, FILM_PATH, filmConfig } from '../parts/films.ts';
import { keyFor } from '../parts/money.ts';
import { childrenOf, parentOf, processorSeconds } from '../parts/process-facts.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly videos: number; readonly cadenceMs: number; readonly watchMs: number };

const AT_ONCE = 32;
const LOOK_MS = 250;

/** Processor time of a server and of all its processes. */
const serverSeconds = (postmaster: number): number =>
  [postmaster, ...childrenOf(postmaster)].reduce((sum, pid) => sum + processorSeconds(pid), 0);

async function play({ videos, cadenceMs, watchMs }: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const simulator = await stage.simulator();
  const config = filmConfig(simulator, database.url, stage.folder);
  const gateway = await stage.gateway({ ...config, operations: { pollEveryMs: cadenceMs } });
  const db = new Client({ connectionString: database.url });
  await db.connect();
  stage.atEnd(() => db.end());
  let ordered = 0;
  let refused = 0;
  const order = async (): Promise<void> => {
    while (ordered < videos) {
      const number = ordered++;
      const reply = await ask({
        url: gateway.url,
        path: FILM_PATH,
        body: { instances: [{ prompt: `film ${number}. @simulate polls=1000000` }] },
        headers: { authorization: `Bearer ${keyFor(FILM_ACCOUNT)}` },
        limitMs: 30_000,
      });
      if (reply.status !== 200) refused++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, order));
  const running = async (): Promise<number> =>
    Number((await db.query(`select count(*) as n from operations where state = 'running'`)).rows[0].n);
  await waitFor('all of them run', async () => (await running()) >= videos - refused, 60_000, 200).catch(
    () => undefined,
  );
  // Let the queue settle after the burst of submissions.
  await sleep(cadenceMs);
  const { rows } = await db.query(`select pg_backend_pid() as pid`);
  const postmaster = parentOf(rows[0].pid);
  const cpuBefore = serverSeconds(postmaster);
  const pollsBefore = (await simulator.truth()).length;
  const lags: number[] = [];
  const startedAt = performance.now();
  while (performance.now() - startedAt < watchMs) {
    const late = await db.query(`
      select coalesce(extract(epoch from max(now() - next_at)) * 1000, 0)::float as ms from operations
      where finished_at is null and next_at < now()`);
    lags.push(late.rows[0].ms);
    await sleep(LOOK_MS);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuShare = (serverSeconds(postmaster) - cpuBefore) / seconds;
  const polls = (await simulator.truth()).length - pollsBefore;
  const worstMs = Math.round(Math.max(...lags));
  lags.sort((a, b) => a - b);
  return {
    figures: {
      videos,
      cadenceMs,
      worstLagMs: worstMs,
      medianLagMs: Math.round(lags[lags.length >> 1] ?? 0),
      pollsPerSecond: Math.round(polls / seconds),
      postgresProcessors: Math.round(cpuShare * 100) / 100,
    },
    checks: [
      exactly('orders that were refused', refused, 0),
      // From the time a poll was due: interval and lag together are at most twice the interval.
      atMost('milliseconds between two questions after one video, at worst', worstMs + cadenceMs, 2 * cadenceMs),
    ],
  };
}

export const videoFleet = scenario<Parameters>({
  name: 'video-fleet',
  shows: 'one node asks after a thousand videos in the making no later than twice the cadence',
  short: { videos: 150, cadenceMs: 5000, watchMs: 6000 },
  full: { videos: 1000, cadenceMs: 10_000, watchMs: 30_000 },
  run: play,
});
