/** Images in the format of chat completions' home, both halves. */

import type { ImageDialect, ImageServerHalf } from '../media-dialects.ts';
import { decodeApiFault } from '../upstream-errors.ts';
import { decodeAnswer, encodeAnswer, isBlocked } from './answer.ts';
import { encodeCall } from './encode-call.ts';
import { COMMON_IMAGES, quirksOf } from './quirks.ts';
import { spelling, stances } from './stances.ts';
import { eventDecoder, eventEncoder, streamFault } from './stream.ts';
import { understand } from './understand.ts';

export const openaiImages: ImageDialect & { readonly server: ImageServerHalf } = {
  id: 'openai-images',
  operation: 'image',
  stances,
  quirks: (own) => ({ ...COMMON_IMAGES, ...own }),
  server: {
    understand,
    encodeAnswer,
    streaming: { eventEncoder, streamFault, keepAlive: ': keep-alive\n\n' },
    spelling,
  },
  client: {
    encodeCall,
    decodeAnswer,
    takesQuality: (target) => quirksOf(target).imageSettings,
    isBlocked,
    streaming: { streams: (target) => quirksOf(target).streamsImages, eventDecoder },
    decodeFault: decodeApiFault,
    sealRefusals: [],
  },
};
