// npm run bench -- --full: after the comparison of contenders, one chapter after the other.
import { fileURLToPath } from 'node:url';
import { allocation } from './chapters/allocation.ts';
import type { Stage } from './chapters/chapter.ts';
import { type LargeBodies, largeBodies } from './chapters/large-bodies.ts';
import { type LoadLevel, loadLevels } from './chapters/load-levels.ts';
import { type ManyStreams, manyStreams } from './chapters/many-streams.ts';
import { type WorkerFigures, workers } from './chapters/workers.ts';
import { type YoungProcess, youngProcesses } from './chapters/young-processes.ts';
import type { Cores } from './cores.ts';
import type { LineUp } from './line-up.ts';
import { compile } from './native-programs.ts';
import type { Quietness } from './quiet.ts';
import type { Result } from './report.ts';

const BUILD_FOLDER = fileURLToPath(new URL('build/', import.meta.url));
const STREAM_COUNTS = [1_000, 10_000] as const;

export interface FullResult extends Result {
  readonly quiet: Quietness;
  readonly largeBodies: LargeBodies | string;
  readonly youngProcess: YoungProcess | string;
  readonly loadLevels: Readonly<Record<string, readonly LoadLevel[]>> | string;
  readonly workers: readonly WorkerFigures[] | string;
  readonly allocatedBytesPerRequest: Readonly<Record<string, number>> | string;
  readonly manyStreams: readonly (ManyStreams | string)[];
}

export async function measureChapters(
  line: LineUp,
  cores: Cores,
  entry: string | undefined,
  result: Result,
  quiet: Quietness,
  say: (text: string) => void,
): Promise<FullResult> {
  const stage: Stage = {
    tools: line.tools,
    openload: compile('openload', BUILD_FOLDER),
    mock: compile('mock', BUILD_FOLDER),
    cores,
    upstream: line.upstream,
    entrants: line.entrants,
    entry,
    say,
  };
  /** A chapter that fails says why in its place; the others are worth having all the same. */
  const chapter = async <T>(title: string, work: () => Promise<T>): Promise<T | string> => {
    say(title);
    try {
      return await work();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      say(`${title}: ${why}`);
      return `failed: ${why.slice(0, 400)}`;
    }
  };
  return {
    ...result,
    quiet,
    largeBodies: await chapter('requests with images of 1 and 10 MB', () => largeBodies(stage)),
    loadLevels: await chapter('latency at 30 % and 70 % of capacity', () => loadLevels(stage, result.contenders)),
    youngProcess: await chapter('the first thousand requests', () => youngProcesses(stage)),
    allocatedBytesPerRequest: await chapter('allocation', () => allocation(stage)),
    workers: await chapter('one to four workers', () => workers(stage)),
    manyStreams: [
      await chapter(`${STREAM_COUNTS[0]} streams`, () => manyStreams(stage, STREAM_COUNTS[0])),
      await chapter(`${STREAM_COUNTS[1]} streams`, () => manyStreams(stage, STREAM_COUNTS[1])),
    ],
  };
}
