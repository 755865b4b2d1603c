/** Vectors as base64 of little-endian 32-bit floats; some clients request this by default. */
import { base64Of, bytesOfBase64 } from './base64.ts';

const BYTES_PER_FLOAT = 4;

export function base64OfFloats(floats: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(floats.length * BYTES_PER_FLOAT));
  for (const [position, float] of floats.entries()) view.setFloat32(position * BYTES_PER_FLOAT, float, true);
  return base64Of(new Uint8Array(view.buffer));
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
