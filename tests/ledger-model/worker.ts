/** Plays a range of seeds in a separate thread, with the given sources. */
import { parentPort, workerData } from 'node:worker_threads';
import type { runSeeds } from './run-seeds.ts';

const { source, from, to } = workerData as { source: string; from: number; to: number };
const { runSeeds: play } = (await import(source)) as { runSeeds: typeof runSeeds };
parentPort?.postMessage(play(from, to));
