/** Images at hosts of the DashScope API, each call a task that is polled: client half only. */
import type { ImageDialect } from '../image-dialect.ts';
import { decodeAnswer, isBlocked, JOB } from './answer.ts';
import { encodeCall, stances } from './encode-call.ts';
import { decodeFault } from './faults.ts';
import { COMMON_DASHSCOPE_IMAGES } from './quirks.ts';

export const dashscopeImages: ImageDialect = {
  id: 'dashscope-images',
  operation: 'image',
  stances,
  quirks: (own) => ({ ...COMMON_DASHSCOPE_IMAGES, ...own }),
  client: { encodeCall, decodeAnswer, isBlocked, job: JOB, decodeFault, sealRefusals: [] },
};
