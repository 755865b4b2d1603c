/**
 * Video calls over `:predictLongRunning`, to every dialect's strict vendor, on a gateway with its own database. Checked are
 * the caller's answers, the vendor's requests, and the ledger.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect } from 'vitest';
import { freshDatabase, type TestDatabase } from './database.ts';
import { type Json, postJson, type Reply } from './embed-probe.ts';
import { KEY, openStand, STRICT_KEY, type Stand, type StandOptions, UPSTREAM_SECRET } from './stand.ts';

export { type Json, KEY, postJson, type Reply, STRICT_KEY };

/** Of the shipped catalogue. */
export const VEO = 'google/veo-3.1';
export const SEEDANCE = 'bytedance/seedance-2.0';
export const WAN = 'alibaba/wan2.7-t2v';
export const WAN_IMAGE = 'alibaba/wan2.7-i2v';
export const HAILUO = 'minimax/hailuo-2.3';
export const GROK = 'x-ai/grok-imagine-video';
export const KLING = 'klingai/kling-v3';
/** The cloud form, and the one dialect without its original vendor. */
export const CLOUD = 'google/veo-3.1:google-vertex';
export const SORA = 'sora/sora';

/** An own model at a queue. */
export const QUEUED = 'queued/seedance';

/** A pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const JPEG =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=';

const CLIPS = { inputModalities: ['text', 'image'], outputModalities: ['video', 'audio'] };
const PER_SECOND = { audio_and_video: [{ value: '0.4', unit: 'perSecond', currency: 'USD' }] };

/** At the most permissive dialect. */
const arkModel = (id: string, video: object, prices: object = { pricings: PER_SECOND }): object => ({
  id,
  ...CLIPS,
  endpoints: [{ provider: 'byteplus', dialect: 'ark-video', video, ...prices }],
});

const perSecond = (value: string) => [{ value, unit: 'perSecond', currency: 'USD' }];

/** Priced with and without audio, at two resolutions. */
export const PRICED = 'priced/clips';
const PRICES = {
  priceBasis: '720p',
  priceWhen: { resolution: ['720p'] },
  pricings: { video: perSecond('0.2'), audio_and_video: perSecond('0.4') },
  otherPrices: [
    {
      basis: '1080p',
      when: { resolution: ['1080p'] },
      pricings: { video: perSecond('0.5'), audio_and_video: perSecond('0.7') },
    },
  ],
};
/** Never makes audio. */
export const SILENT = 'priced/silent';
export const FIVE_OR_EIGHT = 'limited/five-or-eight';

const videoHosts: NonNullable<StandOptions['alsoHosts']> = (url, simulator) => ({
  providers: {
    byteplus: { credential: UPSTREAM_SECRET, baseUrl: `${url}/ark/api/v3` },
    alibaba: { credential: UPSTREAM_SECRET, baseUrl: `${url}/dashscope/api/v1` },
    minimax: { credential: UPSTREAM_SECRET, baseUrl: `${url}/minimax/v1` },
    xai: { credential: UPSTREAM_SECRET, baseUrl: `${url}/xai/v1` },
    fal: { credential: UPSTREAM_SECRET, baseUrl: `${url}/fal` },
    klingai: { credential: 'access-key:secret-key-0123456789', baseUrl: `${url}/kling` },
    sora: { dialect: 'openai-videos', baseUrl: `${url}/openai/v1`, credential: UPSTREAM_SECRET },
    'google-vertex': {
      credential: simulator?.serviceAccount() ?? '',
      baseUrl: `${url}/vertex`,
      variables: { project: 'p', region: 'europe-west1' },
    },
  },
  models: [
    arkModel(PRICED, { seconds: [4, 8], secondsDefault: 8, resolutions: ['720p', '1080p'], audio: 'choice' }, PRICES),
    arkModel(SILENT, { seconds: [4, 8], secondsDefault: 8, resolutions: ['720p', '1080p'], audio: 'none' }, PRICES),
    arkModel('fixed/clips', { videosMax: 1, audio: 'choice' }),
    arkModel('limited/short', { seconds: [4, 8], secondsDefault: 8, resolutions: ['720p'], audio: 'none' }),
    arkModel('limited/long', {
      seconds: [4, 8, 10],
      secondsDefault: 8,
      resolutions: ['720p', '1080p'],
      audio: 'choice',
    }),
    arkModel(FIVE_OR_EIGHT, { seconds: [5, 8], secondsDefault: 5, resolutions: ['720p'], audio: 'choice' }),
    {
      id: QUEUED,
      ...CLIPS,
      endpoints: [
        {
          provider: 'fal',
          dialect: 'fal-video',
          upstreamModel: 'fal-ai/bytedance/seedance/v1/pro',
          pricings: PER_SECOND,
          video: {
            videosMax: 1,
            seconds: [5, 10],
            secondsDefault: 5,
            resolutions: ['720p'],
            lastFrame: true,
            audio: 'choice',
          },
        },
      ],
    },
    {
      id: SORA,
      ...CLIPS,
      endpoints: [
        {
          provider: 'sora',
          dialect: 'openai-videos',
          pricings: PER_SECOND,
          video: { videosMax: 1, seconds: [4, 8, 12], secondsDefault: 4, resolutions: ['720p'], audio: 'always' },
        },
      ],
    },
  ],
});

