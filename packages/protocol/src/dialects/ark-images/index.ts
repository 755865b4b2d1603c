/**
 * Images at hosts of the Ark API, client half only: sizes in pixels, input images as data URLs, several images as one
 * set.
 */
import { decodeFault } from '../api-errors.ts';
import type { ImageDialect } from '../image-dialect.ts';
import { decodeAnswer, isBlocked } from './decode-answer.ts';
import { encodeCall, stances } from './encode-call.ts';

export const arkImages: ImageDialect = {
  id: 'ark-images',
  operation: 'image',
  stances,
  quirks: (own) => own,
  client: { encodeCall, decodeAnswer, isBlocked, decodeFault, sealRefusals: [] },
};
