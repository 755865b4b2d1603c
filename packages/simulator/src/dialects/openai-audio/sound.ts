// Sounds that are no music: the right first bytes for their format, and then every value a byte can have.

const RATE = 24_000;
const BYTES_PER_SAMPLE = 2;
/** Silence between words would be a waste: each character is this many milliseconds. */
const MS_PER_CHARACTER = 60;

const BEGINNINGS: Readonly<Record<string, readonly number[]>> = {
  mp3: [0x49, 0x44, 0x33, 0x04, 0, 0, 0, 0, 0, 0, 0xff, 0xfb, 0x90, 0x00],
  opus: [0x4f, 0x67, 0x67, 0x53, 0, 2],
  aac: [0xff, 0xf1, 0x50, 0x80],
  flac: [0x66, 0x4c, 0x61, 0x43, 0, 0, 0, 0x22],
  pcm: [],
};

export function makeSound(text: string, format: string): Buffer {
  const length = Math.ceil((text.length * MS_PER_CHARACTER * RATE) / 1000) * BYTES_PER_SAMPLE;
  const samples = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1) samples[at] = (at * 7 + text.length) % 256;
  if (format === 'wav') return Buffer.concat([wavHead(length), samples]);
  return Buffer.concat([Buffer.from(BEGINNINGS[format] ?? []), samples]);
}

function wavHead(length: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * BYTES_PER_SAMPLE, 28);
  head.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(length, 40);
  return head;
}

/** Of a plain WAV by its head; of anything else a second for every 16 KB. */
export function secondsOf(sound: Buffer): number {
  const isWav = sound.toString('latin1', 0, 4) === 'RIFF' && sound.length >= 44;
  const rate = isWav ? sound.readUInt32LE(28) : 0;
  return rate > 0 ? (sound.length - 44) / rate : sound.length / 16_384;
}
