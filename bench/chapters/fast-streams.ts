// 200 streams at once, each as fast as it can be passed on: streams per second, beside another checkout's.
import { join } from 'node:path';
import { loadStreams } from '../load.ts';
import type { Entrant } from '../measure.ts';
import { choosePorts } from '../ports.ts';
import { awaitPort, killService, startService } from '../processes.ts';
import { ratioOf, type Spread, spreadOf } from '../statistics.ts';
import { type Stage, withFreshGateway } from './chapter.ts';

const CONNECTIONS = 200;
const CHUNKS = 1_000;
const SECONDS = 5;
const ROUNDS = 8;
const LOAD = { connections: CONNECTIONS, chunks: CHUNKS, patienceSeconds: 60, spreadSeconds: 0 };

export interface FastStreams {
  readonly perSecond: Spread;
  readonly perSecondBefore?: Spread;
  readonly vsBefore?: Spread;
}

export async function fastStreams(stage: Stage): Promise<FastStreams> {
  const [json = 0, fast = 0, paced = 0] = await choosePorts(3, undefined);
  const command = [stage.mock, ...[json, fast, paced, CHUNKS, 0].map(String)];
  const mock = startService('mock', String(stage.cores.load), command, join(stage.tools.workFolder, 'mock-fast.log'));
  await awaitPort(mock, fast);
  const perSecond = async ({ stream }: Entrant) => (await loadStreams(stage.tools, stream, SECONDS, LOAD)).perSecond;
  const gateway = { upstream: { json, paced: fast }, more: { limits: { inFlight: CONNECTIONS } } };
  const withGateway = <T>(label: string, entry: string | undefined, work: (running: Entrant) => Promise<T>) =>
    withFreshGateway(stage, { ...gateway, label, ...(entry !== undefined && { entry }) }, work);
  try {
    return await withGateway('trivium-fast', undefined, async (now) => {
      await perSecond(now);
      if (stage.entryBefore === undefined) return { perSecond: spreadOf([await perSecond(now)]) };
      return await withGateway('trivium-fast-before', stage.entryBefore, async (before) => {
        await perSecond(before);
        const nows: number[] = [];
        const befores: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          nows.push(await perSecond(now));
          befores.push(await perSecond(before));
        }
        return {
          perSecond: spreadOf(nows),
          perSecondBefore: spreadOf(befores),
          vsBefore: ratioOf(nows, befores),
        };
      });
    });
  } finally {
    await killService(mock);
  }
}
