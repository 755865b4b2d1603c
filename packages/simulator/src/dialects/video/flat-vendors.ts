// Vendors with one flat body, a bearer credential and one clip per task, by id: Seedance, Wan, Kling, Hailuo, Grok and Sora.
import { asNumber, asRecord, asRecords, asText, type JsonRecord } from '../../json-value.ts';
import type { VendorRequest } from '../dialect.ts';
import { bearerOf, headerText, isAccepted } from '../judgement.ts';
import { json } from '../replies.ts';
import type { ClipTask } from './tasks.ts';
import type { ClipFacts, ClipVendor, TaskReport } from './vendor.ts';

/** What a poll finds, in one word. */
type Finding = 'queued' | 'running' | 'blocked' | 'invalid' | 'failed';

interface FlatVendor extends Pick<ClipVendor, 'name' | 'taskIn' | 'refusal' | 'also' | 'alsoServes' | 'contentOf'> {
  readonly vendor: string;
  readonly path: RegExp;
  readonly shape: string;
  readonly objection?: ClipVendor['submit']['objection'];
  readonly facts: (body: JsonRecord) => Partial<ClipFacts> & Pick<ClipFacts, 'seconds'>;
  readonly accepted: ClipVendor['submit']['accepted'];
  readonly findings: Readonly<Record<Finding, object>>;
  readonly done: (task: ClipTask, url: string) => object;
  /** The members around a finding. */
  readonly status?: (finding: object, task: ClipTask, isDone: boolean) => object;
}

function findingOf({ task, state }: TaskReport): Finding | undefined {
  if (state.kind === 'waiting') return task.asked === 1 ? 'queued' : 'running';
  if (state.kind === 'failed') return state.isInvalid ? 'invalid' : 'failed';
  return state.blocked > 0 ? 'blocked' : undefined;
}

function flat(given: FlatVendor): ClipVendor {
  const { vendor, path, shape, accepted, facts, findings, done, status = (finding) => finding, ...rest } = given;
  return {
    ...rest,
    vendors: [vendor],
    isWelcome: ({ headers }, options) => {
      const bearer = bearerOf(headerText(headers.authorization));
      return bearer !== '' && isAccepted(bearer, options);
    },
    submit: {
      path,
      shape,
      ...(given.objection && { objection: given.objection }),
      facts: (body) => ({
        model: asText(body['model']),
        prompt: asText(body['prompt']),
        count: 1,
        ...facts(body),
      }),
      accepted,
    },
    statusBody: (report) => {
      const finding = findingOf(report);
      const { task, clipUrl } = report;
      return status(finding === undefined ? done(task, clipUrl(0)) : findings[finding], task, finding === undefined);
    },
  };
}

const at =
  (path: RegExp) =>
  (request: VendorRequest): string | undefined =>
    path.exec(request.path)?.[1];
const failed = (code: string, message = 'The task failed.'): object => ({ status: 'failed', error: { code, message } });

export const arkClips = flat({
  name: 'ark-video',
  vendor: 'ark',
  path: /^\/api\/v3\/contents\/generations\/tasks$/u,
  shape: 'Seedance',
  facts: (body) => ({
    prompt: asRecords(body['content'])
      .map(({ text }) => asText(text))
      .join(' '),
    seconds: asNumber(body['duration']) ?? 5,
  }),
  accepted: ({ id }) => ({ id }),
  taskIn: at(/^\/api\/v3\/contents\/generations\/tasks\/([^/]+)$/u),
  findings: {
    queued: { status: 'queued' },
    running: { status: 'running' },
    blocked: failed('OutputVideoSensitiveContentDetected', 'The video may contain sensitive content.'),
    invalid: failed('InvalidParameter'),
    failed: failed('InternalServiceError'),
  },
  done: ({ seconds }, video_url) => ({ status: 'succeeded', content: { video_url }, duration: seconds }),
  status: (finding, { id, model }) => ({ id, model, ...finding }),
  refusal: (status, message) => json(status, { error: { code: String(status), message } }),
});

export const dashscopeClips = flat({
  name: 'dashscope-video',
  vendor: 'dashscope',
  path: /^\/api\/v1\/services\/aigc\/video-generation\/video-synthesis$/u,
  shape: 'Wan',
  objection: (_body, { headers }) =>
    headerText(headers['x-dashscope-async']) === 'enable'
      ? undefined
      : 'current user api does not support synchronous calls.',
  facts: (body) => ({
    prompt: asText(asRecord(body['input'])['prompt']),
    seconds: asNumber(asRecord(body['parameters'])['duration']) ?? 5,
  }),
  accepted: ({ id }) => ({ output: { task_id: id, task_status: 'PENDING' }, request_id: `req-${id}` }),
  taskIn: at(/^\/api\/v1\/tasks\/(clip-[0-9]+)$/u),
  findings: {
    queued: { task_status: 'PENDING' },
    running: { task_status: 'RUNNING' },
    blocked: {
      task_status: 'FAILED',
      code: 'DataInspectionFailed',
      message: 'Output data may contain inappropriate content.',
    },
    invalid: { task_status: 'FAILED', code: 'InvalidParameter', message: 'The task failed.' },
    failed: { task_status: 'FAILED', code: 'InternalError', message: 'The task failed.' },
  },
  done: (_task, video_url) => ({ task_status: 'SUCCEEDED', video_url }),
  status: (finding, { id, seconds }, isDone) => ({
    output: { task_id: id, ...finding },
    ...(isDone && { usage: { duration: seconds } }),
  }),
  refusal: (status, message) => json(status, { code: `Error${status}`, message, request_id: 'req' }),
});

