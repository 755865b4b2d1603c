// Vendors with one flat body, a bearer credential and a task by id: Seedance, Wan, Kling, Hailuo, Grok and Sora.
import { asList, asNumber, asRecord, asText } from '../../json-value.ts';
import type { DialectOptions, VendorRequest } from '../dialect.ts';
import { bearerOf, headerText, isAccepted } from '../judgement.ts';
import { flag, integer, list, object, text, word } from '../shape-check.ts';
import { bareBase64, dataUri } from './pictures-in.ts';
import { type ClipVendor, json, type TaskReport } from './vendor.ts';

const isWelcome = ({ headers }: VendorRequest, options: DialectOptions): boolean => {
  const bearer = bearerOf(headerText(headers.authorization));
  return bearer !== '' && isAccepted(bearer, options);
};

const prompt = text({ min: 1 });
const urlsOf = ({ state, clipUrl }: TaskReport): string[] =>
  state.kind === 'done' ? Array.from({ length: state.clips }, (_, nth) => clipUrl(nth)) : [];
/** One clip per task: withheld or not. */
const isBlocked = ({ state }: TaskReport): boolean => state.kind === 'done' && state.blocked > 0;

const errorBody = (status: number, message: string) => json(status, { error: { code: String(status), message } });

export const arkClips: ClipVendor = {
  name: 'ark-video',
  vendors: ['ark'],
  isWelcome,
  submit: {
    path: /^\/api\/v3\/contents\/generations\/tasks$/u,
    shape: object(
      {
        model: prompt,
        content: list(
          object(
            { type: word('text', 'image_url') },
            { text: prompt, image_url: object({ url: dataUri }), role: word('first_frame', 'last_frame') },
          ),
          { min: 1 },
        ),
      },
      {
        ratio: word('16:9', '9:16', '1:1', '4:3', '3:4', '21:9'),
        resolution: word('480p', '720p', '1080p'),
        duration: integer({ min: 2, max: 12 }),
        generate_audio: flag,
        seed: integer(),
      },
    ),
    facts: (body) => ({
      model: asText(body['model']),
      prompt: asList(body['content'])
        .map((item) => asText(asRecord(item)['text']))
        .join(' '),
      count: 1,
      seconds: asNumber(body['duration']) ?? 5,
    }),
    accepted: ({ id }) => ({ id }),
  },
  taskIn: ({ path }) => /^\/api\/v3\/contents\/generations\/tasks\/([^/]+)$/u.exec(path)?.[1],
  statusBody: (report) => {
    const { task, state } = report;
    const about = { id: task.id, model: task.model };
    if (state.kind === 'waiting') return { ...about, status: task.asked === 1 ? 'queued' : 'running' };
    if (isBlocked(report))
      return {
        ...about,
        status: 'failed',
        error: { code: 'OutputVideoSensitiveContentDetected', message: 'The video may contain sensitive content.' },
      };
    if (state.kind === 'failed')
      return {
        ...about,
        status: 'failed',
        error: { code: state.isInvalid ? 'InvalidParameter' : 'InternalServiceError', message: 'The task failed.' },
      };
    return { ...about, status: 'succeeded', content: { video_url: urlsOf(report)[0] }, duration: task.seconds };
  },
  refusal: errorBody,
};

