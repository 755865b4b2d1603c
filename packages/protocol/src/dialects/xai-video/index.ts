/** Grok Imagine: one flat body, a request id, a URL that expires soon. */
import { DROPPED, dataUri, ONE_A_TASK, put, putAs, refused, SOUND_UNSAID, videoDialect } from '../video-tasks.ts';

export const xaiVideo = videoDialect({
  id: 'xai-video',
  cadenceMs: 5_000,
  fields: {
    'video.prompt': put('prompt'),
    'video.firstFrame': putAs<'video.firstFrame'>('image', (frame) => ({ url: dataUri(frame) })),
    'video.lastFrame': refused('has no place at this host'),
    'video.count': ONE_A_TASK,
    'video.aspectRatio': put('aspect_ratio'),
    'video.resolution': put('resolution'),
    'video.seconds': put('duration'),
    'video.audio': SOUND_UNSAID,
    'video.negativePrompt': DROPPED,
    'video.enhancePrompt': DROPPED,
    'video.people': DROPPED,
    'video.seed': DROPPED,
    'video.framesPerSecond': DROPPED,
  },
  submit: {
    base: ({ upstreamModel }) => ({ model: upstreamModel }),
    task: 'request_id',
  },
  poll: ({ id }) => ({ method: 'GET', path: `/videos/${encodeURIComponent(id)}` }),
  progress: {
    state: 'status',
    words: { pending: 'waiting', done: 'done', failed: 'failed', expired: 'failed' },
    videos: 'video.url',
    seconds: 'video.duration',
    errorCode: 'error.code',
    errorMessage: 'error.message',
    moderated: /moderat/i,
    invalid: /^invalid/i,
  },
  errorMessage: 'error',
});