const KLING = /^\/v1\/videos\/(text2video|image2video)$/u;
export const klingClips = flat({
  name: 'kling-video',
  vendor: 'kling',
  path: KLING,
  shape: 'Kling',
  objection: (body, { path }) => {
    const fromImage = KLING.exec(path)?.[1] === 'image2video';
    if (fromImage !== (body['image'] !== undefined)) return 'image belongs to image2video.';
    return fromImage && body['aspect_ratio'] !== undefined ? 'aspect_ratio is not supported here.' : undefined;
  },
  facts: (body) => ({ model: asText(body['model_name']), seconds: Number(asText(body['duration']) || '5') }),
  accepted: ({ id }) => ({ code: 0, message: 'SUCCEED', data: { task_id: id, task_status: 'submitted' } }),
  taskIn: at(/^\/v1\/videos\/(?:text2video|image2video)\/([^/]+)$/u),
  findings: {
    queued: { task_status: 'submitted' },
    running: { task_status: 'processing' },
    blocked: { task_status: 'failed', task_status_msg: 'Failure to pass the risk control system' },
    invalid: { task_status: 'failed', task_status_msg: 'The task failed.' },
    failed: { task_status: 'failed', task_status_msg: 'The task failed.' },
  },
  done: ({ seconds }, url) => ({
    task_status: 'succeed',
    task_result: { videos: [{ id: '1', url, duration: String(seconds) }] },
  }),
  status: (finding, { id }) => ({ code: 0, message: 'SUCCEED', data: { task_id: id, ...finding } }),
  refusal: (status, message) => json(status, { code: 1000 + status, message }),
});

const hailuo = (status_code: number, status_msg: string): object => ({ base_resp: { status_code, status_msg } });
export const minimaxClips = flat({
  name: 'minimax-video',
  vendor: 'minimax',
  path: /^\/v1\/video_generation$/u,
  shape: 'Hailuo',
  facts: (body) => ({ seconds: asNumber(body['duration']) ?? 6 }),
  accepted: ({ id }) => ({ task_id: id, ...hailuo(0, 'success') }),
  taskIn: ({ path, query }) =>
    path === '/v1/query/video_generation' ? (new URLSearchParams(query).get('task_id') ?? '') : undefined,
  findings: {
    queued: { status: 'Queueing' },
    running: { status: 'Processing' },
    blocked: { status: 'Fail', ...hailuo(1027, 'output new_sensitive') },
    invalid: { status: 'Fail', ...hailuo(2013, 'The task failed.') },
    failed: { status: 'Fail', ...hailuo(1000, 'The task failed.') },
  },
  done: ({ id }) => ({ status: 'Success', file_id: `file-${id}`, ...hailuo(0, 'success') }),
  status: (finding, { id }) => ({ task_id: id, ...finding }),
  alsoServes: /^\/v1\/files\/retrieve$/u,
  also: ({ path, query }, find) => {
    const id = new URLSearchParams(query).get('file_id') ?? '';
    if (path !== '/v1/files/retrieve' || !id.startsWith('file-')) return undefined;
    const report = find(id.slice('file-'.length));
    const file = report && { file_id: id, download_url: report.clipUrl(0) };
    return file && json(200, { file, ...hailuo(0, 'success') });
  },
  refusal: (status, message) => json(status, hailuo(1000, message)),
});

export const xaiClips = flat({
  name: 'xai-video',
  vendor: 'xai',
  path: /^\/v1\/videos\/generations$/u,
  shape: 'Grok',
  facts: (body) => ({ seconds: asNumber(body['duration']) ?? 6 }),
  accepted: ({ id }) => ({ request_id: id }),
  taskIn: at(/^\/v1\/videos\/(clip-[0-9]+)$/u),
  findings: {
    queued: { status: 'pending' },
    running: { status: 'pending' },
    blocked: failed('content_moderated', 'The video was held back.'),
    invalid: failed('invalid_request'),
    failed: failed('internal'),
  },
  done: ({ model, seconds }, url) => ({ status: 'done', model, video: { url, duration: seconds } }),
  refusal: (status, message) => json(status, { code: String(status), error: message }),
});

export const soraClips = flat({
  name: 'openai-videos',
  vendor: 'openai',
  path: /^\/v1\/videos$/u,
  shape: 'Sora',
  facts: (body) => ({ seconds: Number(asText(body['seconds']) || '4') }),
  accepted: ({ id, model }) => ({ id, object: 'video', model, status: 'queued', progress: 0 }),
  taskIn: at(/^\/v1\/videos\/(clip-[0-9]+)$/u),
  contentOf: /^\/v1\/videos\/(clip-[0-9]+)\/content$/u,
  findings: {
    queued: { status: 'in_progress', progress: 50 },
    running: { status: 'in_progress', progress: 50 },
    blocked: failed('moderation_blocked', 'The video was held back.'),
    invalid: failed('server_error'),
    failed: failed('server_error'),
  },
  done: () => ({ status: 'completed', progress: 100 }),
  status: (finding, { id, model, seconds }) => ({ id, object: 'video', model, seconds: String(seconds), ...finding }),
  refusal: (status, message) =>
    json(status, { error: { message, type: 'invalid_request_error', param: null, code: null } }),
});
