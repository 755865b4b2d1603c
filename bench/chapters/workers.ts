// One to four workers under a supervisor. Load, upstream and workers share all cores of the machine here, so read the
// CPU per request; requests per second say what this machine carries with its load generator on board.
import { loadPlain } from '../load.ts';
import { withCpuPerRequest } from '../measure.ts';
import { treeResidentBytes } from '../memory.ts';
import { bothCores, type Stage, withFreshGateway } from './chapter.ts';

const COUNTS = [1, 2, 3, 4] as const;
const CONNECTIONS = 64;
const WARM_SECONDS = 8;
const SECONDS = 5;

export interface WorkerFigures {
  readonly workers: number;
  readonly idleMegabytes: number;
  readonly cpuUs: number;
  readonly perSecond: number;
}

export async function workers(stage: Stage): Promise<readonly WorkerFigures[]> {
  const figures: WorkerFigures[] = [];
  for (const count of COUNTS) {
    const fresh = { label: `trivium-${count}-workers`, serve: ['--workers', String(count)], cores: bothCores(stage) };
    await withFreshGateway(stage, fresh, async ({ service, json, answerBytes }) => {
      const idleMegabytes = Math.round(treeResidentBytes(service.pid) / 1_000_000);
      const load = (seconds: number) => loadPlain(stage.tools, json, CONNECTIONS, seconds, answerBytes);
      await load(WARM_SECONDS);
      const measured = await withCpuPerRequest(service, () => load(SECONDS));
      const { perSecond } = measured.load;
      figures.push({
        workers: count,
        idleMegabytes,
        cpuUs: Math.round(measured.cpuUs),
        perSecond: Math.round(perSecond),
      });
    });
  }
  return figures;
}
