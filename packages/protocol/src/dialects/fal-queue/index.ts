/** Images from a queue with one path per model, polled and then fetched: client half only. */
import { decodeFault } from '../detail-errors.ts';
import type { ImageDialect } from '../image-dialect.ts';
import { decodeAnswer, isBlocked, JOB } from './answer.ts';
import { encodeCall, stances } from './encode-call.ts';
import { COMMON_QUEUE } from './quirks.ts';

export const falQueue: ImageDialect = {
  id: 'fal-queue',
  operation: 'image',
  stances,
  quirks: (own) => ({ ...COMMON_QUEUE, ...own }),
  client: { encodeCall, decodeAnswer, isBlocked, job: JOB, decodeFault, sealRefusals: [] },
};
