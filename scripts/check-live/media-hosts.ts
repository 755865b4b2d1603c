/** A host of every format for vectors, ranks, pictures, sound and clips, all of them at one address. */
import { type Config, loadConfig } from '@trivium/gateway';
import { CALLER, KEY_PAIR, SECRET } from './hosts.ts';

type Row = readonly [format: string, provider: string, upstreamModel: string, more?: object];

const usd = (value: string, unit: string) => [{ value, unit, currency: 'USD' }];
const TOKENS = { prompt: usd('1', 'perMTokens') };
const UNITS = { prompt: usd('0.002', 'perCount') };
const PICTURES = { image: usd('0.002', 'perCount') };
const SPOKEN = { audio: usd('0.00002', 'perCount') };
const HEARD = { audio: usd('0.0001', 'perSecond') };
const SPOKEN_TOKENS = { ...TOKENS, audio: usd('10', 'perMTokens') };
const HEARD_TOKENS = { ...SPOKEN_TOKENS, completion: usd('4', 'perMTokens') };
const CLIPS = { audio_and_video: usd('0.001', 'perSecond') };
const VIDEO = { videosMax: 1, seconds: [4, 5, 6, 8], secondsDefault: 8, resolutions: ['720p'], audio: 'choice' };
const clip = (more: object = {}) => ({ video: { ...VIDEO, ...more } });

const OF: Readonly<Record<string, { readonly outputModalities: readonly string[]; readonly pricings: object }>> = {
  embed: { outputModalities: ['embedding'], pricings: TOKENS },
  rerank: { outputModalities: ['rerank'], pricings: UNITS },
  moderate: { outputModalities: ['moderation'], pricings: TOKENS },
  image: { outputModalities: ['image'], pricings: PICTURES },
  video: { outputModalities: ['video', 'audio'], pricings: CLIPS },
  speech: { outputModalities: ['speech'], pricings: SPOKEN },
  transcription: { outputModalities: ['transcription'], pricings: HEARD },
};

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  embed: [
    ['openai-embeddings', 'openai', 'text-embedding-3-small'],
    ['google-embed', 'google', 'gemini-embedding-001'],
  ],
  rerank: [
    ['cohere-rerank', 'cohere', 'rerank-v3.5'],
    ['voyage-rerank', 'voyage', 'rerank-2.5', { pricings: TOKENS }],
    ['tei-rerank', 'tei', 'tei-reranker', { pricings: TOKENS }],
    ['bedrock-rerank', 'amazon-bedrock', 'arn:aws:bedrock:us-east-1::foundation-model/cohere.rerank-v3-5:0'],
  ],
  moderate: [['openai-moderations', 'openai', 'omni-moderation-latest']],
  image: [
    ['openai-images', 'openai', 'gpt-image-1.5'],
    ['google-predict', 'google', 'imagen-4'],
    ['ark-images', 'byteplus', 'seedream-4-0-250828'],
    ['bfl-images', 'bfl', 'flux-2-pro'],
    ['dashscope-images', 'alibaba', 'wan2.7-image'],
    ['fal-queue', 'fal', 'fal-ai/flux-2-pro'],
  ],
  video: [
    ['fal-video', 'fal', 'fal-ai/bytedance/seedance/v1/pro', clip()],
    ['google-operations', 'google', 'veo-3.1-generate-preview', clip({ audio: 'always' })],
    ['ark-video', 'byteplus', 'seedance-1-0-pro', clip()],
    ['dashscope-video', 'alibaba', 'wan2.7-t2v', clip()],
    ['kling-video', 'klingai', 'kling-v3', clip({ seconds: [5, 10], secondsDefault: 5 })],
    [
      'minimax-video',
      'minimax',
      'MiniMax-Hailuo-2.3',
      clip({ seconds: [6, 10], secondsDefault: 6, resolutions: ['768P'] }),
    ],
    ['xai-video', 'xai', 'grok-imagine-video', clip()],
    ['openai-videos', 'sora', 'sora-2', clip()],
  ],
  speech: [
    ['openai-speech', 'openai', 'tts-1'],
    ['elevenlabs-speech', 'elevenlabs', 'eleven_multilingual_v2'],
    ['deepgram-speech', 'deepgram', 'aura-2'],
    ['google-speech', 'google', 'gemini-2.5-flash-preview-tts', { pricings: SPOKEN_TOKENS }],
    ['cartesia-speech', 'cartesia', 'sonic-3'],
    ['mistral-speech', 'mistral', 'voxtral-mini-tts-3-0'],
  ],
  transcription: [
    ['openai-transcription', 'openai', 'gpt-4o-transcribe', { pricings: HEARD_TOKENS }],
    ['elevenlabs-transcription', 'elevenlabs', 'scribe_v2'],
    ['deepgram-transcription', 'deepgram', 'nova-3'],
    ['mistral-transcription', 'mistral', 'voxtral-mini-latest'],
    ['google-transcription', 'google', 'gemini-3.5-transcribe', { pricings: HEARD_TOKENS }],
    ['cartesia-transcription', 'cartesia', 'ink-whisper'],
    ['assemblyai-transcription', 'assemblyai', 'universal-2'],
  ],
};

