/** What a caller wants done. Each operation has a call and an answer of its own, and dialects that spell them. */
import type { TextCall } from './call.ts';
import type { EmbedCall } from './embedding.ts';
import type { ImageCall } from './image.ts';

export type Call = TextCall | EmbedCall | ImageCall;
export type OperationKind = Call['operation'];

/** After which failures another host may be asked for the same: any, or only those that prove that nothing was made. */
export const MAY_REPEAT: Readonly<Record<OperationKind, 'after any failure' | 'after proof'>> = {
  text: 'after any failure',
  embed: 'after any failure',
  image: 'after proof',
};
