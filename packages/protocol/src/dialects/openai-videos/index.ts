/** Sora: sizes in pixels, seconds as text, and a clip that needs the credential that ordered it. */
import type { VideoCall } from '../../canonical/video.ts';
import { textAt } from '../../passes/json-paths.ts';
import {
  DROPPED,
  dataUri,
  ONE_A_TASK,
  put,
  putAs,
  readState,
  refused,
  SOUND_UNSAID,
  videoDialect,
} from '../video-tasks.ts';

const VIDEOS = '/videos';

/** Long side and short side of each tier. */
const SIDES: Readonly<Record<string, readonly [long: number, short: number]>> = {
  '720p': [1280, 720],
  '1080p': [1792, 1024],
};

function size({ aspectRatio = '16:9', resolution = '720p' }: VideoCall): string {
  const [long, short] = SIDES[resolution] ?? [1280, 720];
  return aspectRatio === '9:16' ? `${short}x${long}` : `${long}x${short}`;
}

export {
  checkOrder,
  checkRemix,
  encodeVideo,
  noVideo,
  type OrderedVideo,
  operationOfVideo,
  orderSpelling,
  pixelsOf,
  type StoredVideo,
  videoId,
} from './order.ts';
export const openaiVideos = videoDialect({
  id: 'openai-videos',
  cadenceMs: 10_000,
  fields: {
    'video.prompt': put('prompt'),
    'video.firstFrame': putAs<'video.firstFrame'>('input_reference', (frame) => ({ image_url: dataUri(frame) })),
    'video.lastFrame': refused('has no place at this host'),
    'video.count': ONE_A_TASK,
    'video.aspectRatio': putAs<'video.aspectRatio'>('size', (_ratio, call) => size(call)),
    'video.resolution': putAs<'video.resolution'>('size', (_resolution, call) => size(call)),
    'video.seconds': putAs<'video.seconds'>('seconds', String),
    'video.audio': SOUND_UNSAID,
    'video.negativePrompt': DROPPED,
    'video.enhancePrompt': DROPPED,
    'video.people': DROPPED,
    'video.seed': DROPPED,
    'video.framesPerSecond': DROPPED,
  },
  submit: { base: ({ upstreamModel }) => ({ model: upstreamModel }), task: 'id' },
  remix: (prompt, { id }) => ({
    path: `${VIDEOS}/${encodeURIComponent(id)}/remix`,
    headers: [],
    body: { prompt },
    losses: [],
  }),
  poll: ({ id }) => ({ method: 'GET', path: `${VIDEOS}/${encodeURIComponent(id)}` }),
  progress: (answer) => {
    const read = readState(PROGRESS, answer);
    if (read.state !== 'done' || read.blocked.length > 0) return read;
    const url = `${VIDEOS}/${encodeURIComponent(textAt(answer, 'id') ?? '')}/content`;
    return { ...read, videos: [{ url, mimeType: 'video/mp4', needsCredential: true }] };
  },
  errorMessage: 'error.message',
});

const PROGRESS = {
  state: 'status',
  words: { queued: 'waiting', in_progress: 'waiting', completed: 'done', failed: 'failed' },
  videos: 'none',
  seconds: 'seconds',
  percent: 'progress',
  errorCode: 'error.code',
  errorMessage: 'error.message',
  moderated: /moderation/,
} as const;
