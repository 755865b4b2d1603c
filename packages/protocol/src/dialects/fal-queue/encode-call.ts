/** Canonical call → an entry of an upstream's queue. The path depends on whether the call has input images. */
import type { ImageLoss, ImageStances } from '../../canonical/fields.ts';
import type { ImageCall, ImageFormat } from '../../canonical/image.ts';
import type { SizeLimits } from '../../canonical/image-limits.ts';
import type { Json } from '../../canonical/json.ts';
import { unsupported } from '../checking.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { dataUrlOf, type ImagePlan, PLAIN_STANCES, planImage } from '../image-calls.ts';
import { quirksOf } from './quirks.ts';

const ANY_SIZE: SizeLimits = { kind: 'free', multiple: 16, maxSide: 4096, tiers: ['1K', '2K', '4K'] };

export const stances: ImageStances = {
  ...PLAIN_STANCES,
  'image.format': 'native',
  'image.seed': 'native',
};

export function encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss> {
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
  const { wordsApart, onePicture } = quirksOf(target);
  const isAmong = (starts: readonly string[]): boolean =>
    starts.some((start) => target.upstreamModel.startsWith(start));
  const [first, second] = sources;
  if (first === undefined) return { pictures: {}, ...(isAmong(wordsApart) && { action: 'words' }) };
  if (!isAmong(onePicture))
    return { pictures: { image_urls: sources.map(({ file }) => dataUrlOf(file)) }, action: 'edit' };
  if (second !== undefined) throw unsupported(second.path, 'is a second picture, and this model takes one');
  return { pictures: { image_url: dataUrlOf(first.file) } };
}
