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
  /** Forms of a transcript it can be asked for, and what it charges of so many seconds. */
  readonly forms?: readonly string[];
  readonly seconds?: (seconds: number) => number;
  /** Words with times in its answer. */
  readonly words?: number;
};

const ALL_FORMS = ['json', 'verbose_json', 'text', 'srt', 'vtt', 'diarized_json'];
const exact = (seconds: number): number => seconds;

export const SOUND_MAKERS: readonly SoundMaker[] = [
  {
    provider: 'elevenlabs',
    path: '/v1',
    speaks: ['eleven_multilingual_v2', 'JBFqnCBsd6RMkjVDRZzb'],
    listens: 'scribe_v2',
    formats: ['mp3', 'opus', 'wav', 'pcm'],
    lacks: ['aac', 'flac'],
    forms: ALL_FORMS,
    seconds: exact,
    words: 11,
  },
  {
    provider: 'deepgram',
    path: '/v1',
    speaks: ['aura-2', 'thalia'],
    listens: 'nova-3',
    formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
    forms: ALL_FORMS,
    seconds: exact,
    words: 11,
  },
  // Segments without words, whole seconds, and words in events.
  {
    provider: 'mistral',
    path: '/v1',
    speaks: ['voxtral-mini-tts-3-0', 'voice_478'],
    listens: 'voxtral-mini-latest',
    formats: ['mp3', 'opus', 'flac', 'wav'],
    lacks: ['aac', 'pcm'],
    forms: ALL_FORMS,
    seconds: Math.ceil,
    words: 0,
  },
  {
    provider: 'cartesia',
    path: '',
    speaks: ['sonic-3', '6ccbfb76-1fc6-48f7-b71d-91ac6298247b'],
    listens: 'ink-whisper',
    formats: ['mp3', 'wav', 'pcm'],
    lacks: ['opus', 'aac', 'flac'],
    forms: ALL_FORMS.filter((form) => form !== 'diarized_json'),
    seconds: exact,
    words: 11,
  },
  // Brought, ordered and polled.
  { provider: 'assemblyai', path: '/v2', listens: 'universal-2', forms: ALL_FORMS, seconds: Math.ceil, words: 11 },
];

export const PER_CHARACTER_NANO = 180_000n;
export const PER_SECOND_NANO = 61_100n;

const audio = (value: string, unit: string) => ({ audio: [{ value, unit, currency: 'USD' }] });

const perToken = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];

const geminiModels = [
  {
    id: 'google/gemini-2.5-flash-preview-tts',
    inputModalities: ['text'],
    outputModalities: ['speech'],
    endpoints: [{ provider: 'google', pricings: { prompt: perToken('0.5'), audio: perToken('10') } }],
  },
  {
    id: 'google/gemini-3.5-transcribe',
    inputModalities: ['audio'],
    outputModalities: ['transcription'],
    endpoints: [
      {
        provider: 'google',
        pricings: { prompt: perToken('0.3'), completion: perToken('2.5'), audio: perToken('1') },
      },
    ],
  },
];

/** The dialect of each is found by its host. */
export const makersHosts: NonNullable<StandOptions['alsoHosts']> = (url) => ({
  providers: Object.fromEntries(
    SOUND_MAKERS.map(({ provider, path }) => [
      provider,
      { credential: UPSTREAM_SECRET, baseUrl: `${url}/${provider}${path}` },
    ]),
  ),
  models: [
    ...geminiModels,
    ...SOUND_MAKERS.flatMap(({ provider, speaks, listens }) => [
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
  ],
});