const WAN_TASK = /^\/api\/v1\/tasks\/(clip-[0-9]+)$/u;
export const dashscopeClips: ClipVendor = {
  name: 'dashscope-video',
  vendors: ['dashscope'],
  isWelcome,
  submit: {
    path: /^\/api\/v1\/services\/aigc\/video-generation\/video-synthesis$/u,
    shape: object(
      {
        model: prompt,
        input: object(
          {},
          { prompt, negative_prompt: text(), img_url: dataUri, first_frame_url: dataUri, last_frame_url: dataUri },
        ),
      },
      {
        parameters: object(
          {},
          {
            resolution: word('480P', '720P', '1080P'),
            ratio: word('16:9', '9:16', '1:1'),
            duration: integer({ min: 2, max: 15 }),
            prompt_extend: flag,
            audio: flag,
            seed: integer({ min: 0 }),
          },
        ),
      },
    ),
    objection: (_body, { headers }) =>
      headerText(headers['x-dashscope-async']) === 'enable'
        ? undefined
        : 'current user api does not support synchronous calls.',
    facts: (body) => ({
      model: asText(body['model']),
      prompt: asText(asRecord(body['input'])['prompt']),
      count: 1,
      seconds: asNumber(asRecord(body['parameters'])['duration']) ?? 5,
    }),
    accepted: ({ id }) => ({ output: { task_id: id, task_status: 'PENDING' }, request_id: `req-${id}` }),
  },
  taskIn: ({ path }) => WAN_TASK.exec(path)?.[1],
  statusBody: (report) => {
    const { task, state } = report;
    const about = { task_id: task.id };
    const failed = (code: string, message: string) => ({ output: { ...about, task_status: 'FAILED', code, message } });
    if (state.kind === 'waiting')
      return { output: { ...about, task_status: task.asked === 1 ? 'PENDING' : 'RUNNING' } };
    if (isBlocked(report)) return failed('DataInspectionFailed', 'Output data may contain inappropriate content.');
    if (state.kind === 'failed')
      return failed(state.isInvalid ? 'InvalidParameter' : 'InternalError', 'The task failed.');
    return {
      output: { ...about, task_status: 'SUCCEEDED', video_url: urlsOf(report)[0] },
      usage: { duration: task.seconds },
    };
  },
  refusal: (status, message) => json(status, { code: `Error${status}`, message, request_id: 'req' }),
};

const KLING = /^\/v1\/videos\/(text2video|image2video)$/u;
export const klingClips: ClipVendor = {
  name: 'kling-video',
  vendors: ['kling'],
  isWelcome,
  submit: {
    path: KLING,
    shape: object(
      { model_name: prompt },
      {
        prompt,
        negative_prompt: text(),
        image: bareBase64,
        image_tail: bareBase64,
        aspect_ratio: word('16:9', '9:16', '1:1'),
        duration: word('5', '8', '10'),
        mode: word('std', 'pro'),
        sound: word('on', 'off'),
      },
    ),
    objection: (body, { path }) => {
      const fromImage = KLING.exec(path)?.[1] === 'image2video';
      if (fromImage !== (body['image'] !== undefined)) return 'image belongs to image2video.';
      return fromImage && body['aspect_ratio'] !== undefined ? 'aspect_ratio is not supported here.' : undefined;
    },
    facts: (body) => ({
      model: asText(body['model_name']),
      prompt: asText(body['prompt']),
      count: 1,
      seconds: Number(asText(body['duration']) || '5'),
    }),
    accepted: ({ id }) => ({ code: 0, message: 'SUCCEED', data: { task_id: id, task_status: 'submitted' } }),
  },
  taskIn: ({ path }) => /^\/v1\/videos\/(?:text2video|image2video)\/([^/]+)$/u.exec(path)?.[1],
  statusBody: (report) => {
    const { task, state } = report;
    const about = { task_id: task.id };
    const data =
      state.kind === 'waiting'
        ? { ...about, task_status: task.asked === 1 ? 'submitted' : 'processing' }
        : state.kind === 'failed' || isBlocked(report)
          ? {
              ...about,
              task_status: 'failed',
              task_status_msg: isBlocked(report) ? 'Failure to pass the risk control system' : 'The task failed.',
            }
          : {
              ...about,
              task_status: 'succeed',
              task_result: { videos: urlsOf(report).map((url) => ({ id: '1', url, duration: String(task.seconds) })) },
            };
    return { code: 0, message: 'SUCCEED', data };
  },
  refusal: (status, message) => json(status, { code: 1000 + status, message }),
};

