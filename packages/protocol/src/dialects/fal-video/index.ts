/** Clips from a queue: text and frames have paths of their own below a model's, and finished clips are fetched. */
import { entryIn, entryPath } from '../../passes/json-paths.ts';
import { DROPPED, dataUri, ONE_A_TASK, put, putAs, ratioWithoutFrame, soundAs, videoDialect } from '../video-tasks.ts';

export const falVideo = videoDialect({
  id: 'fal-video',
  cadenceMs: 5_000,
  fields: {
    'video.prompt': put('prompt'),
    'video.firstFrame': putAs<'video.firstFrame'>('image_url', dataUri),
    'video.lastFrame': putAs<'video.lastFrame'>('end_image_url', dataUri),
    'video.count': ONE_A_TASK,
    'video.aspectRatio': ratioWithoutFrame('aspect_ratio'),
    'video.resolution': put('resolution'),
    'video.seconds': putAs<'video.seconds'>('duration', String),
    'video.audio': soundAs('generate_audio'),
    'video.negativePrompt': put('negative_prompt'),
    'video.enhancePrompt': DROPPED,
    'video.people': DROPPED,
    'video.seed': put('seed'),
    'video.framesPerSecond': DROPPED,
  },
  submit: {
    path: ({ firstFrame }, { path }) => `${path}/${firstFrame === undefined ? 'text' : 'image'}-to-video`,
    base: () => ({}),
    task: 'request_id',
  },
  poll: ({ id, path }) => ({ method: 'GET', path: `${entryPath(path, encodeURIComponent(id))}/status` }),
  progress: {
    state: 'status',
    words: { IN_QUEUE: 'waiting', IN_PROGRESS: 'waiting', COMPLETED: 'done', FAILED: 'failed', CANCELED: 'failed' },
    videos: '',
    errorMessage: 'error',
    moderated: /content_policy_violation/,
  },
  clips: {
    name: 'response_url',
    errand: (address) => ({ method: 'GET', path: entryIn(address) }),
    videos: 'video.url',
    refusal: {
      errorCode: 'detail[].type',
      errorMessage: 'detail[].msg',
      moderated: /content_policy_violation/,
      // These prefixes mean that the task itself failed; every other code blames the request.
      invalid: /^(?!internal_|generation_|downstream_)/,
    },
  },
  errorMessage: 'detail[].msg',
});
