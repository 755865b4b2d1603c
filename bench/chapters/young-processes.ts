// The first thousand requests of a process: start to ready, memory at rest, and CPU per request against the same load
// on the same process once it is warm.
import { CONNECTIONS, loadAtRate, loadPlain } from '../load.ts';
import { withCpuPerRequest } from '../measure.ts';
import { treeResidentBytes } from '../memory.ts';
import { spreadOf } from '../statistics.ts';
import { type FreshGateway, type Stage, withFreshGateway } from './chapter.ts';

const STARTS = 3;
const COLD = { label: 'trivium-cold', more: { warmUp: { enabled: false } } };
const WARMED_UP = { label: 'trivium-warmed-up' };
const FIRST = { perSecond: 500, milliseconds: 2_000 };
const WARM_REQUESTS = 60_000;
const WARM_SECONDS = 2;

interface YoungProcess {
  readonly startMs: number;
  readonly idleMegabytes: number;
  readonly firstThousandCpuUs: number;
  readonly warmCpuUs: number;
  readonly firstThousandVsWarm: number;
}

async function once(stage: Stage, variant: FreshGateway): Promise<YoungProcess> {
  return await withFreshGateway(stage, variant, async ({ service, json, answerBytes }, startMs) => {
    const idleMegabytes = treeResidentBytes(service.pid) / 1_000_000;
    const thousand = async (): Promise<number> => {
      const measured = await withCpuPerRequest(service, () => loadAtRate(stage.tools, stage.openload, json, FIRST));
      return measured.cpuUs;
    };
    const firstThousandCpuUs = await thousand();
    for (let completed = 0; completed < WARM_REQUESTS; )
      completed += (await loadPlain(stage.tools, json, CONNECTIONS, WARM_SECONDS, answerBytes)).completed;
    const warmCpuUs = await thousand();
    return {
      startMs,
      idleMegabytes,
      firstThousandCpuUs,
      warmCpuUs,
      firstThousandVsWarm: firstThousandCpuUs / warmCpuUs,
    };
  });
}

export interface YoungProcesses {
  readonly cold: YoungProcess;
  /** As `trivium serve` starts by default: it runs the request path before it is ready. */
  readonly warmedUp: YoungProcess;
}

/** Alternating, so that a busy minute of the machine affects both. */
export async function youngProcesses(stage: Stage): Promise<YoungProcesses> {
  const cold: YoungProcess[] = [];
  const warmedUp: YoungProcess[] = [];
  for (let start = 0; start < STARTS; start++) {
    cold.push(await once(stage, COLD));
    warmedUp.push(await once(stage, WARMED_UP));
  }
  return { cold: medianOf(cold), warmedUp: medianOf(warmedUp) };
}

function medianOf(runs: readonly YoungProcess[]): YoungProcess {
  const median = (of: (run: YoungProcess) => number): number => Number(spreadOf(runs.map(of)).median.toPrecision(4));
  return {
    startMs: median((run) => run.startMs),
    idleMegabytes: median((run) => run.idleMegabytes),
    firstThousandCpuUs: median((run) => run.firstThousandCpuUs),
    warmCpuUs: median((run) => run.warmCpuUs),
    firstThousandVsWarm: median((run) => run.firstThousandVsWarm),
  };
}
