/** What a recording is by its first bytes, whatever its name or label says. */

export type SoundType = { readonly extension: string; readonly mimeType: string };

const text = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, Math.min(to, bytes.length)));

/** The tables of a transport stream or MPEG frame: eleven bits set. */
const SYNC = 0xff;
const MPEG_MASK = 0xe0;
const ADTS_MASK = 0xf6;
const ADTS = 0xf0;

const HEAD_BYTES = 12;

export function typeOfRecording(pieces: readonly Uint8Array[]): SoundType | undefined {
  const head = headOf(pieces);
  const start = text(head, 0, 4);
  if (start === 'RIFF' && text(head, 8, 12) === 'WAVE') return { extension: 'wav', mimeType: 'audio/wav' };
  if (start === 'OggS') return { extension: 'ogg', mimeType: 'audio/ogg' };
  if (start === 'fLaC') return { extension: 'flac', mimeType: 'audio/flac' };
  if (start === '\x1aE\xdf\xa3') return { extension: 'webm', mimeType: 'audio/webm' };
  if (text(head, 4, 8) === 'ftyp') return { extension: 'm4a', mimeType: 'audio/mp4' };
  if (start.startsWith('ID3')) return { extension: 'mp3', mimeType: 'audio/mpeg' };
  if (head[0] !== SYNC) return undefined;
  const second = head[1] ?? 0;
  if ((second & ADTS_MASK) === ADTS) return { extension: 'aac', mimeType: 'audio/aac' };
  return (second & MPEG_MASK) === MPEG_MASK ? { extension: 'mp3', mimeType: 'audio/mpeg' } : undefined;
}

/** A first piece may be shorter than what is looked at. */
function headOf(pieces: readonly Uint8Array[]): Uint8Array {
  const head: number[] = [];
  for (const piece of pieces) {
    head.push(...piece.subarray(0, HEAD_BYTES - head.length));
    if (head.length === HEAD_BYTES) break;
  }
  return Uint8Array.from(head);
}
