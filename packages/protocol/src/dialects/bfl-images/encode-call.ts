/**
 * Canonical call → a job for an upstream of this dialect. Masks are sent only to fill models, which declare support for
 * them.
 */

import type { ImageLoss, ImageStances } from '../../canonical/fields.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import type { ImageCall } from '../../canonical/image.ts';
import type { SizeLimits } from '../../canonical/image-limits.ts';
import type { Json } from '../../canonical/json.ts';
import { unsupported } from '../checking.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { base64Of, PLAIN_STANCES, planImage } from '../image-calls.ts';

const ANY_SIZE: SizeLimits = { kind: 'free', multiple: 16, minSide: 64, maxSide: 2048, maxPixels: 4_194_304 };

export const stances: ImageStances = {
  ...PLAIN_STANCES,
  'image.count': 'refused',
  'image.tier': 'dropped',
  'image.format': 'native',
  'image.seed': 'native',
  'image.enhancePrompt': 'mapped',
  // Inverted, and only for models that declare support for masks; others refuse it.
  'reference.mask': 'mapped',
};

export function encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss> {
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
