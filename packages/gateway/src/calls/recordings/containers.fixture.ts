/** Recordings by hand: frames of silence, in containers that say how long they are, truly or not. */
const u32 = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const u16 = (value: number): number[] => [value >> 8, value & 255];
const le32 = (value: number): number[] => u32(value).reverse();
const le16 = (value: number): number[] => u16(value).reverse();
const text = (value: string): number[] => [...Buffer.from(value, 'latin1')];
const zeros = (length: number): number[] => new Array<number>(length).fill(0);
const repeat = (count: number, one: (index: number) => readonly number[]): Buffer =>
  Buffer.concat(Array.from({ length: Math.ceil(count) }, (_, index) => Buffer.from(one(index))));
const joined = (...parts: readonly (Buffer | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));

const WAV_RATE = 8000;

export function wav(seconds: number, { stated = seconds, format = 1, rate = WAV_RATE } = {}): Buffer {
  const fmt = [...le16(format), ...le16(1), ...le32(rate), ...le32(rate * 2), ...le16(2), ...le16(16)];
  const head = [...text('RIFF'), ...le32(36), ...text('WAVEfmt '), ...le32(16), ...fmt];
  return joined([...head, ...text('data'), ...le32(stated * WAV_RATE * 2)], Buffer.alloc(seconds * WAV_RATE * 2));
}

/** 44.1 kHz, 32 kbit/s, with a table that says how many frames there are. */
export function mp3(seconds: number, { stated = seconds } = {}): Buffer {
  const head = [0xff, 0xfb, 0x10, 0xc0];
  const table = [...head, ...zeros(17), ...text('Xing'), ...u32(1), ...u32((stated * 44_100) / 1152)];
  const frame = [...head, ...zeros(100)];
  return joined(
    [...table, ...zeros(104 - table.length)],
    repeat((seconds * 44_100) / 1152, () => frame),
  );
}

export const adts = (seconds: number): Buffer =>
  repeat((seconds * 16_000) / 1024, () => [0xff, 0xf1, 0x60, 0x40, 0x02, 0x1f, 0xfc, ...zeros(9)]);

export function flac(seconds: number, { stated = seconds } = {}): Buffer {
  const samples = stated * 16_000;
  const info = [...u16(4096), ...u16(4096), ...zeros(6), 0x03, 0xe8, 0x00, 0xf0, ...u32(samples), ...zeros(16)];
  const frames = repeat((seconds * 16_000) / 4096, (index) => {
    const head = [0xff, 0xf8, 0xc5, 0x08, index & 0x7f];
    return [...head, crc8(head), ...zeros(8)];
  });
  return joined([...text('fLaC'), 0x80, 0, 0, 34, ...info], frames);
}

function crc8(bytes: readonly number[]): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x80) === 0 ? crc << 1 : ((crc << 1) ^ 0x07) & 255;
  }
  return crc;
}

/** Packets of 20 ms. */
const OPUS = [0xf8, 0xff, 0xfe];

export function ogg(seconds: number, { stated = seconds } = {}): Buffer {
  const page = (flags: number, position: number, packets: readonly (readonly number[])[]): number[] => [
    ...[...text('OggS'), 0, flags, ...le32(position), ...zeros(4), ...le32(7), ...zeros(8), packets.length],
    ...packets.map(({ length }) => length),
    ...packets.flat(),
  ];
  const head = [...text('OpusHead'), 1, 1, 0, 0, ...le32(48_000), 0, 0, 0];
  const body = repeat(seconds, () =>
    page(
      0,
      stated * 48_000,
      Array.from({ length: 50 }, () => OPUS),
    ),
  );
  return joined(page(2, 0, [head]), page(0, 0, [[...text('OpusTags'), ...zeros(8)]]), body);
}

export function webm(seconds: number, { stated = seconds } = {}): Buffer {
  const sized = (id: readonly number[], body: readonly number[]): number[] => [
    ...id,
    0x10,
    ...u32(body.length).slice(1),
    ...body,
  ];
  const duration = Buffer.alloc(4);
  duration.writeFloatBE(stated * 1000);
  const info = sized(
    [0x15, 0x49, 0xa9, 0x66],
    [...sized([0x2a, 0xd7, 0xb1], [0x0f, 0x42, 0x40]), ...sized([0x44, 0x89], [...duration])],
  );
  const track = [...sized([0xd7], [1]), ...sized([0x83], [2]), ...sized([0x86], text('A_OPUS'))];
  const tracks = sized([0x16, 0x54, 0xae, 0x6b], sized([0xae], track));
  const blocks = repeat(seconds * 50, () => sized([0xa3], [0x81, 0, 0, 0x80, ...OPUS]));
  const live = [0x01, ...new Array<number>(7).fill(0xff)];
  return joined(
    sized([0x1a, 0x45, 0xdf, 0xa3], sized([0x42, 0x82], text('webm'))),
    [0x18, 0x53, 0x80, 0x67, ...live, ...info, ...tracks, 0x1f, 0x43, 0xb6, 0x75, ...live],
    blocks,
  );
}

export function mp4(seconds: number, { stated = seconds, codec = 'mp4a', fragmented = false } = {}): Buffer {
  const box = (name: string, ...body: readonly (readonly number[])[]): number[] => {
    const all = body.flat();
    return [...u32(8 + all.length), ...text(name), ...all];
  };
  const samples = Math.ceil((seconds * 16_000) / 1024);
  const esds = [0x03, 22, ...zeros(3), 0x04, 17, 0x40, ...zeros(12), 0x05, 2, 0x14, 0x08];
  const entry = [...zeros(6), 0, 1, ...zeros(8), ...u16(1), ...u16(16), ...zeros(4), ...u16(16_000), 0, 0];
  const own = fragmented ? 0 : samples;
  const tables = [
    box('stsd', zeros(4), u32(1), box(codec, entry, box('esds', zeros(4), esds))),
    box('stts', zeros(4), u32(1), u32(own), u32(1)),
    box('stsz', zeros(4), u32(1), u32(own)),
  ];
  const track = box(
    'trak',
    box('tkhd', zeros(12), u32(1), zeros(68)),
    box(
      'mdia',
      box('mdhd', zeros(12), u32(1000), u32(stated * 1000), zeros(4)),
      box('hdlr', zeros(8), text('soun'), zeros(13)),
      box('minf', box('stbl', ...tables)),
    ),
  );
  const header = box('mvhd', zeros(12), u32(1000), u32(stated * 1000), zeros(80));
  const parts = [box('ftyp', text('M4A '), zeros(4)), box('moov', header, track)];
  if (fragmented)
    parts.push(box('moof', box('traf', box('tfhd', zeros(4), u32(1)), box('trun', zeros(4), u32(samples)))));
  return joined(...parts, box('mdat', zeros(samples)));
}
