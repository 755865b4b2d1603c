/** Seedance on Ark: one list of contents, a task by id, a URL of the clip. */
import type { VideoFrame } from '../../canonical/video.ts';
import { addAs, DROPPED, dataUri, ONE_A_TASK, put, soundAs, videoDialect } from '../video-tasks.ts';

const frame = (role: string) => (value: VideoFrame) => ({
  type: 'image_url',
  image_url: { url: dataUri(value) },
  role,
});

export const arkVideo = videoDialect({
  id: 'ark-video',
  cadenceMs: 10_000,
  fields: {
    'video.prompt': addAs<'video.prompt'>('content', (text) => ({ type: 'text', text })),
    'video.firstFrame': addAs<'video.firstFrame'>('content', frame('first_frame')),
    'video.lastFrame': addAs<'video.lastFrame'>('content', frame('last_frame')),
    'video.count': ONE_A_TASK,
    'video.aspectRatio': put('ratio'),
    'video.resolution': put('resolution'),
    'video.seconds': put('duration'),
    'video.audio': soundAs('generate_audio'),
    'video.negativePrompt': DROPPED,
    'video.enhancePrompt': DROPPED,
    'video.people': DROPPED,
    'video.seed': put('seed'),
    'video.framesPerSecond': DROPPED,
  },
  submit: { base: ({ upstreamModel }) => ({ model: upstreamModel }), task: 'id' },
  poll: ({ id, path }) => ({ method: 'GET', path: `${path}/${encodeURIComponent(id)}` }),
  progress: {
    state: 'status',
    words: {
      queued: 'waiting',
      running: 'waiting',
      succeeded: 'done',
      failed: 'failed',
      cancelled: 'failed',
      expired: 'failed',
    },
    videos: 'content.video_url',
    seconds: 'duration',
    tokens: 'usage.completion_tokens',
    errorCode: 'error.code',
    errorMessage: 'error.message',
    moderated: /SensitiveContent|RiskDetection/,
    invalid: /^Invalid(?:Parameter|Argument)/,
  },
  errorMessage: 'error.message',
});