export const minimaxClips: ClipVendor = {
  name: 'minimax-video',
  vendors: ['minimax'],
  isWelcome,
  submit: {
    path: /^\/v1\/video_generation$/u,
    shape: object(
      { model: prompt },
      {
        prompt,
        first_frame_image: dataUri,
        last_frame_image: dataUri,
        resolution: word('768P', '1080P'),
        duration: integer({ min: 6, max: 10 }),
        prompt_optimizer: flag,
      },
    ),
    facts: (body) => ({
      model: asText(body['model']),
      prompt: asText(body['prompt']),
      count: 1,
      seconds: asNumber(body['duration']) ?? 6,
    }),
    accepted: ({ id }) => ({ task_id: id, base_resp: { status_code: 0, status_msg: 'success' } }),
  },
  taskIn: ({ path, query }) =>
    path === '/v1/query/video_generation' ? (new URLSearchParams(query).get('task_id') ?? '') : undefined,
  statusBody: (report) => {
    const { task, state } = report;
    const about = { task_id: task.id };
    if (state.kind === 'waiting') return { ...about, status: task.asked === 1 ? 'Queueing' : 'Processing' };
    const failed = (status_code: number, status_msg: string) => ({
      ...about,
      status: 'Fail',
      base_resp: { status_code, status_msg },
    });
    if (isBlocked(report)) return failed(1027, 'output new_sensitive');
    if (state.kind === 'failed') return failed(state.isInvalid ? 2013 : 1000, 'The task failed.');
    return {
      ...about,
      status: 'Success',
      file_id: `file-${task.id}`,
      base_resp: { status_code: 0, status_msg: 'success' },
    };
  },
  alsoServes: /^\/v1\/files\/retrieve$/u,
  also: ({ path, query }, find) => {
    const id = new URLSearchParams(query).get('file_id') ?? '';
    if (path !== '/v1/files/retrieve' || !id.startsWith('file-')) return undefined;
    const report = find(id.slice('file-'.length));
    return (
      report &&
      json(200, {
        file: { file_id: id, download_url: report.clipUrl(0) },
        base_resp: { status_code: 0, status_msg: 'success' },
      })
    );
  },
  refusal: (status, message) => json(status, { base_resp: { status_code: 1000, status_msg: message } }),
};

export const xaiClips: ClipVendor = {
  name: 'xai-video',
  vendors: ['xai'],
  isWelcome,
  submit: {
    path: /^\/v1\/videos\/generations$/u,
    shape: object(
      { model: prompt, prompt },
      {
        image: object({ url: dataUri }),
        aspect_ratio: word('16:9', '9:16', '1:1'),
        resolution: word('480p', '720p'),
        duration: integer({ min: 1, max: 15 }),
      },
    ),
    facts: (body) => ({
      model: asText(body['model']),
      prompt: asText(body['prompt']),
      count: 1,
      seconds: asNumber(body['duration']) ?? 6,
    }),
    accepted: ({ id }) => ({ request_id: id }),
  },
  taskIn: ({ path }) => /^\/v1\/videos\/(clip-[0-9]+)$/u.exec(path)?.[1],
  statusBody: (report) => {
    const { task, state } = report;
    if (state.kind === 'waiting') return { status: 'pending' };
    if (isBlocked(report))
      return { status: 'failed', error: { code: 'content_moderated', message: 'The video was held back.' } };
    if (state.kind === 'failed')
      return {
        status: 'failed',
        error: { code: state.isInvalid ? 'invalid_request' : 'internal', message: 'The task failed.' },
      };
    return { status: 'done', model: task.model, video: { url: urlsOf(report)[0], duration: task.seconds } };
  },
  refusal: (status, message) => json(status, { code: String(status), error: message }),
};

export const soraClips: ClipVendor = {
  name: 'openai-videos',
  vendors: ['openai'],
  isWelcome,
  submit: {
    path: /^\/v1\/videos$/u,
    shape: object(
      { model: prompt, prompt },
      {
        seconds: word('4', '8', '12'),
        size: word('1280x720', '720x1280', '1792x1024', '1024x1792'),
        input_reference: object({ image_url: dataUri }),
      },
    ),
    facts: (body) => ({
      model: asText(body['model']),
      prompt: asText(body['prompt']),
      count: 1,
      seconds: Number(asText(body['seconds']) || '4'),
    }),
    accepted: ({ id, model }) => ({ id, object: 'video', model, status: 'queued', progress: 0 }),
  },
  taskIn: ({ path }) => /^\/v1\/videos\/(clip-[0-9]+)$/u.exec(path)?.[1],
  contentOf: /^\/v1\/videos\/(clip-[0-9]+)\/content$/u,
  statusBody: (report) => {
    const { task, state } = report;
    const about = { id: task.id, object: 'video', model: task.model, seconds: String(task.seconds) };
    if (state.kind === 'waiting') return { ...about, status: 'in_progress', progress: 50 };
    if (isBlocked(report))
      return { ...about, status: 'failed', error: { code: 'moderation_blocked', message: 'The video was held back.' } };
    if (state.kind === 'failed')
      return { ...about, status: 'failed', error: { code: 'server_error', message: 'The task failed.' } };
    return { ...about, status: 'completed', progress: 100 };
  },
  refusal: (status, message) =>
    json(status, { error: { message, type: 'invalid_request_error', param: null, code: null } }),
};
