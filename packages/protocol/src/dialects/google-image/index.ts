/** Image models behind `:generateContent` with the IMAGE modality: client half only. */
import type { ImageDialect } from '../image-dialect.ts';
import { decodeFault } from '../rpc-errors.ts';
import { decodeAnswer } from './decode-answer.ts';
import { encodeCall, stances } from './encode-call.ts';
import { COMMON_IMAGE } from './quirks.ts';

export const googleImage: ImageDialect = {
  id: 'google-image',
  operation: 'image',
  stances,
  quirks: (own) => ({ ...COMMON_IMAGE, ...own }),
  client: { encodeCall, decodeAnswer, decodeFault, sealRefusals: [] },
};
