/**
 * Images at hosts of the Ark API, client half only: sizes in pixels, input images as data URLs, several images as one
 * set.
 */

import type { ImageLoss, ImageStances } from '../../canonical/fields.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import type { GeneratedImage, ImageAnswer, ImageCall } from '../../canonical/image.ts';
import type { SizeLimits } from '../../canonical/image-limits.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { sizeText } from '../../passes/image-dims.ts';
import { typeOfBase64 } from '../../passes/image-type.ts';
import { unsupported } from '../checking.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { countOf, dataUrlOf, HELD_BACK, noImages, PLAIN_STANCES, planImage } from '../images.ts';
import type { ImageDialect } from '../media-dialects.ts';
import { decodeApiFault } from '../upstream-errors.ts';

// Canonical call → a request to an upstream of this dialect.

const ANY_SIZE: SizeLimits = {
  kind: 'free',
  multiple: 16,
  maxSide: 4096,
  minPixels: 921_600,
  maxPixels: 16_777_216,
  tiers: ['1K', '2K', '4K'],
};

const stances: ImageStances = {
  ...PLAIN_STANCES,
  'image.count': 'mapped',
  'image.enhancePrompt': 'mapped',
  'image.watermark': 'native',
};

function encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss> {
  const { size, sources, mask, losses } = planImage(call, target, ANY_SIZE, { id: 'ark-images', stances });
  if (mask !== undefined) throw unsupported(mask.path, 'is a mask, which this model does not take');
  const images = sources.map(({ file }) => dataUrlOf(file));
  const body: Record<string, Json> = {
    model: target.upstreamModel,
    prompt: call.prompt,
    ...(images.length > 0 && { image: images.length === 1 ? (images[0] ?? '') : images }),
    ...(size.pixels !== undefined && size.pixels !== 'auto' && { size: sizeText(size.pixels) }),
    // There is no count parameter: the request asks for a set, with its maximum size.
    ...(call.count === 1
      ? { sequential_image_generation: 'disabled' }
      : { sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: call.count } }),
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

// Answers of this dialect: each image succeeds or fails separately.

/**
 * Matches `InputTextSensitiveContentDetected`, `OutputImageSensitiveContentDetected.PolicyViolation` and similar codes.
 */
const SENSITIVE = /SensitiveContent/;

const errorIn = (body: Json | undefined): JsonObject | undefined =>
  isJsonObject(body) ? objectAt(body, 'error') : undefined;

const isSensitive = (error: JsonObject | undefined): boolean => SENSITIVE.test(stringAt(error, 'code') ?? '');

const isBlocked = (status: number, body: Json | undefined): boolean => status === 400 && isSensitive(errorIn(body));

function decodeAnswer(body: Json): ImageAnswer {
  const error = errorIn(body);
  if (isSensitive(error)) return { images: [blockedBy(error)], usage: { pictures: 0 }, traits: {} };
  const entries = arrayAt(isJsonObject(body) ? body : {}, 'data').filter(isJsonObject);
  const failed = entries.map((entry) => objectAt(entry, 'error')).find((one) => one !== undefined && !isSensitive(one));
  const images = entries.flatMap(decodeEntry);
  if (images.length === 0 && failed !== undefined) throw new GatewayError(decodeApiFault(500, { error: failed }));
  if (images.length === 0) throw noImages();
  return { images, usage: { pictures: countOf(images) }, traits: {} };
}

const blockedBy = (error: JsonObject | undefined): GeneratedImage => ({
  blocked: stringAt(error, 'message') ?? HELD_BACK,
});

function decodeEntry(entry: JsonObject): GeneratedImage[] {
  const error = objectAt(entry, 'error');
  if (error !== undefined) return isSensitive(error) ? [blockedBy(error)] : [];
  const base64 = stringAt(entry, 'b64_json');
  const url = stringAt(entry, 'url');
  if (base64 === undefined) return url === undefined ? [] : [{ url }];
  const mimeType = typeOfBase64(base64);
  return [{ base64, ...(mimeType !== undefined && { mimeType }) }];
}

export const arkImages: ImageDialect = {
  id: 'ark-images',
  operation: 'image',
  stances,
  quirks: (own) => own,
  client: { encodeCall, decodeAnswer, isBlocked, decodeFault: decodeApiFault, sealRefusals: [] },
};
