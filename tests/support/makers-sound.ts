/** Makers of sound with formats of their own: a model that speaks and one that listens, for each. */
import type { StandOptions } from './stand.ts';
import { UPSTREAM_SECRET } from './stand.ts';

export type SoundMaker = {
  readonly provider: string;
  readonly path: string;
  /** The host's name of the model, and a voice it has. */
  readonly speaks?: readonly [model: string, voice: string];
  readonly listens?: string;
  /** Formats of speech it has, and those it has not. */
  readonly formats?: readonly string[];
  readonly lacks?: readonly string[];
};

export const SOUND_MAKERS: readonly SoundMaker[] = [
  {
    provider: 'elevenlabs',
    path: '/v1',
    speaks: ['eleven_multilingual_v2', 'JBFqnCBsd6RMkjVDRZzb'],
    listens: 'scribe_v2',
    formats: ['mp3', 'opus', 'wav', 'pcm'],
    lacks: ['aac', 'flac'],
  },
];

export const PER_CHARACTER_NANO = 180_000n;
export const PER_SECOND_NANO = 61_100n;

const audio = (value: string, unit: string) => ({ audio: [{ value, unit, currency: 'USD' }] });

/** The dialect of each is found by its host. */
export const makersHosts: NonNullable<StandOptions['alsoHosts']> = (url) => ({
  providers: Object.fromEntries(
    SOUND_MAKERS.map(({ provider, path }) => [
      provider,
      { credential: UPSTREAM_SECRET, baseUrl: `${url}/${provider}${path}` },
    ]),
  ),
  models: SOUND_MAKERS.flatMap(({ provider, speaks, listens }) => [
    ...(speaks === undefined
      ? []
      : [
          {
            id: `${provider}/${speaks[0]}`,
            inputModalities: ['text'],
            outputModalities: ['speech'],
            endpoints: [{ provider, pricings: audio('0.00018', 'perCount') }],
          },
        ]),
    ...(listens === undefined
      ? []
      : [
          {
            id: `${provider}/${listens}`,
            inputModalities: ['audio'],
            outputModalities: ['transcription'],
            endpoints: [{ provider, pricings: audio('0.0000611', 'perSecond') }],
          },
        ]),
  ]),
});