export type VideoStand = Stand & {
  readonly database: TestDatabase;
  readonly db: Client;
  readonly folder: string;
  submit(model: string, instance: Json, parameters?: Json, headers?: Record<string, string>): Promise<Reply>;
  submitBody(model: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  poll(name: string, key?: string): Promise<Reply>;
  /** The finished operation. */
  finished(name: string): Promise<Json>;
  /** The finished operation of an accepted submission. */
  made(model: string, instance: Json, parameters?: Json): Promise<Json>;
};

export type VideoStandOptions = {
  readonly config?: Record<string, unknown>;
  readonly database?: TestDatabase;
};

const videoConfig = (database: TestDatabase, folder: string): Record<string, unknown> => ({
  database: { url: database.url },
  ledger: { journal: join(folder, 'journal') },
  blobs: { folder: join(folder, 'blobs') },
  operations: { pollEveryMs: 50 },
  seals: { keys: ['a-seal-key-for-tests-0123456789abcdef'] },
});

export const genaiUrl = (stand: Pick<Stand, 'url'>, path: string): string => `${stand.url}/api/vertex-ai/v1/${path}`;

export const publisherPath = (model: string): string => {
  const slash = model.indexOf('/');
  return `publishers/${model.slice(0, slash)}/models/${model.slice(slash + 1)}`;
};

export async function openVideoStand(options: VideoStandOptions = {}): Promise<VideoStand> {
  const database = options.database ?? (await freshDatabase());
  const folder = mkdtempSync(join(tmpdir(), 'trivium-video-'));
  const stand = await openStand({
    alsoHosts: videoHosts,
    config: () => ({ ...videoConfig(database, folder), ...options.config }),
  });
  const db = new Client({ connectionString: database.url });
  await db.connect();
  const submitBody: VideoStand['submitBody'] = (model, body, headers = {}) =>
    postJson(genaiUrl(stand, `${publisherPath(model)}:predictLongRunning`), body, headers);
  const poll: VideoStand['poll'] = (name, key = KEY) =>
    postJson(
      genaiUrl(stand, `${name.slice(0, name.indexOf('/operations/'))}:fetchPredictOperation`),
      { operationName: name },
      { authorization: `Bearer ${key}` },
    );
  const finished: VideoStand['finished'] = async (name) => {
    const until = performance.now() + 20_000;
    for (;;) {
      const { status, json } = await poll(name);
      expect(status, JSON.stringify(json)).toBe(200);
      if (json['done'] === true) return json;
      if (performance.now() > until) throw new Error(`${name} does not end`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return {
    ...stand,
    database,
    db,
    folder,
    submitBody,
    submit: (model, instance, parameters, headers) =>
      submitBody(model, { instances: [instance], ...(parameters !== undefined && { parameters }) }, headers),
    poll,
    finished,
    made: async (model, instance, parameters) => {
      const body = { instances: [instance], ...(parameters !== undefined && { parameters }) };
      const { status, json } = await submitBody(model, body);
      expect(status, JSON.stringify(json)).toBe(200);
      return finished(nameIn(json));
    },
    close: async () => {
      await db.end();
      await stand.close();
      if (options.database === undefined) await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function nameIn({ name }: Json): string {
  if (typeof name !== 'string') throw new Error('no name');
  return name;
}

export const idIn = (json: Json): string => nameIn(json).split('/').at(-1) ?? '';
