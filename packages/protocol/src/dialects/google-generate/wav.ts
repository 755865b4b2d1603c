/** Base64 as this dialect's clients write it, and the format of an audio file from its first bytes. */
import { bytesOfBase64, isBase64 } from '../../passes/base64.ts';

/** Some clients use the URL-safe alphabet. */
export const standardBase64 = (text: string): string =>
  text.includes('-') || text.includes('_') ? text.replaceAll('-', '+').replaceAll('_', '/') : text;

export const isAnyBase64 = (text: string): boolean => isBase64(standardBase64(text));

/** Enough for every header in use; a later format chunk is not found. */
const HEADER_BYTES = 512;

const HEADER_DIGITS = Math.ceil(HEADER_BYTES / 3) * 4;

export type WaveFormat = { readonly samplesPerSecond: number; readonly bitsPerSample: number; readonly pcm: boolean };

/** The format of a wave file; undefined if these are not the first bytes of one. */
export function waveFormat(base64: string): WaveFormat | undefined {
  const bytes = bytesOfBase64(standardBase64(base64.slice(0, HEADER_DIGITS)));
  if (bytes === undefined) return undefined;
  const view = new DataView(bytes.buffer);
  const word = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (word(0) !== 'RIFF' || word(8) !== 'WAVE') return undefined;
  for (let at = 12; at + 24 <= bytes.length; at += 8 + view.getUint32(at + 4, true)) {
    if (word(at) !== 'fmt ') continue;
    const coding = view.getUint16(at + 8, true);
    return {
      // 0xFFFE is the extensible form, which is taken for PCM.
      pcm: coding === 1 || coding === 0xfffe,
      samplesPerSecond: view.getUint32(at + 12, true),
      bitsPerSample: view.getUint16(at + 22, true),
    };
  }
  return undefined;
}
