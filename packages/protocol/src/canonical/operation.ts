/** What a caller wants done. Each operation has a call and an answer of its own, and dialects that spell them. */
import type { TextCall } from './call.ts';
import type { EmbedCall } from './embedding.ts';
import type { ImageCall } from './image.ts';

export type Call = TextCall | EmbedCall | ImageCall;
export type Operation = Call['operation'];
