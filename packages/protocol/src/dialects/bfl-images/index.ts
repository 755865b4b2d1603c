/** FLUX images at the vendor's API, each a job that is polled: client half only. */

import type { ImageLoss, ImageStances } from '../../canonical/fields.ts';
import { cannotCarry, GatewayError } from '../../canonical/gateway-error.ts';
import type { ImageAnswer, ImageCall } from '../../canonical/image.ts';
import type { SizeLimits } from '../../canonical/image-limits.ts';
import type { Json } from '../../canonical/json.ts';
import { textAt } from '../../passes/json-paths.ts';
import { unsupported } from '../checking.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { base64Of, imageJob, JOB_FAILED, noImages, PLAIN_STANCES, planImage } from '../images.ts';
import type { ImageDialect } from '../media-dialects.ts';
import { decodeDetailFault } from '../upstream-errors.ts';

// Canonical call → a job for an upstream of this dialect. Masks are sent only to fill models, which declare support
// for them.

const ANY_SIZE: SizeLimits = { kind: 'free', multiple: 16, minSide: 64, maxSide: 2048, maxPixels: 4_194_304 };

const stances: ImageStances = {
  ...PLAIN_STANCES,
  'image.count': 'refused',
  'image.tier': 'dropped',
  'image.format': 'native',
  'image.seed': 'native',
  'image.enhancePrompt': 'mapped',
  // Inverted, and only for models that declare support for masks; others refuse it.
  'reference.mask': 'mapped',
};

function encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss> {
  if (call.count > 1) throw cannotCarry('image.count', 'must be at most 1 for this model');
  const { size, sources, mask, losses } = planImage(call, target, ANY_SIZE, { id: 'bfl-images', stances });
  if (mask !== undefined && target.model.image?.masks !== true)
    throw unsupported(mask.path, 'is a mask, which this model does not take');
  const isWebp = call.format === 'webp';
  if (isWebp) losses.add('image.format');
  const body: Record<string, Json> = {
    prompt: call.prompt,
    ...(size.pixels !== undefined && size.pixels !== 'auto' && { ...size.pixels }),
    ...(size.aspectRatio !== undefined && { aspect_ratio: size.aspectRatio }),
    ...(call.seed !== undefined && { seed: call.seed }),
    ...(call.enhancePrompt !== undefined && { prompt_upsampling: call.enhancePrompt }),
    // PNG is the default callers expect; the host's default is JPEG.
    output_format: isWebp ? 'png' : (call.format ?? 'png'),
  };
  if (mask === undefined) {
    for (const [at, { file }] of sources.entries())
      body[at === 0 ? 'input_image' : `input_image_${at + 1}`] = base64Of(file);
    return { body, losses: losses.all };
  }
  const [source] = sources;
  if (source === undefined || sources.length > 1) throw unsupported(mask.path, 'goes with exactly one image');
  return { body: { ...body, image: base64Of(source.file), mask: base64Of(mask.file) }, losses: losses.all };
}

// Jobs of this dialect: an id, then a state, then the URL of one image.

const MODERATED = /Moderated$/;

const JOB = imageJob({
  pollEveryMs: 1000,
  id: 'id',
  state: 'status',
  underWay: new Set(['Pending', 'Queued', 'Processing', 'Reasoning', 'Generating']),
  place: (id) => ({ path: `/get_result?id=${id}` }),
});

function decodeAnswer(body: Json): ImageAnswer {
  const status = textAt(body, 'status') ?? '';
  if (MODERATED.test(status))
    return { images: [{ blocked: `The provider said: ${status}.` }], usage: { pictures: 0 }, traits: {} };
  if (status !== 'Ready') throw new GatewayError(JOB_FAILED);
  const url = textAt(body, 'result.sample');
  if (url === undefined) throw noImages();
  return { images: [{ url }], usage: { pictures: 1 }, traits: {} };
}

export const bflImages: ImageDialect = {
  id: 'bfl-images',
  operation: 'image',
  stances,
  quirks: (own) => own,
  client: { encodeCall, editsWhere: 'white', decodeAnswer, job: JOB, decodeFault: decodeDetailFault, sealRefusals: [] },
};
