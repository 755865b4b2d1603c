import { expect, test } from 'vitest';
import { typeOfBase64, typeOfFile } from './image-type.ts';

const HEADS = {
  'image/png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0],
  'image/jpeg': [0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0],
  'image/webp': [0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4, 0x57, 0x45, 0x42, 0x50],
  'image/gif': [0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0, 0, 0, 0, 0, 0],
} as const;

test('the bytes show the type of an image, in either form', () => {
  for (const [type, head] of Object.entries(HEADS)) {
    expect(typeOfBase64(btoa(String.fromCharCode(...head)))).toBe(type);
    for (const cut of [0, 1, 3, 12]) {
      const pieces = [head.slice(0, cut), head.slice(cut)].map((bytes) => new Uint8Array(bytes));
      expect(typeOfFile({ pieces, toBase64: () => '', mimeType: 'image/tiff' })).toBe(type);
    }
  }
});

test('bytes that are not an image have no type, whatever their label', () => {
  for (const text of ['', '%%%', 'aGVsbG8gd29ybGQh', 'UklGRgAAAABXQVZF']) expect(typeOfBase64(text)).toBeUndefined();
});
