/**
 * Canonical call → a request to an upstream of this dialect: JSON to generate images, a form (or JSON, at some hosts)
 * to edit them.
 */
import type { ImageLoss } from '../../canonical/fields.ts';
import type { ImageCall } from '../../canonical/image.ts';
import type { SizeLimits } from '../../canonical/image-limits.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { sizeText } from '../../passes/image-dims.ts';
import { unsupported } from '../checking.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import type { FormPart } from '../forms.ts';
import {
  dataUrlOf,
  filenameOf,
  type ImagePlan,
  loseCompression,
  loseFormat,
  mimeTypeOf,
  planImage,
} from '../images.ts';
import { type ImagesQuirks, quirksOf } from './quirks.ts';
import { stances } from './stances.ts';

const ID = 'openai-images';
/** Sizes of hosts with unknown limits. */
const USUAL_SIZES: SizeLimits = { kind: 'list', sizes: ['1024x1024', '1536x1024', '1024x1536'] };
const ANY_RATIO: SizeLimits = { kind: 'ratio', tiers: ['1K', '2K'] };

export function encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss> {
  const quirks = quirksOf(target);
  const plan = planImage(call, target, quirks.sizeAs === 'size' ? USUAL_SIZES : ANY_RATIO, { id: ID, stances });
  if (plan.mask !== undefined && quirks.editsAs === 'json')
    throw unsupported(plan.mask.path, 'is a mask, which this model does not take');
  const settings = settingsOf(call);
  const { losses } = plan;
  if (!quirks.imageSettings)
    for (const [, , field] of settings) {
      if (field === 'image.compression') loseCompression(call, losses);
      else if (field === 'image.format') loseFormat(call, target.model.image, losses);
      else losses.add(field);
    }
  const streams = call.stream && quirks.streamsImages;
  if (!streams && (call.partials ?? 0) > 0) losses.add('image.partials');
  const members: Record<string, Json> = {
    ...call.extras[ID],
    model: target.upstreamModel,
    prompt: call.prompt,
    ...(call.count > 1 && { n: call.count }),
    ...sizeMembers(plan, quirks),
    ...(quirks.imageSettings && Object.fromEntries(settings.map(([name, value]) => [name, value]))),
    ...(quirks.responseFormat && { response_format: 'b64_json' }),
    ...(streams && { stream: true, ...(call.partials !== undefined && { partial_images: call.partials }) }),
  };
  if (plan.sources.length === 0) return { body: members, losses: losses.all };
  return { ...edit(members, plan, quirks), losses: losses.all, action: 'edit' };
}

type Setting = readonly [name: string, value: Json, field: ImageLoss['field']];

/** In the order of the format's own reference. */
const settingsOf = (call: ImageCall): readonly Setting[] =>
  (
    [
      ['quality', call.quality, 'image.quality'],
      ['background', call.background, 'image.background'],
      ['output_format', call.format, 'image.format'],
      ['output_compression', call.compression, 'image.compression'],
      ['moderation', call.moderation, 'image.moderation'],
      ['input_fidelity', call.fidelity, 'image.fidelity'],
    ] as const
  ).flatMap(([name, value, field]) => (value === undefined ? [] : [[name, value, field] as const]));

function sizeMembers({ size }: ImagePlan, { sizeAs }: ImagesQuirks): JsonObject {
  const { pixels, aspectRatio, tier } = size;
  if (sizeAs === 'aspect-ratio')
    return {
      ...(aspectRatio !== undefined && { aspect_ratio: aspectRatio }),
      ...(tier !== undefined && { resolution: tier.toLowerCase() }),
    };
  return pixels === undefined ? {} : { size: pixels === 'auto' ? pixels : sizeText(pixels) };
}

function edit(
  members: JsonObject,
  { sources, mask }: ImagePlan,
  { editsAs }: ImagesQuirks,
): { body: JsonObject; form?: readonly FormPart[] } {
  if (editsAs === 'json') {
    const images = sources.map(({ file }) => ({ type: 'image_url', url: dataUrlOf(file) }));
    return { body: { ...members, ...(images.length === 1 ? { image: images[0] ?? null } : { images }) } };
  }
  const texts = Object.entries(members).map(([name, value]) => ({
    name,
    text: typeof value === 'string' ? value : JSON.stringify(value),
  }));
  const files = sources.map(({ file }, position) => ({
    name: sources.length === 1 ? 'image' : 'image[]',
    file,
    filename: filenameOf(file, position),
    mimeType: mimeTypeOf(file),
  }));
  const masks =
    mask === undefined
      ? []
      : [{ name: 'mask', file: mask.file, filename: 'mask.png', mimeType: mimeTypeOf(mask.file) }];
  return { body: members, form: [...texts, ...files, ...masks] };
}
