/** Wire formats we know by name. A dialect is not a provider: many hosts speak one dialect. */
export const DIALECT_IDS = [
  'openai-chat',
  'openai-completions',
  'openai-responses',
  'anthropic-messages',
  'google-generate',
  'amazon-converse',
  'openai-embeddings',
  'google-embed',
  'cohere-rerank',
  'voyage-rerank',
  'tei-rerank',
  'bedrock-rerank',
  'openai-moderations',
  'openai-images',
  'google-predict',
  'google-image',
  'ark-images',
  'bfl-images',
  'dashscope-images',
  'fal-queue',
  'fal-video',
  'google-operations',
  'ark-video',
  'dashscope-video',
  'kling-video',
  'minimax-video',
  'xai-video',
  'openai-videos',
  'openai-speech',
  'openai-transcription',
  'elevenlabs-speech',
  'elevenlabs-transcription',
  'deepgram-speech',
  'deepgram-transcription',
  'mistral-transcription',
  'google-speech',
  'google-transcription',
  'cartesia-speech',
  'cartesia-transcription',
  'assemblyai-transcription',
] as const;

export type DialectId = (typeof DIALECT_IDS)[number];

/** Fields that only one dialect understands, stored at the node where they were found and read by that dialect only. */
export type Extras = Readonly<Partial<Record<DialectId, JsonExtras>>>;
type JsonExtras = { readonly [name: string]: import('./json.ts').Json };