const modelOf = ([dialect, provider, upstreamModel, more = {}]: Row, kind: string) => {
  const { outputModalities, pricings } = OF[kind] ?? { outputModalities: [], pricings: {} };
  return {
    id: `check/${dialect}`,
    inputModalities: kind === 'transcription' ? ['audio'] : ['text'],
    outputModalities,
    ...(kind === 'rerank' && { contextLength: 8192 }),
    endpoints: [{ provider, dialect, upstreamModel, pricings, ...more }],
  };
};

/** Asked through the format for text that its host has. */
const BESIDE = {
  id: 'check/google-image',
  inputModalities: ['text', 'image'],
  outputModalities: ['text', 'image'],
  endpoints: [
    {
      provider: 'google',
      dialect: 'google-generate',
      upstreamModel: 'gemini-3-pro-image',
      pricings: { ...TOKENS, completion: usd('4', 'perMTokens'), image: usd('5', 'perMTokens') },
    },
  ],
};

export function mediaConfig(url: string): Config {
  const outcome = loadConfig({
    env: {},
    text: JSON.stringify({
      log: { level: 'silent' },
      keys: [{ name: 'only', secret: CALLER }],
      providers: {
        openai: { credential: SECRET, baseUrl: `${url}/openai/v1` },
        google: { credential: SECRET, baseUrl: `${url}/google/v1beta` },
        cohere: { credential: SECRET, baseUrl: `${url}/cohere/v2` },
        voyage: { credential: SECRET, baseUrl: `${url}/voyage/v1` },
        tei: { baseUrl: `${url}/tei` },
        'amazon-bedrock': {
          credential: KEY_PAIR,
          baseUrl: `${url}/bedrock-agent`,
          variables: { region: 'us-east-1' },
        },
        byteplus: { credential: SECRET, baseUrl: `${url}/ark/api/v3` },
        alibaba: { credential: SECRET, baseUrl: `${url}/dashscope/api/v1` },
        bfl: { credential: SECRET, baseUrl: `${url}/bfl/v1` },
        fal: { credential: SECRET, baseUrl: `${url}/fal` },
        xai: { credential: SECRET, baseUrl: `${url}/xai/v1` },
        klingai: { credential: `access-key:${SECRET}`, baseUrl: `${url}/kling` },
        minimax: { credential: SECRET, baseUrl: `${url}/minimax/v1` },
        sora: { dialect: 'openai-videos', baseUrl: `${url}/openai/v1`, credential: SECRET },
        elevenlabs: { credential: SECRET, baseUrl: `${url}/elevenlabs/v1` },
        deepgram: { credential: SECRET, baseUrl: `${url}/deepgram/v1` },
        cartesia: { credential: SECRET, baseUrl: `${url}/cartesia` },
        mistral: { credential: SECRET, baseUrl: `${url}/mistral/v1` },
        assemblyai: { credential: SECRET, baseUrl: `${url}/assemblyai/v2` },
      },
      models: [...Object.entries(ROWS).flatMap(([kind, rows]) => rows.map((row) => modelOf(row, kind))), BESIDE],
    }),
  });
  if ('problems' in outcome) throw new Error(JSON.stringify(outcome.problems));
  return outcome.config;
}

/** Which host is asked in a format. */
export const MEDIA_PLACES: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.values(ROWS)
    .flat()
    .map(([format, provider]) => [format, provider]),
  ['google-image', 'google'],
]);
export const MEDIA_FORMATS = Object.keys(MEDIA_PLACES);
