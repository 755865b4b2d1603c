/**
 * How long a recording is. Headers may say less than there is, and hosts charge for what they hear: so the frames are
 * counted. They may also say more, and some hosts believe them: the larger figure is the answer.
 */
import { parseBuffer } from 'music-metadata';
import { textAt } from './bytes.ts';
import { flacSeconds } from './flac.ts';
import { mp4Seconds } from './mp4.ts';
import { adtsFrame, afterTags, chainSeconds, mpegFrame } from './mpeg.ts';
import { oggSeconds } from './ogg.ts';
import { wavSeconds } from './wav.ts';
import { webmSeconds } from './webm.ts';

export async function secondsOf(bytes: Uint8Array): Promise<number | undefined> {
  const counted = countedSeconds(bytes);
  // Sums of many fractions are a little too small.
  return counted === undefined ? undefined : Math.ceil(Math.max(counted, await statedSeconds(bytes)) * 1000) / 1000;
}

/** Undefined: no format that is counted here, or parts that a decoder may read otherwise. */
export function countedSeconds(bytes: Uint8Array): number | undefined {
  const start = afterTags(bytes);
  const name = textAt(bytes, start, 4);
  if (name === 'fLaC') return flacSeconds(bytes, start);
  if (name === 'OggS') return oggSeconds(bytes, start);
  if (bytes[start] === 0xff)
    return chainSeconds(bytes, start, adtsFrame(bytes, start) === undefined ? mpegFrame : adtsFrame);
  if (start > 0) return undefined;
  if (name === 'RIFF' && textAt(bytes, 8, 4) === 'WAVE') return wavSeconds(bytes);
  if (name === '\x1aE\xdf\xa3') return webmSeconds(bytes);
  return textAt(bytes, 4, 4) === 'ftyp' ? mp4Seconds(bytes) : undefined;
}

/** Zero where the headers cannot be read: what was counted is known anyway. */
async function statedSeconds(bytes: Uint8Array): Promise<number> {
  try {
    const { format } = await parseBuffer(bytes, undefined, { duration: true, skipCovers: true });
    const { duration = 0 } = format;
    return Number.isFinite(duration) && duration > 0 ? duration : 0;
  } catch {
    return 0;
  }
}
