/** What the simulator answers to the cheapest question in each format for vectors, ranks, pictures, sound and clips. */
import { openLiveCheck } from '@trivium/gateway';
import { startSimulator } from '@trivium/simulator';
import { MEDIA_PLACES, mediaConfig } from '../check-live/media-hosts.ts';
import type { Sample } from './samples.ts';

const BOUND = 1_000_000_000n;

async function ask(): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const simulator = await startSimulator();
  const found = new Map<string, Sample[]>();
  try {
    const config = mediaConfig(simulator.url);
    for (const [format, provider] of Object.entries(MEDIA_PLACES)) {
      const open = await openLiveCheck(config, { provider, model: `check/${format}`, format, boundNanoUsd: BOUND });
      const samples: Sample[] = [];
      found.set(format, samples);
      try {
        await open.run(undefined, (_format, root, text) => samples.push({ root, value: JSON.parse(text) as unknown }));
      } finally {
        await open.close();
      }
    }
    return found;
  } finally {
    await simulator.close();
  }
}

/** The states of a job, of which a check sees one or two, as its hosts describe them. */
const STATES: Readonly<Record<string, readonly string[]>> = {
  'bfl-images': ['Pending', 'Ready', 'Error', 'Request Moderated', 'Content Moderated', 'Task not found'],
  'fal-queue': ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'],
  'fal-video': ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'],
  'ark-video': ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired'],
  'minimax-video': ['Preparing', 'Queueing', 'Processing', 'Success', 'Fail'],
  'xai-video': ['pending', 'done', 'failed', 'expired'],
  'assemblyai-transcription': ['queued', 'processing', 'completed', 'error'],
  'openai-videos': ['queued', 'in_progress', 'completed', 'failed'],
};

function withStates(dialect: string, samples: readonly Sample[]): readonly Sample[] {
  const states = STATES[dialect] ?? [];
  const inStates = ({ root, value }: { readonly root: string; readonly value: unknown }): Sample[] =>
    typeof value === 'object' && value !== null && 'status' in value && root !== 'error'
      ? states.map((status) => ({ root, value: { ...value, status } }))
      : [];
  return samples.flatMap((sample) => (sample.frames === undefined ? [sample, ...inStates(sample)] : [sample]));
}

let asked: ReturnType<typeof ask> | undefined;

/** All of them are asked once. */
export async function mediaSamples(dialect: string): Promise<readonly Sample[]> {
  asked ??= ask();
  return withStates(dialect, (await asked).get(dialect) ?? []);
}
