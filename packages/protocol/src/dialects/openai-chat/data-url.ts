/** Base64 and data URLs, judged without decoding them. */
export type DataUrl = { readonly mimeType: string; readonly base64: string };

/** Long payloads are judged by length, tail and a sample: an upstream decodes them all the same, and a full scan costs more than it finds. */
const SAMPLE = 4096;
const ALPHABET = /^[A-Za-z0-9+/]*$/;

export function isBase64(text: string): boolean {
  if (text === '' || text.length % 4 !== 0) return false;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const end = text.length - padding;
  if (end <= 2 * SAMPLE) return ALPHABET.test(text.slice(0, end));
  return ALPHABET.test(text.slice(0, SAMPLE)) && ALPHABET.test(text.slice(end - SAMPLE, end));
}

export function readDataUrl(url: string): DataUrl | undefined {
  const comma = url.indexOf(',');
  if (!url.startsWith('data:') || comma === -1) return undefined;
  const head = url.slice(5, comma);
  if (!head.endsWith(';base64')) return undefined;
  const base64 = url.slice(comma + 1);
  const mimeType = head.slice(0, head.indexOf(';'));
  return mimeType !== '' && isBase64(base64) ? { mimeType, base64 } : undefined;
}

export const dataUrlOf = (mimeType: string, base64: string): string => `data:${mimeType};base64,${base64}`;
