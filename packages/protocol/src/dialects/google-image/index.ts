/** Image models behind `:generateContent` with the IMAGE modality: client half only. */

import type { ImageLoss, ImageStances } from '../../canonical/fields.ts';
import { cannotCarry, GatewayError } from '../../canonical/gateway-error.ts';
import type { GeneratedImage, ImageAnswer, ImageCall } from '../../canonical/image.ts';
import type { SizeLimits } from '../../canonical/image-limits.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import type { Usage } from '../../canonical/usage.ts';
import { typeOfBase64 } from '../../passes/image-type.ts';
import { unsupported } from '../checking.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import {
  base64Of,
  countOf,
  HELD_BACK,
  type ImagePlan,
  loseCompression,
  loseFormat,
  mimeTypeOf,
  noImages,
  PLAIN_STANCES,
  planImage,
} from '../images.ts';
import type { ImageDialect } from '../media-dialects.ts';
import { decodeRpcFault, faultInside } from '../upstream-errors.ts';

// How one host's image models differ: a closed, flat record, read by this folder only.

interface ImageQuirks {
  /** The host returns the requested format; other hosts choose it themselves. */
  readonly cloudFields: boolean;
}

const COMMON_IMAGE: ImageQuirks = { cloudFields: true };

// Canonical call → a `:generateContent` request: the images, then the text, and the IMAGE modality.

const ANY_RATIO: SizeLimits = { kind: 'ratio', tiers: ['1K', '2K', '4K'] };

const stances: ImageStances = {
  ...PLAIN_STANCES,
  'image.count': 'refused',
  'image.aspectRatio': 'native',
  'image.tier': 'native',
  'image.pixels': 'approximated',
  'image.format': 'native',
  'image.compression': 'native',
  'image.seed': 'native',
};

function encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss> {
  const { cloudFields } = 'cloudFields' in target.quirks ? (target.quirks as ImageQuirks) : COMMON_IMAGE;
  if (call.count > 1) throw cannotCarry('image.count', 'must be 1 for this model');
  const plan = planImage(call, target, ANY_RATIO, { id: 'google-image', stances });
  if (plan.mask !== undefined) throw unsupported(plan.mask.path, 'is a mask, which this model does not take');
  const { losses } = plan;
  if (!cloudFields) loseFormat(call, target.model.image, losses);
  if (!cloudFields || call.format === undefined) loseCompression(call, losses);
  const images = plan.sources.map(({ file }) => ({
    inlineData: { mimeType: mimeTypeOf(file), data: base64Of(file) },
  }));
  const imageConfig = configOf(call, plan, cloudFields);
  return {
    body: {
      contents: [{ role: 'user', parts: [...images, { text: call.prompt }] }],
      generationConfig: {
        responseModalities: ['TEXT', 'IMAGE'],
        ...(Object.keys(imageConfig).length > 0 && { imageConfig }),
        ...(call.seed !== undefined && { seed: call.seed }),
      },
    },
    losses: losses.all,
  };
}

function configOf({ format, compression }: ImageCall, { size }: ImagePlan, cloudFields: boolean): JsonObject {
  return {
    ...(size.aspectRatio !== undefined && { aspectRatio: size.aspectRatio }),
    ...(size.tier !== undefined && { imageSize: size.tier }),
    ...(cloudFields &&
      format !== undefined && {
        imageOutputOptions: {
          mimeType: `image/${format}`,
          ...(compression !== undefined && { compressionQuality: compression }),
        },
      }),
  };
}

// A candidate's images; its text only if it made none, because the text says why.

/** Finish reasons of a safety filter, with or without the prefix of the enum. */
const FILTERED =
  /^(?:FINISH_REASON_)?(?:SAFETY|BLOCKLIST|PROHIBITED_CONTENT|SPII|RECITATION|IMAGE_SAFETY|IMAGE_PROHIBITED_CONTENT|IMAGE_RECITATION|NO_IMAGE)$/;

function decodeAnswer(body: Json): ImageAnswer {
  const fault = faultInside(body);
  if (fault !== undefined) throw new GatewayError(fault);
  const wire = isJsonObject(body) ? body : {};
  const feedback = objectAt(wire, 'promptFeedback');
  const candidates = arrayAt(wire, 'candidates').filter(isJsonObject);
  const images = candidates.flatMap(imagesOf);
  if (images.length === 0) {
    const reason = stringAt(feedback, 'blockReasonMessage') ?? stringAt(feedback, 'blockReason');
    if (reason === undefined) throw noImages();
    images.push({ blocked: reason });
  }
  return { images, usage: { ...usageOf(objectAt(wire, 'usageMetadata')), pictures: countOf(images) }, traits: {} };
}

function imagesOf(candidate: JsonObject): GeneratedImage[] {
  // Images it made while thinking are not the answer.
  const parts = arrayAt(objectAt(candidate, 'content'), 'parts')
    .filter(isJsonObject)
    .filter((part) => part['thought'] !== true);
  const images = parts.flatMap((part) => {
    const base64 = stringAt(objectAt(part, 'inlineData'), 'data');
    const declaredType = stringAt(objectAt(part, 'inlineData'), 'mimeType');
    return base64 === undefined ? [] : [{ base64, mimeType: typeOfBase64(base64) ?? declaredType ?? 'image/png' }];
  });
  if (images.length > 0) return images;
  const reason = stringAt(candidate, 'finishReason') ?? '';
  if (!FILTERED.test(reason)) return [];
  const words = parts.map((part) => stringAt(part, 'text') ?? '').join('');
  return [{ blocked: stringAt(candidate, 'finishMessage') ?? (words === '' ? HELD_BACK : words) }];
}

/** The candidates exclude thoughts and include image tokens. */
function usageOf(wire: JsonObject | undefined): Usage {
  const prompt = numberAt(wire, 'promptTokenCount');
  if (wire === undefined || prompt === undefined) return {};
  const inputImage = tokensOf(wire, 'promptTokensDetails', 'IMAGE');
  const outputImage = tokensOf(wire, 'candidatesTokensDetails', 'IMAGE');
  const thoughts = numberAt(wire, 'thoughtsTokenCount');
  return {
    prompt: Math.max(0, prompt - inputImage),
    ...(inputImage > 0 && { inputImage }),
    completion: Math.max(0, (numberAt(wire, 'candidatesTokenCount') ?? 0) - outputImage),
    outputImage,
    ...(thoughts !== undefined && { internalReasoning: thoughts }),
  };
}

const tokensOf = (wire: JsonObject, list: string, modality: string): number =>
  arrayAt(wire, list)
    .filter(isJsonObject)
    .filter((each) => stringAt(each, 'modality') === modality)
    .reduce((total, each) => total + (numberAt(each, 'tokenCount') ?? 0), 0);

export const googleImage: ImageDialect = {
  id: 'google-image',
  operation: 'image',
  stances,
  quirks: (own) => ({ ...COMMON_IMAGE, ...own }),
  client: { encodeCall, decodeAnswer, decodeFault: decodeRpcFault, sealRefusals: [] },
};
