// What the chapters of `--full` share: the line-up that runs, and fresh gateways beside it.
import type { Contender, UpstreamPorts } from '../contenders/contender.ts';
import { type TriviumVariant, triviumContender } from '../contenders/trivium.ts';
import type { Cores } from '../cores.ts';
import { enter } from '../line-up.ts';
import type { LoadTools } from '../load.ts';
import type { Entrant } from '../measure.ts';
import { choosePorts } from '../ports.ts';
import { killService } from '../processes.ts';

export interface Stage {
  readonly tools: LoadTools;
  readonly openload: string;
  readonly mock: string;
  readonly cores: Cores;
  readonly upstream: UpstreamPorts;
  readonly entrants: readonly Entrant[];
  readonly entry: string | undefined;
  /** Of another checkout, to compare with. */
  readonly entryBefore: string | undefined;
  readonly say: (text: string) => void;
}

export function entrant(stage: Stage, name: string): Entrant | undefined {
  return stage.entrants.find((one) => one.name === name);
}

/** Both cores, for what cannot be shown on one. */
export const bothCores = ({ cores }: Stage): string => `${cores.load},${cores.proxy}`;

export interface FreshGateway extends TriviumVariant {
  readonly label: string;
  /** Arguments of `trivium serve`. */
  readonly serve?: readonly string[];
  readonly cores?: string;
  readonly upstream?: UpstreamPorts;
}

/** A separate gateway for one chapter, stopped at its end. */
export async function withFreshGateway<T>(
  stage: Stage,
  fresh: FreshGateway,
  work: (gateway: Entrant, startMs: number) => Promise<T>,
): Promise<T> {
  const [data = 0, admin = 0] = await choosePorts(2, undefined);
  const { upstream = stage.upstream, serve = [], cores = String(stage.cores.proxy), ...variant } = fresh;
  const contender = triviumContender('trivium', stage.tools.workFolder, { data, admin }, upstream, {
    entry: stage.entry,
    ...variant,
  });
  return await withContender(stage, { ...contender, command: [...contender.command, ...serve] }, cores, work);
}

export async function withContender<T>(
  stage: Stage,
  contender: Contender,
  cores: string,
  work: (entrant: Entrant, startMs: number) => Promise<T>,
): Promise<T> {
  const began = performance.now();
  let startMs = 0;
  const running = await enter(stage.tools, cores, contender, () => {
    startMs = performance.now() - began;
  });
  try {
    return await work(running, startMs);
  } finally {
    await killService(running.service);
  }
}
