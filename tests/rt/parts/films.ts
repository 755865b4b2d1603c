/** A model that makes clips of five seconds for a dollar, at the simulator, for one account. */
import { keysOf } from './money.ts';
import type { SimulatorProcess } from './simulator-process.ts';

export const FILM_ACCOUNT = 'filmmaker';
export const FILM_PATH = '/api/vertex-ai/v1/publishers/films/models/clip:predictLongRunning';
export const FILM_NANO = 1_000_000_000n;

export const filmConfig = (
  simulator: SimulatorProcess,
  databaseUrl: string,
  folder: string,
): Record<string, unknown> => ({
  providers: { byteplus: { credential: 'sk-upstream-rt', baseUrl: `${simulator.url}/ark/api/v3` } },
  models: [
    {
      id: 'films/clip',
      outputModalities: ['video'],
      endpoints: [
        {
          provider: 'byteplus',
          dialect: 'ark-video',
          video: { seconds: [5], secondsDefault: 5 },
          pricings: { audio_and_video: [{ value: '0.2', unit: 'perSecond', currency: 'USD' }] },
        },
      ],
    },
  ],
  keys: keysOf([FILM_ACCOUNT]),
  database: { url: databaseUrl, connectMs: 1000 },
  ledger: { journal: `${folder}/journal` },
  blobs: { folder: `${folder}/blobs` },
  seals: { keys: ['a-seal-key-for-tests-0123456789abcdef'] },
  operations: { pollEveryMs: 300, submitMs: 2000, unknownMs: 1000 },
});
