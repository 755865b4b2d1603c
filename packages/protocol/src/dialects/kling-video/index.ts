/** Kling: text and images have paths of their own, and a task is polled where it was submitted. */
import { DROPPED, ONE_A_TASK, put, putAs, ratioWithoutFrame, soundAs, videoDialect } from '../video-tasks.ts';

const FROM_TEXT = '/v1/videos/text2video';
const FROM_IMAGE = '/v1/videos/image2video';

export const klingVideo = videoDialect({
  id: 'kling-video',
  cadenceMs: 10_000,
  fields: {
    'video.prompt': put('prompt'),
    // Bare base64: a data URI is refused.
    'video.firstFrame': putAs<'video.firstFrame'>('image', ({ base64 }) => base64),
    'video.lastFrame': putAs<'video.lastFrame'>('image_tail', ({ base64 }) => base64),
    'video.count': ONE_A_TASK,
    'video.aspectRatio': ratioWithoutFrame('aspect_ratio'),
    'video.resolution': putAs<'video.resolution'>('mode', (resolution) => (resolution === '1080p' ? 'pro' : 'std')),
    'video.seconds': putAs<'video.seconds'>('duration', String),
    'video.audio': soundAs('sound', (wanted) => (wanted ? 'on' : 'off')),
    'video.negativePrompt': put('negative_prompt'),
    'video.enhancePrompt': DROPPED,
    'video.people': DROPPED,
    'video.seed': DROPPED,
    'video.framesPerSecond': DROPPED,
  },
  submit: {
    path: ({ firstFrame }) => (firstFrame === undefined ? FROM_TEXT : FROM_IMAGE),
    base: ({ upstreamModel }) => ({ model_name: upstreamModel }),
    task: 'data.task_id',
    status: { at: 'code', fine: 0, message: 'message' },
  },
  poll: ({ id, path }) => ({ method: 'GET', path: `${path}/${encodeURIComponent(id)}` }),
  progress: {
    state: 'data.task_status',
    words: { submitted: 'waiting', processing: 'waiting', succeed: 'done', failed: 'failed' },
    videos: 'data.task_result.videos[].url',
    seconds: 'data.task_result.videos[].duration',
    errorMessage: 'data.task_status_msg',
    moderated: /risk control|sensitive|moderation/i,
  },
  errorMessage: 'message',
});
