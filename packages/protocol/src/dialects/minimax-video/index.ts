/** Hailuo: a finished task names a file, and a further request returns the file's URL. */
import { DROPPED, dataUri, ONE_A_TASK, put, putAs, SOUND_UNSAID, videoDialect } from '../video-tasks.ts';

/** The vendor's names for the tiers. */
const TIERS: Readonly<Record<string, string>> = { '720p': '768P', '1080p': '1080P' };

export const minimaxVideo = videoDialect({
  id: 'minimax-video',
  cadenceMs: 10_000,
  fields: {
    'video.prompt': put('prompt'),
    'video.firstFrame': putAs<'video.firstFrame'>('first_frame_image', dataUri),
    'video.lastFrame': putAs<'video.lastFrame'>('last_frame_image', dataUri),
    'video.count': ONE_A_TASK,
    'video.aspectRatio': DROPPED,
    'video.resolution': putAs<'video.resolution'>('resolution', (resolution) => TIERS[resolution] ?? resolution),
    'video.seconds': put('duration'),
    'video.audio': SOUND_UNSAID,
    'video.negativePrompt': DROPPED,
    'video.enhancePrompt': put('prompt_optimizer'),
    'video.people': DROPPED,
    'video.seed': DROPPED,
    'video.framesPerSecond': DROPPED,
  },
  submit: {
    base: ({ upstreamModel }) => ({ model: upstreamModel }),
    task: 'task_id',
    status: {
      at: 'base_resp.status_code',
      fine: 0,
      message: 'base_resp.status_msg',
      // The vendor's own errors, rate limits, and the operator's key and bill.
      standsFor: { 1000: 500, 1001: 504, 1002: 429, 1004: 401, 1008: 402, 1013: 500, 1039: 429, 2049: 401 },
    },
  },
  poll: ({ id }) => ({ method: 'GET', path: `/query/video_generation?task_id=${encodeURIComponent(id)}` }),
  progress: {
    state: 'status',
    words: { Preparing: 'waiting', Queueing: 'waiting', Processing: 'waiting', Success: 'done', Fail: 'failed' },
    videos: 'none',
    errorCode: 'base_resp.status_code',
    errorMessage: 'base_resp.status_msg',
    moderated: /^10(?:26|27)$|sensitive/i,
    invalid: /^2013$/,
  },
  clips: {
    name: 'file_id',
    errand: (name) => ({ method: 'GET', path: `/files/retrieve?file_id=${encodeURIComponent(name)}` }),
    videos: 'file.download_url',
  },
  errorMessage: 'base_resp.status_msg',
});
