/** What `trivium dev` offers of the simulator: a model of each protocol, and models of pictures, videos, sound and reranking. */

/** Not free, so that the accounts show charges. */
const price = (value: string, unit: string) => [{ value, unit, currency: 'USD' }];
const TEXT_PRICES = { prompt: price('0.15', 'perMTokens'), completion: price('0.6', 'perMTokens') };

export const DEV_MODEL = 'simulator/echo';

const CREDENTIAL = 'env:TRIVIUM_DEV_UPSTREAM_KEY';

export const devProviders = (simulatorUrl: string): object => ({
  simulator: {
    displayName: 'Simulator',
    dialect: 'openai-chat',
    baseUrl: `${simulatorUrl}/openai/v1`,
    credential: CREDENTIAL,
  },
  'simulator-messages': {
    displayName: 'Simulator, messages',
    dialect: 'anthropic-messages',
    auth: 'x-api-key',
    baseUrl: `${simulatorUrl}/anthropic`,
    credential: CREDENTIAL,
  },
  'simulator-images': {
    displayName: 'Simulator, images',
    dialect: 'openai-images',
    baseUrl: `${simulatorUrl}/compatible/v1`,
    credential: CREDENTIAL,
  },
  'simulator-rerank': {
    displayName: 'Simulator, reranking',
    dialect: 'cohere-rerank',
    baseUrl: `${simulatorUrl}/cohere/v2`,
    credential: CREDENTIAL,
  },
  'simulator-gemini': {
    displayName: 'Simulator, generate content',
    dialect: 'google-generate',
    auth: 'x-goog-api-key',
    baseUrl: `${simulatorUrl}/google/v1beta`,
    credential: CREDENTIAL,
  },
});

export const devModels = (): readonly object[] => [
  {
    id: DEV_MODEL,
    description: 'The simulator, for trying things out.',
    inputModalities: ['text', 'image'],
    endpoints: [{ provider: 'simulator', upstreamModel: 'gpt-4o-mini', pricings: TEXT_PRICES }],
  },
  {
    id: 'simulator/claude',
    description: 'The simulator, in the messages protocol.',
    inputModalities: ['text', 'image'],
    endpoints: [{ provider: 'simulator-messages', upstreamModel: 'claude-sonnet-4-5', pricings: TEXT_PRICES }],
  },
  {
    id: 'simulator/gemini',
    description: 'The simulator, in the generate-content protocol.',
    inputModalities: ['text', 'image'],
    endpoints: [{ provider: 'simulator-gemini', upstreamModel: 'gemini-2.5-flash', pricings: TEXT_PRICES }],
  },
  {
    id: 'simulator/image',
    description: 'The simulator, making images.',
    inputModalities: ['text', 'image'],
    outputModalities: ['image'],
    endpoints: [
      {
        provider: 'simulator-images',
        upstreamModel: 'gpt-image-2',
        pricings: { image: price('0.04', 'perCount') },
      },
    ],
  },
  {
    id: 'simulator/speech',
    description: 'The simulator, speaking.',
    outputModalities: ['speech'],
    endpoints: [{ provider: 'simulator', upstreamModel: 'tts-1', pricings: { audio: price('0.000015', 'perCount') } }],
  },
  {
    id: 'simulator/transcription',
    description: 'The simulator, listening.',
    inputModalities: ['audio'],
    outputModalities: ['transcription'],
    endpoints: [
      { provider: 'simulator', upstreamModel: 'whisper-1', pricings: { audio: price('0.0001', 'perSecond') } },
    ],
  },
  {
    id: 'simulator/rerank',
    description: 'The simulator, ranking documents.',
    outputModalities: ['rerank'],
    endpoints: [
      { provider: 'simulator-rerank', upstreamModel: 'rerank-v3.5', pricings: { prompt: price('0.002', 'perCount') } },
    ],
  },
  {
    id: 'simulator/video',
    description: 'The simulator, making videos.',
    inputModalities: ['text', 'image'],
    outputModalities: ['video', 'audio'],
    endpoints: [
      {
        provider: 'simulator',
        dialect: 'openai-videos',
        upstreamModel: 'sora-2',
        video: { videosMax: 1, seconds: [4, 8], secondsDefault: 4, resolutions: ['720p'], audio: 'always' },
        pricings: { audio_and_video: price('0.4', 'perSecond') },
      },
    ],
  },
];
