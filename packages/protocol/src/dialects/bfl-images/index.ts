/** FLUX images at the vendor's API, each a job that is polled: client half only. */

import { decodeFault } from '../detail-errors.ts';
import type { ImageDialect } from '../image-dialect.ts';
import { decodeAnswer, JOB } from './answer.ts';
import { encodeCall, stances } from './encode-call.ts';

export const bflImages: ImageDialect = {
  id: 'bfl-images',
  operation: 'image',
  stances,
  quirks: (own) => own,
  client: { encodeCall, editsWhere: 'white', decodeAnswer, job: JOB, decodeFault, sealRefusals: [] },
};
