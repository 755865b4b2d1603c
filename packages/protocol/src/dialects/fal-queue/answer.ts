/** Entries of this dialect's queue: an id, then a state, and then the images at a path of their own. */
import type { GeneratedImage, ImageAnswer } from '../../canonical/image.ts';
import type { Json } from '../../canonical/json.ts';
import { countOf } from '../image-answers.ts';
import { HELD_BACK, noImages } from '../image-calls.ts';
import { imageJob } from '../image-jobs.ts';
import { textAt, valuesAt } from '../json-paths.ts';
import { entryPath } from '../queue-paths.ts';

const MODERATED = 'content_policy_violation';

export const JOB = imageJob({
  pollEveryMs: 1000,
  id: 'request_id',
  state: 'status',
  underWay: new Set(['IN_QUEUE', 'IN_PROGRESS']),
  place: (id, { upstreamModel }) => {
    const resultPath = entryPath(upstreamModel, id);
    return { path: `${resultPath}/status`, resultPath };
  },
});

export const isBlocked = (status: number, body: Json | undefined): boolean =>
  status === 422 && textAt(body, 'detail[].type') === MODERATED;

export function decodeAnswer(body: Json): ImageAnswer {
  if (isBlocked(422, body)) {
    const blocked = textAt(body, 'detail[].msg') ?? HELD_BACK;
    return { images: [{ blocked }], usage: { pictures: 0 }, traits: {} };
  }
  const isHeldBack = valuesAt(body, 'has_nsfw_concepts[]');
  const images = valuesAt(body, 'images[].url').flatMap((url, at): GeneratedImage[] => {
    if (isHeldBack[at] === true) return [{ blocked: HELD_BACK }];
    return typeof url === 'string' ? [{ url }] : [];
  });
  if (images.length === 0) throw noImages();
  return { images, usage: { pictures: countOf(images) }, traits: {} };
}
