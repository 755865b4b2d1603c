/** Jobs of this dialect: an id, then a state, then the URL of one image. */
import { GatewayError } from '../../canonical/gateway-error.ts';
import type { ImageAnswer } from '../../canonical/image.ts';
import type { Json } from '../../canonical/json.ts';
import { noImages } from '../image-calls.ts';
import { imageJob, JOB_FAILED } from '../image-jobs.ts';
import { textAt } from '../json-paths.ts';

const MODERATED = /Moderated$/;

export const JOB = imageJob({
  pollEveryMs: 1000,
  id: 'id',
  state: 'status',
  underWay: new Set(['Pending', 'Queued', 'Processing', 'Reasoning', 'Generating']),
  place: (id) => ({ path: `/get_result?id=${id}` }),
});

export function decodeAnswer(body: Json): ImageAnswer {
  const status = textAt(body, 'status') ?? '';
  if (MODERATED.test(status))
    return { images: [{ blocked: `The provider said: ${status}.` }], usage: { pictures: 0 }, traits: {} };
  if (status !== 'Ready') throw new GatewayError(JOB_FAILED);
  const url = textAt(body, 'result.sample');
  if (url === undefined) throw noImages();
  return { images: [{ url }], usage: { pictures: 1 }, traits: {} };
}
