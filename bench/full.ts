// npm run bench -- --full: after the comparison of contenders, one chapter after the other.
import { fileURLToPath } from 'node:url';
import { allocation } from './chapters/allocation.ts';
import type { Stage } from './chapters/chapter.ts';
import { type FastStreams, fastStreams } from './chapters/fast-streams.ts';
import { type LargeBodies, largeBodies } from './chapters/large-bodies.ts';
import { type LoadLevel, loadLevels } from './chapters/load-levels.ts';
import { type ManyStreams, manyStreams } from './chapters/many-streams.ts';
import { type WorkerFigures, workers } from './chapters/workers.ts';
import { type YoungProcesses, youngProcesses } from './chapters/young-processes.ts';
import { entryIn } from './contenders/trivium.ts';
import type { Cores } from './cores.ts';
import type { LineUp } from './line-up.ts';
import { compile } from './native-programs.ts';
import type { Options } from './options.ts';
import type { Quietness } from './quiet.ts';
import type { Result } from './report.ts';

const BUILD_FOLDER = fileURLToPath(new URL('build/', import.meta.url));
const STREAM_COUNTS = [1_000, 10_000] as const;

interface Chapters {
  readonly largeBodies: LargeBodies;
  readonly loadLevels: Readonly<Record<string, readonly LoadLevel[]>>;
  readonly youngProcess: YoungProcesses;
  readonly allocatedBytesPerRequest: Readonly<Record<string, number>>;
  readonly workers: readonly WorkerFigures[];
  readonly manyStreams: readonly ManyStreams[];
  readonly fastStreams: FastStreams;
}

/** A chapter that fails is replaced by its error; the others still run. */
export type FullResult = Result & { readonly quiet: Quietness } & {
  readonly [Name in keyof Chapters]?: Chapters[Name] | string;
};

type Chapter<T> = { readonly title: string; measure(stage: Stage, result: Result): Promise<T> };

const CHAPTERS: { readonly [Name in keyof Chapters]: Chapter<Chapters[Name]> } = {
  largeBodies: { title: 'requests with images of 1 and 10 MB', measure: (stage) => largeBodies(stage) },
  loadLevels: {
    title: 'latency at 30 % and 70 % of capacity',
    measure: (stage, { contenders }) => loadLevels(stage, contenders),
  },
  youngProcess: { title: 'the first thousand requests', measure: (stage) => youngProcesses(stage) },
  allocatedBytesPerRequest: { title: 'allocation', measure: (stage) => allocation(stage) },
  workers: { title: 'one to four workers', measure: (stage) => workers(stage) },
  manyStreams: {
    title: `${STREAM_COUNTS.join(' and ')} streams`,
    measure: async (stage) => {
      const figures: ManyStreams[] = [];
      for (const count of STREAM_COUNTS) figures.push(await manyStreams(stage, count));
      return figures;
    },
  },
  fastStreams: { title: '200 fast streams', measure: (stage) => fastStreams(stage) },
};

export async function measureChapters(
  line: LineUp,
  cores: Cores,
  { entry, before, chapters }: Pick<Options, 'entry' | 'before' | 'chapters'>,
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
    entryBefore: before === undefined ? undefined : entryIn(before),
    say,
  };
  const measured: Record<string, unknown> = {};
  for (const name of chapters) {
    const { title, measure } = CHAPTERS[name];
    say(title);
    try {
      measured[name] = await measure(stage, result);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      say(`${title}: ${why}`);
      measured[name] = `failed: ${why.slice(0, 400)}`;
    }
  }
  return { ...result, quiet, ...measured };
}
