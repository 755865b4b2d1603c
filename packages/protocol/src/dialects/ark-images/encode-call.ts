/** Canonical call → a request to an upstream of this dialect. */
import type { ImageLoss, ImageStances } from '../../canonical/fields.ts';
import type { ImageCall } from '../../canonical/image.ts';
import type { SizeLimits } from '../../canonical/image-limits.ts';
import type { Json } from '../../canonical/json.ts';
import { sizeText } from '../../passes/image-dims.ts';
import { unsupported } from '../checking.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { dataUrlOf, PLAIN_STANCES, planImage } from '../image-calls.ts';

const ANY_SIZE: SizeLimits = {
  kind: 'free',
  multiple: 16,
  maxSide: 4096,
  minPixels: 921_600,
  maxPixels: 16_777_216,
  tiers: ['1K', '2K', '4K'],
};

export const stances: ImageStances = {
  ...PLAIN_STANCES,
  'image.count': 'mapped',
  'image.enhancePrompt': 'mapped',
  'image.watermark': 'native',
};

export function encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss> {
  const { size, sources, mask, losses } = planImage(call, target, ANY_SIZE, { id: 'ark-images', stances });
  if (mask !== undefined) throw unsupported(mask.path, 'is a mask, which this model does not take');
  const images = sources.map(({ file }) => dataUrlOf(file));
  const body: Record<string, Json> = {
    model: target.upstreamModel,
    prompt: call.prompt,
    ...(images.length > 0 && { image: images.length === 1 ? (images[0] ?? '') : images }),
    ...(size.pixels !== undefined && size.pixels !== 'auto' && { size: sizeText(size.pixels) }),
    ...several(call.count),
    response_format: 'b64_json',
    ...formatMember(call, target),
    ...(call.watermark !== undefined && { watermark: call.watermark }),
    ...(call.enhancePrompt !== undefined && {
      optimize_prompt_options: { mode: call.enhancePrompt ? 'standard' : 'fast' },
    }),
  };
  return { body, losses: losses.all };
}

/** Models with a single output format get no format parameter. */
function formatMember({ format, usualFormat }: ImageCall, { model }: TargetFacts): Readonly<Record<string, Json>> {
  const wanted = format ?? usualFormat;
  const formats = model.image?.formats ?? [];
  return wanted !== undefined && formats.length > 1 && formats.includes(wanted) ? { output_format: wanted } : {};
}

/** There is no count parameter: the request asks for a set, with its maximum size. */
const several = (count: number): Readonly<Record<string, Json>> =>
  count === 1
    ? { sequential_image_generation: 'disabled' }
    : { sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: count } };
