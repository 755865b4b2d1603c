/** Answers of this dialect: each image succeeds or fails separately. */
import { GatewayError } from '../../canonical/gateway-error.ts';
import type { GeneratedImage, ImageAnswer } from '../../canonical/image.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { typeOfBase64 } from '../../passes/image-type.ts';
import { decodeFault } from '../api-errors.ts';
import { countOf } from '../image-answers.ts';
import { HELD_BACK, noImages } from '../image-calls.ts';

/**
 * Matches `InputTextSensitiveContentDetected`, `OutputImageSensitiveContentDetected.PolicyViolation` and similar codes.
 */
const SENSITIVE = /SensitiveContent/;

const errorIn = (body: Json | undefined): JsonObject | undefined =>
  isJsonObject(body) ? objectAt(body, 'error') : undefined;

const isSensitive = (error: JsonObject | undefined): boolean => SENSITIVE.test(stringAt(error, 'code') ?? '');

export const isBlocked = (status: number, body: Json | undefined): boolean =>
  status === 400 && isSensitive(errorIn(body));

export function decodeAnswer(body: Json): ImageAnswer {
  const error = errorIn(body);
  if (isSensitive(error)) return { images: [blockedBy(error)], usage: { pictures: 0 }, traits: {} };
  const entries = arrayAt(isJsonObject(body) ? body : {}, 'data').filter(isJsonObject);
  const failed = entries.map((entry) => objectAt(entry, 'error')).find((one) => one !== undefined && !isSensitive(one));
  const images = entries.flatMap(decodeEntry);
  if (images.length === 0 && failed !== undefined) throw new GatewayError(decodeFault(500, { error: failed }));
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
