/** Detects an image's type by its first bytes. Neither its file name nor its declared type is evidence. */
import type { ImageFile, ImageFormat } from '../canonical/image.ts';
import { bytesOfBase64 } from './base64.ts';

/** Length of the longest signature, in bytes. */
const HEAD_BYTES = 12;
const HEAD_DIGITS = 16;

export type ImageType = `image/${ImageFormat | 'gif'}`;

export const formatOf = (mimeType: string | undefined): ImageFormat | undefined => FORMATS[mimeType ?? ''];
const FORMATS: Readonly<Record<string, ImageFormat>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/webp': 'webp',
};

export const typeOfFile = (file: ImageFile): ImageType | undefined =>
  'pieces' in file ? typeOfBytes(firstBytes(file.pieces)) : typeOfBase64(file.base64);

export const typeOfBase64 = (base64: string): ImageType | undefined =>
  typeOfBytes(bytesOfBase64(base64.slice(0, HEAD_DIGITS)) ?? []);

function typeOfBytes(head: ArrayLike<number>): ImageType | undefined {
  const starts = (at: number, ...bytes: readonly number[]): boolean =>
    bytes.every((byte, index) => head[at + index] === byte);
  if (starts(0, 0x89, 0x50, 0x4e, 0x47)) return 'image/png';
  if (starts(0, 0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (starts(0, 0x47, 0x49, 0x46, 0x38)) return 'image/gif';
  return starts(0, 0x52, 0x49, 0x46, 0x46) && starts(8, 0x57, 0x45, 0x42, 0x50) ? 'image/webp' : undefined;
}

/** The first piece may hold fewer. */
function firstBytes(pieces: readonly Uint8Array[]): readonly number[] {
  const head: number[] = [];
  for (const piece of pieces) {
    head.push(...piece.subarray(0, HEAD_BYTES - head.length));
    if (head.length === HEAD_BYTES) break;
  }
  return head;
}
