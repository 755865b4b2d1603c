/** One tone in every container that callers send, and the same with headers that lie. */
import { encode, tone, withFile } from './media.ts';

const SECONDS = 30;

type Way = { readonly how: readonly string[]; readonly isPiped?: true };

const WAYS: Readonly<Record<string, Way>> = {
  wav: { how: ['-f', 'wav'] },
  'wav, piped': { how: ['-f', 'wav'], isPiped: true },
  'mp3, constant': { how: ['-b:a', '64k', '-f', 'mp3'] },
  'mp3, constant, bare': { how: ['-b:a', '64k', '-write_xing', '0', '-f', 'mp3'] },
  'mp3, variable': { how: ['-q:a', '4', '-f', 'mp3'] },
  'mp3, variable, bare': { how: ['-q:a', '4', '-write_xing', '0', '-f', 'mp3'] },
  'm4a, moov first': { how: ['-c:a', 'aac', '-movflags', 'faststart', '-f', 'ipod'] },
  'm4a, moov last': { how: ['-c:a', 'aac', '-f', 'ipod'] },
  'm4a, fragmented': {
    how: ['-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', '-frag_duration', '1000000', '-f', 'mp4'],
  },
  'ogg, opus': { how: ['-c:a', 'libopus', '-f', 'ogg'] },
  'ogg, vorbis': { how: ['-c:a', 'libvorbis', '-f', 'ogg'] },
  flac: { how: ['-f', 'flac'] },
  'flac, piped': { how: ['-f', 'flac'], isPiped: true },
  webm: { how: ['-c:a', 'libopus', '-f', 'webm'] },
  'webm, live': { how: ['-c:a', 'libopus', '-f', 'webm', '-live', '1'], isPiped: true },
  aac: { how: ['-c:a', 'aac', '-f', 'adts'] },
};

export type Container = { readonly name: string; readonly bytes: Buffer; readonly isForged: boolean };

export async function containers(): Promise<readonly Container[]> {
  const made = new Map<string, Buffer>();
  await withFile(await tone(SECONDS), async (path) => {
    for (const [name, { how, isPiped }] of Object.entries(WAYS)) made.set(name, await encode(path, how, isPiped));
  });
  const honest = [...made].map(([name, bytes]) => ({ name, bytes, isForged: false }));
  const lies = Object.entries(LIES).map(([name, { of, forge }]) => {
    const bytes = Buffer.from(made.get(of) ?? Buffer.alloc(0));
    forge(bytes);
    return { name: `forged: ${name}`, bytes, isForged: true };
  });
  return [...honest, ...lies];
}

type Lie = { readonly of: string; readonly forge: (bytes: Buffer) => void };

const LIES: Readonly<Record<string, Lie>> = {
  'size of data': { of: 'wav', forge: (bytes) => void bytes.writeUInt32LE(88_200, bytes.indexOf('data') + 4) },
  'frames of Xing': { of: 'mp3, variable', forge: (bytes) => void bytes.writeUInt32BE(55, bytes.indexOf('Xing') + 8) },
  'mvhd and mdhd': {
    of: 'm4a, moov last',
    forge: (bytes) => {
      for (const name of ['mvhd', 'mdhd']) {
        const at = bytes.indexOf(name);
        bytes.writeUInt32BE(bytes.readUInt32BE(at + 16), at + 20);
      }
    },
  },
  'samples of FLAC': { of: 'flac', forge: (bytes) => void bytes.writeUInt32BE(44_100, 22) },
  'duration of WebM': {
    of: 'webm',
    forge: (bytes) => void bytes.writeDoubleBE(1000, bytes.indexOf(Buffer.from('4489', 'hex')) + 3),
  },
};
