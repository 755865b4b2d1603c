/** The kinds of work a caller can request. Each operation has its own call, its own answer and its own dialects. */
import type { TextCall } from './call.ts';
import type { EmbedCall } from './embedding.ts';
import type { ImageCall } from './image.ts';
import type { RerankCall } from './rerank.ts';

export type Call = TextCall | EmbedCall | RerankCall | ImageCall;
export type OperationKind = Call['operation'];

/**
 * After which failures the gateway may retry on another host: after any, or only after one that proves that nothing was
 * made.
 */
export const MAY_REPEAT: Readonly<Record<OperationKind, 'after any failure' | 'after proof'>> = {
  text: 'after any failure',
  embed: 'after any failure',
  rerank: 'after any failure',
  image: 'after proof',
};
