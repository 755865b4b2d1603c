// Many slow streams at once: one chunk per second, as people read. Memory per stream, and how late a chunk comes compared
// with the same streams taken from the upstream directly.
import { join } from 'node:path';
import { plainTargets } from '../contenders/contender.ts';
import { loadStreams, prepareTarget } from '../load.ts';
import { treeResidentBytes } from '../memory.ts';
import { choosePorts } from '../ports.ts';
import { awaitPort, killService, startService } from '../processes.ts';
import { bothCores, type Stage, withFreshGateway } from './chapter.ts';

const CHUNKS = 20;
const PACE_US = 1_000_000;
const WORKERS = 2;
const POLL_MS = 500;

export interface ManyStreams {
  readonly streams: number;
  readonly completed: number;
  readonly kilobytesEach: number;
  readonly chunkLagP99Ms: number;
  readonly directChunkLagP99Ms: number;
}

export async function manyStreams(stage: Stage, streams: number): Promise<ManyStreams> {
  const [jsonPort = 0, fastPort = 0, pacedPort = 0] = await choosePorts(3, undefined);
  const command = [stage.mock, ...[jsonPort, fastPort, pacedPort, CHUNKS, PACE_US].map(String)];
  const mock = startService('mock', bothCores(stage), command, join(stage.tools.workFolder, 'mock-slow.log'));
  await awaitPort(mock, pacedPort);
  const tools = { ...stage.tools, core: bothCores(stage) };
  const load = { connections: streams, chunks: CHUNKS, patienceSeconds: CHUNKS * 3, spreadSeconds: 10 };
  try {
    const direct = prepareTarget(tools, 'direct-slow', 'stream', plainTargets(jsonPort, pacedPort).stream);
    const alone = await loadStreams(tools, direct, 1, load);
    const fresh = {
      label: 'trivium-many',
      serve: ['--workers', String(WORKERS)],
      cores: bothCores(stage),
      upstream: { json: jsonPort, paced: pacedPort },
      more: { limits: { inFlight: streams } },
    };
    return await withFreshGateway(stage, fresh, async ({ service, stream }) => {
      await loadStreams(tools, stream, 1, { ...load, connections: Math.ceil(streams / 20) });
      const idle = treeResidentBytes(service.pid);
      let most = idle;
      const watch = setInterval(() => {
        most = Math.max(most, treeResidentBytes(service.pid));
      }, POLL_MS);
      const through = await loadStreams(tools, stream, 1, load).finally(() => clearInterval(watch));
      return {
        streams,
        completed: through.completed,
        kilobytesEach: Math.round((most - idle) / streams / 100) / 10,
        chunkLagP99Ms: through.chunkLagP99Us / 1_000,
        directChunkLagP99Ms: alone.chunkLagP99Us / 1_000,
      };
    });
  } finally {
    await killService(mock);
  }
}
