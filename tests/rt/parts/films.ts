/** A model that makes clips of five seconds for a dollar, at the simulator, for one account; and orders of such clips. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './ask.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { keyFor, keysOf } from './money.ts';
import type { SimulatorProcess } from './simulator-process.ts';
import type { Stage } from './stage.ts';

export const FILM_ACCOUNT = 'filmmaker';
export const FILM_NANO = 1_000_000_000n;
const MODELS = '/api/vertex-ai/v1/publishers/films/models';
export const FILM_PATH = `${MODELS}/clip:predictLongRunning`;
/** The host that accepts submissions and never answers them. */
export const MUTE = 'mute';
const UNANSWERED_PATH = `${MODELS}/${MUTE}:predictLongRunning`;
const HEADERS = { authorization: `Bearer ${keyFor(FILM_ACCOUNT)}` };
const ORDER_LIMIT_MS = 15_000;
/** Concurrent submissions arrive within this time in ms. */
const TOGETHER_MS = 300;

const film = (name: string, provider: string, dialect: string): object => ({
  id: `films/${name}`,
  outputModalities: ['video'],
  endpoints: [
    {
      provider,
      dialect,
      video: { seconds: [5], secondsDefault: 5 },
      pricings: { audio_and_video: [{ value: '0.2', unit: 'perSecond', currency: 'USD' }] },
    },
  ],
});

export const filmConfig = (
  simulator: SimulatorProcess,
  databaseUrl: string,
  folder: string,
): Record<string, unknown> => ({
  providers: {
    byteplus: { credential: 'sk-upstream-rt', baseUrl: `${simulator.url}/ark/api/v3` },
    alibaba: { credential: 'sk-upstream-rt', baseUrl: `${simulator.url}/dashscope@${MUTE}/api/v1` },
  },
  models: [film('clip', 'byteplus', 'ark-video'), film(MUTE, 'alibaba', 'dashscope-video')],
  keys: keysOf([FILM_ACCOUNT]),
  database: { url: databaseUrl, connectMs: 1000 },
  ledger: { journal: `${folder}/journal` },
  blobs: { folder: `${folder}/blobs` },
  seals: { keys: ['a-seal-key-for-tests-0123456789abcdef'] },
  operations: { pollEveryMs: 300, submitMs: 2000, unknownMs: 1000 },
});

/** Outcomes of a film without a crash: made and charged, failed by its host, or cancelled because its host never answered. */
export type FilmKind = 'made' | 'failing' | 'unanswered';

const MANNERS: Readonly<Record<FilmKind, string>> = { made: 'polls=2', failing: 'clip=fails polls=0', unanswered: '' };

/** Which film a text is about. */
export const filmIn = (text: string): string | undefined => /film \d+\./.exec(text)?.[0];

export class Films {
  readonly #stage: Stage;
  /** Operation names that callers got, and what they had requested. */
  readonly named = new Map<string, FilmKind>();
  ordered = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Submits at each node; a node that is killed meanwhile does not answer. Returns how many got a name. */
  async order(nodes: readonly GatewayProcess[], perNode: number, kind: FilmKind): Promise<number> {
    const places = nodes.flatMap((node) => Array.from({ length: perNode }, () => node));
    const names = await Promise.all(places.map((node) => this.#orderAt(node, kind)));
    return names.filter((name) => name !== undefined).length;
  }

  async #orderAt({ url }: GatewayProcess, kind: FilmKind): Promise<string | undefined> {
    const number = this.ordered++;
    await sleep(this.#stage.random() * TOGETHER_MS);
    const { status, text } = await ask({
      url,
      path: kind === 'unanswered' ? UNANSWERED_PATH : FILM_PATH,
      body: { instances: [{ prompt: `film ${number}. @simulate ${MANNERS[kind]}` }] },
      headers: HEADERS,
      limitMs: ORDER_LIMIT_MS,
    });
    if (status !== 200) return undefined;
    const { name } = JSON.parse(text) as { name: string };
    this.named.set(name, kind);
    return name;
  }

  /** The operation as its caller sees it. */
  async end({ url }: GatewayProcess, name: string): Promise<'open' | 'made' | 'failed'> {
    const path = `/api/vertex-ai/v1/${name.slice(0, name.indexOf('/operations/'))}:fetchPredictOperation`;
    const { status, text } = await ask({
      url,
      path,
      body: { operationName: name },
      headers: HEADERS,
      limitMs: ORDER_LIMIT_MS,
    });
    const { done, error } = JSON.parse(text) as { done?: boolean; error?: object };
    if (status !== 200 || done !== true) return 'open';
    return error === undefined ? 'made' : 'failed';
  }
}
