/**
 * The meters that upstreams of each wire format can report, so that a missing price is found before anything is spent.
 */
import type { Meter } from '@trivium/protocol/canonical';

const CHAT: readonly Meter[] = [
  'prompt',
  'inputCacheRead',
  'inputCacheWrite',
  'inputAudio',
  'completion',
  'internalReasoning',
  'outputAudio',
  'webSearch',
];
const PICTURES: readonly Meter[] = ['pictures'];
const VIDEO: readonly Meter[] = ['videos', 'videoSeconds'];

export const METERS_OF_DIALECT: Readonly<Record<string, readonly Meter[]>> = {
  'openai-chat': CHAT,
  'openai-responses': ['prompt', 'inputCacheRead', 'inputCacheWrite', 'completion', 'internalReasoning'],
  'anthropic-messages': [
    'prompt',
    'inputCacheRead',
    'inputCacheWrite5Min',
    'inputCacheWrite1H',
    'completion',
    'internalReasoning',
    'webSearch',
  ],
  'google-generate': [
    'prompt',
    'inputCacheRead',
    'inputImage',
    'inputAudio',
    'inputDocument',
    'toolUsePrompt',
    'completion',
    'internalReasoning',
    'outputImage',
    'outputAudio',
    'webSearch',
  ],
  'amazon-converse': [
    'prompt',
    'inputCacheRead',
    'inputCacheWrite',
    'inputCacheWrite5Min',
    'inputCacheWrite1H',
    'completion',
  ],
  'openai-embeddings': ['prompt'],
  'google-embed': ['prompt'],
  'cohere-rerank': ['prompt', 'searchUnits'],
  'openai-speech': ['prompt', 'outputAudio', 'characters'],
  'openai-transcription': ['prompt', 'inputAudio', 'completion', 'audioSeconds'],
  'elevenlabs-speech': ['characters'],
  'elevenlabs-transcription': ['audioSeconds'],
  'voyage-rerank': ['prompt'],
  'tei-rerank': ['prompt'],
  'bedrock-rerank': ['searchUnits'],
  'openai-moderations': ['prompt'],
  'openai-images': ['prompt', 'inputCacheRead', 'inputImage', 'outputImage', 'pictures'],
  'google-predict': PICTURES,
  'ark-images': PICTURES,
  'bfl-images': PICTURES,
  'dashscope-images': PICTURES,
  'azure-flux-images': PICTURES,
  'fal-queue': PICTURES,
  'google-operations': VIDEO,
  'openai-videos': VIDEO,
  'ark-video': [...VIDEO, 'outputVideo'],
  'kling-video': VIDEO,
  'minimax-video': VIDEO,
  'dashscope-video': VIDEO,
  'xai-video': VIDEO,
  'fal-video': VIDEO,
};
