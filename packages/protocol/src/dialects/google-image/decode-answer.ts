/** A candidate's images; its text only if it made none, because the text says why. */
import { GatewayError } from '../../canonical/gateway-error.ts';
import type { GeneratedImage, ImageAnswer } from '../../canonical/image.ts';
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
import { countOf } from '../image-answers.ts';
import { HELD_BACK, noImages } from '../image-calls.ts';
import { faultInside } from '../rpc-errors.ts';

/** Finish reasons of a safety filter, with or without the prefix of the enum. */
const FILTERED =
  /^(?:FINISH_REASON_)?(?:SAFETY|BLOCKLIST|PROHIBITED_CONTENT|SPII|RECITATION|IMAGE_SAFETY|IMAGE_PROHIBITED_CONTENT|IMAGE_RECITATION|NO_IMAGE)$/;

export function decodeAnswer(body: Json): ImageAnswer {
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
