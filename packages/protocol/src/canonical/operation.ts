/** The kinds of work a caller can request. Each operation has its own call, its own answer and its own dialects. */
import type { TextCall } from './call.ts';
import type { EmbedCall } from './embedding.ts';
import type { ImageCall } from './image.ts';
import type { ModerateCall } from './moderation.ts';
import type { RerankCall } from './rerank.ts';
import type { SpeechCall, TranscriptionCall } from './sound.ts';

type SoundCall = SpeechCall | TranscriptionCall;
export type Call =
  | TextCall
  | EmbedCall
  | RerankCall
  | ModerateCall
  | ImageCall
  // Spoken text, and recordings.
  | SoundCall;
export type OperationKind = Call['operation'];

/**
 * After which failures the gateway may retry on another host: after any, or only after one that proves that nothing was
 * made.
 */
export const MAY_REPEAT: Readonly<Record<OperationKind, 'after any failure' | 'after proof'>> = {
  text: 'after any failure',
  embed: 'after any failure',
  rerank: 'after any failure',
  moderate: 'after any failure',
  image: 'after proof',
  speech: 'after any failure',
  transcription: 'after any failure',
};
