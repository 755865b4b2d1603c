// Image URLs: http(s), or a data URL whose bytes really are one of the formats OpenAI reads.
import { asText } from '../../json-value.ts';
import { badRequest, bracketPath, type ChatRefusal } from './refusal.ts';

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),(.*)$/su;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u;
const HEAD_BYTES = 16;
const FORMATS: Readonly<Record<string, (head: Buffer) => boolean>> = {
  'image/png': (head) => head.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47])),
  'image/jpeg': (head) => head.subarray(0, 2).equals(Buffer.from([0xff, 0xd8])),
  'image/jpg': (head) => head.subarray(0, 2).equals(Buffer.from([0xff, 0xd8])),
  'image/gif': (head) => head.subarray(0, 4).toString('latin1') === 'GIF8',
  'image/webp': (head) => head.subarray(8, 12).toString('latin1') === 'WEBP',
};

export function checkImageUrl(given: unknown, path: readonly (string | number)[]): ChatRefusal | undefined {
  const url = asText(given);
  const name = bracketPath([...path, 'image_url', 'url']);
  if (!url.startsWith('data:')) {
    if (/^https?:$/u.test(URL.parse(url)?.protocol ?? '')) return undefined;
    const message = `Invalid '${name}'. Expected a valid URL, but got a value with an invalid format.`;
    return badRequest(message, name, 'invalid_image_url');
  }
  const [, mimeType = '', attributes = '', payload = ''] = DATA_URL.exec(url) ?? [];
  if (!attributes.endsWith(';base64') || payload === '' || !BASE64.test(payload)) {
    const message = `Invalid '${name}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got a value without valid base64 data.`;
    return badRequest(message, name, 'invalid_base64');
  }
  const head = Buffer.from(payload.slice(0, HEAD_BYTES * 2), 'base64');
  // The declared type must be a known one and the bytes of a known format; the two need not match.
  const isKnown = mimeType in FORMATS && Object.values(FORMATS).some((matches) => matches(head));
  if (isKnown) return undefined;
  const message =
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].";
  return badRequest(message, null, 'invalid_image_format');
}
