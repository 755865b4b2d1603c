/** Images from a queue with one path per model, polled and then fetched: client half only. */

import type { ImageLoss, ImageStances } from '../../canonical/fields.ts';
import type { GeneratedImage, ImageAnswer, ImageCall, ImageFormat } from '../../canonical/image.ts';
import type { SizeLimits } from '../../canonical/image-limits.ts';
import type { Json } from '../../canonical/json.ts';
import { entryPath, textAt, valuesAt } from '../../passes/json-paths.ts';
import { unsupported } from '../checking.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import {
  countOf,
  dataUrlOf,
  HELD_BACK,
  type ImagePlan,
  imageJob,
  noImages,
  PLAIN_STANCES,
  planImage,
} from '../images.ts';
import type { ImageDialect } from '../media-dialects.ts';
import { decodeDetailFault } from '../upstream-errors.ts';

// Models of a host with unusual paths: a closed, flat record, read by this folder only.

export interface QueueQuirks {
  /** Name prefixes of models whose text-only calls go to `…/text-to-image`. */
  readonly wordsApart: readonly string[];
  /** Name prefixes of models that edit at their own path, with at most one input image. */
  readonly onePicture: readonly string[];
}

const COMMON_QUEUE: QueueQuirks = { wordsApart: [], onePicture: [] };

// Canonical call → an entry of an upstream's queue. The path depends on whether the call has input images.

const ANY_SIZE: SizeLimits = { kind: 'free', multiple: 16, maxSide: 4096, tiers: ['1K', '2K', '4K'] };

const stances: ImageStances = {
  ...PLAIN_STANCES,
  'image.format': 'native',
  'image.seed': 'native',
};

function encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss> {
  const plan = planImage(call, target, ANY_SIZE, { id: 'fal-queue', stances });
  if (plan.mask !== undefined) throw unsupported(plan.mask.path, 'is a mask, which this model does not take');
  const { losses } = plan;
  const format = formatFor(call, target);
  if (call.format !== undefined && call.format !== format) losses.add('image.format');
  const { pictures, action } = roadOf(plan, target);
  const { pixels, aspectRatio } = plan.size;
  const body: Record<string, Json> = {
    prompt: call.prompt,
    ...pictures,
    ...(pixels !== undefined && pixels !== 'auto' && { image_size: { ...pixels } }),
    ...(aspectRatio !== undefined && { aspect_ratio: aspectRatio }),
    ...(call.count > 1 && { num_images: call.count }),
    ...(call.seed !== undefined && { seed: call.seed }),
    ...(format !== undefined && { output_format: format }),
  };
  return { body, losses: losses.all, ...(action !== undefined && { action }) };
}

/** Only models with known formats get a format parameter; PNG is the default callers expect. */
function formatFor(call: ImageCall, { model }: TargetFacts): ImageFormat | undefined {
  const formats = model.image?.formats ?? [];
  return formats.find((format) => format === call.format) ?? formats.find((format) => format === 'png');
}

type Road = { readonly pictures: Readonly<Record<string, Json>>; readonly action?: 'edit' | 'words' };

function roadOf({ sources }: ImagePlan, target: TargetFacts): Road {
  const { wordsApart, onePicture } = 'onePicture' in target.quirks ? (target.quirks as QueueQuirks) : COMMON_QUEUE;
  const isAmong = (starts: readonly string[]): boolean =>
    starts.some((start) => target.upstreamModel.startsWith(start));
  const [first, second] = sources;
  if (first === undefined) return { pictures: {}, ...(isAmong(wordsApart) && { action: 'words' }) };
  if (!isAmong(onePicture))
    return { pictures: { image_urls: sources.map(({ file }) => dataUrlOf(file)) }, action: 'edit' };
  if (second !== undefined) throw unsupported(second.path, 'is a second picture, and this model takes one');
  return { pictures: { image_url: dataUrlOf(first.file) } };
}

// Entries of this dialect's queue: an id, then a state, and then the images at a path of their own.

const MODERATED = 'content_policy_violation';

const JOB = imageJob({
  pollEveryMs: 1000,
  id: 'request_id',
  state: 'status',
  underWay: new Set(['IN_QUEUE', 'IN_PROGRESS']),
  place: (id, { upstreamModel }) => {
    const resultPath = entryPath(upstreamModel, id);
    return { path: `${resultPath}/status`, resultPath };
  },
});

const isBlocked = (status: number, body: Json | undefined): boolean =>
  status === 422 && textAt(body, 'detail[].type') === MODERATED;

function decodeAnswer(body: Json): ImageAnswer {
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

export const falQueue: ImageDialect = {
  id: 'fal-queue',
  operation: 'image',
  stances,
  quirks: (own) => ({ ...COMMON_QUEUE, ...own }),
  client: { encodeCall, decodeAnswer, isBlocked, job: JOB, decodeFault: decodeDetailFault, sealRefusals: [] },
};
