/** The type of a file by its first bytes. Neither its name nor the server's content type is trusted. */
import type { MediaKind } from '@trivium/protocol/canonical';

type Signature = {
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly at: readonly (readonly [number, string])[];
};

const SIGNATURES: readonly Signature[] = [
  { kind: 'image', mimeType: 'image/png', at: [[0, '\x89PNG\r\n\x1a\n']] },
  { kind: 'image', mimeType: 'image/jpeg', at: [[0, '\xff\xd8\xff']] },
  { kind: 'image', mimeType: 'image/gif', at: [[0, 'GIF8']] },
  {
    kind: 'image',
    mimeType: 'image/webp',
    at: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  { kind: 'document', mimeType: 'application/pdf', at: [[0, '%PDF-']] },
  {
    kind: 'audio',
    mimeType: 'audio/wav',
    at: [
      [0, 'RIFF'],
      [8, 'WAVE'],
    ],
  },
  { kind: 'audio', mimeType: 'audio/mpeg', at: [[0, 'ID3']] },
  { kind: 'audio', mimeType: 'audio/mpeg', at: [[0, '\xff\xfb']] },
];

/** The MIME type of a file of this kind; undefined if it is not a known one. */
export const sniffMedia = (bytes: Buffer, kind: MediaKind): string | undefined =>
  SIGNATURES.find(
    (signature) =>
      signature.kind === kind &&
      signature.at.every(([offset, text]) => bytes.toString('latin1', offset, offset + text.length) === text),
  )?.mimeType;
