/** ffmpeg and ffprobe, as programs that are not ours. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LIMIT = { timeout: 60_000, maxBuffer: 256 * 1024 * 1024 };
const RATE = 16_000;
const BYTES_PER_SAMPLE = 2;
const QUIET = ['-loglevel', 'error', '-y'];

export async function withFile<T>(bytes: Buffer, use: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sound-'));
  const path = join(folder, 'sound');
  try {
    writeFileSync(path, bytes);
    return await use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** As a recogniser hears it. */
export const SAMPLES = ['-ac', '1', '-ar', String(RATE), '-f', 's16le'];

export const secondsOf = (samples: Buffer): number => samples.length / BYTES_PER_SAMPLE / RATE;

/** All that a decoder finds, whatever the headers say. */
export const decoded = (bytes: Buffer): Promise<Buffer> => withFile(bytes, (path) => encode(path, SAMPLES, true));

/** Whether a reader of subtitles finds words in them, and nothing that it cannot read. */
export const isReadable = (form: string, text: string, words: string): Promise<boolean> =>
  withFile(Buffer.from(text), async (path) => {
    const read = form === 'vtt' ? 'webvtt' : form;
    const { stdout } = await run('ffmpeg', [...QUIET, '-xerror', '-f', read, '-i', path, '-f', 'srt', 'pipe:1'], LIMIT);
    return stdout.includes(words);
  });

/** What a header says it is, and for how long; an absent length is zero. */
export const probed = (bytes: Buffer, more: readonly string[] = []): Promise<{ format: string; seconds: number }> =>
  withFile(bytes, async (path) => {
    const asked = ['-v', 'error', ...more, '-show_entries', 'format=format_name,duration', '-of', 'json', path];
    const { stdout } = await run('ffprobe', asked, LIMIT);
    const { format } = JSON.parse(stdout) as { format: { format_name: string; duration?: string } };
    return { format: format.format_name, seconds: Number(format.duration ?? 0) };
  });

/** To a pipe, a container cannot go back and write lengths into its header; to a file, it can. */
export async function encode(
  from: string,
  how: readonly string[],
  isPiped = false,
  raw: readonly string[] = [],
): Promise<Buffer> {
  const input = [...QUIET, ...raw, '-i', from];
  if (isPiped) {
    const { stdout } = await run('ffmpeg', [...input, ...how, 'pipe:1'], { ...LIMIT, encoding: 'buffer' });
    return stdout;
  }
  return withFile(Buffer.alloc(0), async (path) => {
    await run('ffmpeg', [...input, ...how, path], LIMIT);
    return readFileSync(path);
  });
}

export const tone = (seconds: number): Promise<Buffer> =>
  withFile(Buffer.alloc(0), async (path) => {
    const source = `sine=frequency=300:duration=${seconds}`;
    await run('ffmpeg', [...QUIET, '-f', 'lavfi', '-i', source, '-ar', '44100', '-f', 'wav', path], LIMIT);
    return readFileSync(path);
  });
