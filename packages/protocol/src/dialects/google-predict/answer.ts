/** Predictions in both directions: one element per requested image, blocked ones included. */
import { GatewayError } from '../../canonical/gateway-error.ts';
import type { GeneratedImage, ImageAnswer } from '../../canonical/image.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, stringAt } from '../../canonical/json.ts';
import { typeOfBase64 } from '../../passes/image-type.ts';
import type { AnswerContext, EncodedAnswer } from '../dialect.ts';
import { countOf, formatLosses, HELD_BACK, noImages, typeOfImage } from '../images.ts';
import { faultInside } from '../upstream-errors.ts';
import { spelling } from './stances.ts';

/** Not an image, but the filter's verdict on the prompt. */
const ABOUT_THE_PROMPT = 'Positive Prompt';

export function decodeAnswer(body: Json): ImageAnswer {
  const fault = faultInside(body);
  if (fault !== undefined) throw new GatewayError(fault);
  const images = arrayAt(isJsonObject(body) ? body : {}, 'predictions')
    .filter(isJsonObject)
    .filter((each) => stringAt(each, 'contentType') !== ABOUT_THE_PROMPT)
    .map(decodePrediction);
  if (images.length === 0) throw noImages();
  return { images, usage: { pictures: countOf(images) }, traits: {} };
}

function decodePrediction(wire: JsonObject): GeneratedImage {
  const base64 = stringAt(wire, 'bytesBase64Encoded');
  const uri = stringAt(wire, 'gcsUri');
  const reason = stringAt(wire, 'raiFilteredReason');
  const mimeType = (base64 === undefined ? undefined : typeOfBase64(base64)) ?? stringAt(wire, 'mimeType');
  const revisedPrompt = stringAt(wire, 'prompt');
  if (base64 === undefined && uri === undefined) return { blocked: reason ?? HELD_BACK };
  return {
    ...(base64 !== undefined && { base64 }),
    ...(uri !== undefined && { url: uri }),
    ...(mimeType !== undefined && { mimeType }),
    ...(revisedPrompt !== undefined && { revisedPrompt }),
  };
}

export function encodeAnswer(answer: ImageAnswer, context: AnswerContext): EncodedAnswer {
  const responseOptions = context.responseOptions.image;
  const images = wholeCount(answer.images, responseOptions?.count ?? 1);
  return {
    body: { predictions: images.map((image) => encodePrediction(image, responseOptions?.blockReasons === true)) },
    losses: formatLosses(
      images.filter(({ blocked }) => blocked === undefined),
      context,
      spelling,
    ),
  };
}

/** Upper bound of the count, for counts that no host has checked. */
const MOST_REPEATS = 64;

/** Hosts that block all images at once report it once. */
function wholeCount(images: readonly GeneratedImage[], count: number): readonly GeneratedImage[] {
  const [first] = images;
  if (first?.blocked === undefined || images.length >= count) return images;
  if (images.some(({ blocked }) => blocked === undefined)) return images;
  return Array.from({ length: Math.min(count, MOST_REPEATS) }, () => first);
}

function encodePrediction(image: GeneratedImage, withReason: boolean): JsonObject {
  const { base64, url, revisedPrompt, blocked } = image;
  if (blocked !== undefined) return { raiFilteredReason: withReason ? blocked : HELD_BACK };
  return {
    ...(base64 !== undefined && { bytesBase64Encoded: base64 }),
    mimeType: typeOfImage(image) ?? 'image/png',
    ...(url !== undefined && { gcsUri: url }),
    ...(revisedPrompt !== undefined && { prompt: revisedPrompt }),
  };
}
