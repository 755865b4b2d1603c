/** Wan on DashScope: asynchronous by header, text and frames in `input`, the rest in `parameters`. */
import { DROPPED, dataUri, ONE_A_TASK, put, putAs, ratioWithoutFrame, soundAs, videoDialect } from '../video-tasks.ts';

export const dashscopeVideo = videoDialect({
  id: 'dashscope-video',
  cadenceMs: 15_000,
  fields: {
    'video.prompt': put('input.prompt'),
    // A clip between two frames uses other member names for them.
    'video.firstFrame': putAs<'video.firstFrame'>(
      ({ lastFrame }) => (lastFrame === undefined ? 'input.img_url' : 'input.first_frame_url'),
      dataUri,
    ),
    'video.lastFrame': putAs<'video.lastFrame'>('input.last_frame_url', dataUri),
    'video.count': ONE_A_TASK,
    'video.aspectRatio': ratioWithoutFrame('parameters.ratio'),
    'video.resolution': putAs<'video.resolution'>('parameters.resolution', (resolution) => resolution.toUpperCase()),
    'video.seconds': put('parameters.duration'),
    'video.audio': soundAs('parameters.audio'),
    'video.negativePrompt': put('input.negative_prompt'),
    'video.enhancePrompt': put('parameters.prompt_extend'),
    'video.people': DROPPED,
    'video.seed': put('parameters.seed'),
    'video.framesPerSecond': DROPPED,
  },
  submit: {
    headers: [['x-dashscope-async', 'enable']],
    base: ({ upstreamModel }) => ({ model: upstreamModel }),
    task: 'output.task_id',
  },
  poll: ({ id }) => ({ method: 'GET', path: `/tasks/${encodeURIComponent(id)}` }),
  progress: {
    state: 'output.task_status',
    words: {
      PENDING: 'waiting',
      RUNNING: 'waiting',
      SUCCEEDED: 'done',
      FAILED: 'failed',
      CANCELED: 'failed',
      UNKNOWN: 'failed',
    },
    videos: 'output.video_url',
    seconds: 'usage.duration',
    errorCode: 'output.code',
    errorMessage: 'output.message',
    moderated: /DataInspectionFailed/,
    invalid: /^InvalidParameter/,
  },
  errorMessage: 'message',
});
