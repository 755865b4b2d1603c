// Image URLs: http(s), or a data URL whose bytes really are one of the formats OpenAI reads.
import { asText } from '../../json-value.ts';
import { imageTypeOf, isBase64 } from '../judgement.ts';
import type { Path } from '../shape-check.ts';
import { badRequest, bracketPath, type ChatRefusal } from './refusal.ts';

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),(.*)$/su;
const FORMATS = ['image/png', 'image/jpeg', 'image/jpg', 'image/gif', 'image/webp'];

export function checkImageUrl(given: unknown, path: Path): ChatRefusal | undefined {
  const url = asText(given);
  const name = bracketPath([...path, 'image_url', 'url']);
  if (!url.startsWith('data:')) {
    if (/^https?:$/u.test(URL.parse(url)?.protocol ?? '')) return undefined;
    const message = `Invalid '${name}'. Expected a valid URL, but got a value with an invalid format.`;
    return badRequest(message, name, 'invalid_image_url');
  }
  const [, mimeType = '', attributes = '', payload = ''] = DATA_URL.exec(url) ?? [];
  if (!attributes.endsWith(';base64') || !isBase64(payload)) {
    const message = `Invalid '${name}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got a value without valid base64 data.`;
    return badRequest(message, name, 'invalid_base64');
  }
  // The declared type must be a known one and the bytes of a known format; the two need not match.
  if (FORMATS.includes(mimeType) && imageTypeOf(payload) !== undefined) return undefined;
  const message =
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].";
  return badRequest(message, null, 'invalid_image_format');
}
