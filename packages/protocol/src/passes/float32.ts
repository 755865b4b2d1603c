/** Vectors as base64 of little-endian 32-bit floats; some clients request this by default. */
import { bytesOfBase64, BASE64_DIGITS as DIGITS } from './base64.ts';

const BYTES_PER_FLOAT = 4;

export function base64OfFloats(floats: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(floats.length * BYTES_PER_FLOAT));
  for (const [position, float] of floats.entries()) view.setFloat32(position * BYTES_PER_FLOAT, float, true);
  const bytes = new Uint8Array(view.buffer);
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += DIGITS.charAt(bits >> 18) + DIGITS.charAt((bits >> 12) & 63);
    text += (left > 1 ? DIGITS.charAt((bits >> 6) & 63) : '=') + (left > 2 ? DIGITS.charAt(bits & 63) : '=');
  }
  return text;
}

/** Undefined if the text is not base64 of 32-bit floats. */
export function floatsOfBase64(base64: string): readonly number[] | undefined {
  const bytes = bytesOfBase64(base64);
  if (bytes === undefined || bytes.length % BYTES_PER_FLOAT !== 0) return undefined;
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / BYTES_PER_FLOAT }, (_, position) =>
    view.getFloat32(position * BYTES_PER_FLOAT, true),
  );
}
