// Vendors with one flat body, a bearer credential and one clip per task, by id: Seedance, Wan, Kling, Hailuo, Grok and Sora.
import { asNumber, asRecord, asText, isRecord, type JsonRecord, textsOf } from '../../json-value.ts';
import { headerText } from '../../wire.ts';
import { bearerOf, isAccepted } from '../judgement.ts';
import { json } from '../replies.ts';
import type { ClipFacts, ClipVendor } from './vendor.ts';

/** What a poll finds, in one word. */
type Finding = 'queued' | 'running' | 'blocked' | 'invalid' | 'failed' | 'done';

/** Answers are templates: `$id`, `$model`, `$seconds` (`$text` as text), `$url` stand for what is known of the task. */
interface FlatVendor extends Pick<ClipVendor, 'name' | 'remix' | 'taskPath' | 'taskIn' | 'also' | 'contentOf'> {
  readonly vendor: string;
  readonly path: RegExp;
  readonly shape: string;
  readonly objection?: ClipVendor['submit']['objection'];
  readonly facts: (body: JsonRecord) => Partial<ClipFacts> & Pick<ClipFacts, 'seconds'>;
  readonly accepted: JsonRecord;
  readonly findings: Readonly<Record<Finding, JsonRecord>>;
  /** The answer to a poll; `$finding` stands for the members of what was found. */
  readonly status?: JsonRecord;
  readonly refusal: JsonRecord;
}

function fill(template: unknown, values: JsonRecord): unknown {
  if (Array.isArray(template)) return template.map((one) => fill(one, values));
  if (isRecord(template)) {
    const members = Object.entries(template).map(([name, value]) => {
      const filled = fill(value, values);
      return name === '$finding' ? filled : { [name]: filled };
    });
    return Object.assign({}, ...members);
  }
  if (typeof template !== 'string') return template;
  const whole = template.slice(1);
  if (template === `$${whole}` && whole in values) return values[whole];
  return template.replaceAll(/\$(\w+)/gu, (_match, name: string) => String(values[name]));
}

function flat({ vendor, path, shape, objection, ...given }: FlatVendor): ClipVendor {
  const { accepted, facts, findings, status = { $finding: '$finding' }, refusal, ...rest } = given;
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
      ...(objection && { objection }),
      facts: (body) => ({ model: asText(body['model']), prompt: asText(body['prompt']), count: 1, ...facts(body) }),
      accepted: (task) => asRecord(fill(accepted, { ...task })),
    },
    statusBody: ({ task, state, clipUrl }) => {
      const waiting = task.asked === 1 ? 'queued' : 'running';
      const ended = state.kind === 'done' && state.blocked === 0 ? 'done' : 'blocked';
      const failure = state.kind === 'failed' && (state.isInvalid ? 'invalid' : 'failed');
      const found: Finding = state.kind === 'waiting' ? waiting : failure || ended;
      const values = { ...task, text: String(task.seconds), url: clipUrl(0) };
      const finding = asRecord(fill(findings[found], values));
      const usage = found === 'done' ? { duration: values.seconds } : undefined;
      return asRecord(fill(status, { ...values, finding, usage }));
    },
    refusal: (code, message) =>
      json(code, asRecord(fill(refusal, { message, status: String(code), above1000: 1000 + code }))),
  };
}

const failed = (code: string, message = 'The task failed.'): JsonRecord => ({
  status: 'failed',
  error: { code, message },
});

export const arkClips = flat({
  name: 'ark-video',
  vendor: 'ark',
  path: /^\/api\/v3\/contents\/generations\/tasks$/u,
  shape: 'Seedance',
  facts: (body) => ({
    prompt: textsOf(body['content'], 'text').join(' '),
    seconds: asNumber(body['duration']) ?? 5,
  }),
  accepted: { id: '$id' },
  taskPath: /^\/api\/v3\/contents\/generations\/tasks\/([^/]+)$/u,
  findings: {
    queued: { status: 'queued' },
    running: { status: 'running' },
    blocked: failed('OutputVideoSensitiveContentDetected', 'The video may contain sensitive content.'),
    invalid: failed('InvalidParameter'),
    failed: failed('InternalServiceError'),
    done: { status: 'succeeded', content: { video_url: '$url' }, duration: '$seconds' },
  },
  status: { id: '$id', model: '$model', $finding: '$finding' },
  refusal: { error: { code: '$status', message: '$message' } },
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
  accepted: { output: { task_id: '$id', task_status: 'PENDING' }, request_id: 'req-$id' },
  taskPath: /^\/api\/v1\/tasks\/(clip-[0-9]+)$/u,
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
    done: { task_status: 'SUCCEEDED', video_url: '$url' },
  },
  status: { output: { task_id: '$id', $finding: '$finding' }, usage: '$usage' },
  refusal: { code: 'Error$status', message: '$message', request_id: 'req' },
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
  accepted: { code: 0, message: 'SUCCEED', data: { task_id: '$id', task_status: 'submitted' } },
  taskPath: /^\/v1\/videos\/(?:text2video|image2video)\/([^/]+)$/u,
  findings: {
    queued: { task_status: 'submitted' },
    running: { task_status: 'processing' },
    blocked: { task_status: 'failed', task_status_msg: 'Failure to pass the risk control system' },
    invalid: { task_status: 'failed', task_status_msg: 'The task failed.' },
    failed: { task_status: 'failed', task_status_msg: 'The task failed.' },
    done: { task_status: 'succeed', task_result: { videos: [{ id: '1', url: '$url', duration: '$text' }] } },
  },
  status: { code: 0, message: 'SUCCEED', data: { task_id: '$id', $finding: '$finding' } },
  refusal: { code: '$above1000', message: '$message' },
});

const hailuo = (status_code: number, status_msg: string): JsonRecord => ({ base_resp: { status_code, status_msg } });
export const minimaxClips = flat({
  name: 'minimax-video',
  vendor: 'minimax',
  path: /^\/v1\/video_generation$/u,
  shape: 'Hailuo',
  facts: (body) => ({ seconds: asNumber(body['duration']) ?? 6 }),
  accepted: { task_id: '$id', ...hailuo(0, 'success') },
  taskPath: /^\/v1\/query\/video_generation$/u,
  taskIn: ({ query }) => new URLSearchParams(query).get('task_id') ?? '',
  findings: {
    queued: { status: 'Queueing' },
    running: { status: 'Processing' },
    blocked: { status: 'Fail', ...hailuo(1027, 'output new_sensitive') },
    invalid: { status: 'Fail', ...hailuo(2013, 'The task failed.') },
    failed: { status: 'Fail', ...hailuo(1000, 'The task failed.') },
    done: { status: 'Success', file_id: 'file-$id', ...hailuo(0, 'success') },
  },
  status: { task_id: '$id', $finding: '$finding' },
  also: {
    path: /^\/v1\/files\/retrieve$/u,
    reply: ({ path, query }, find) => {
      const id = new URLSearchParams(query).get('file_id') ?? '';
      if (path !== '/v1/files/retrieve' || !id.startsWith('file-')) return undefined;
      const report = find(id.slice('file-'.length));
      const file = report && { file_id: id, download_url: report.clipUrl(0) };
      return file && json(200, { file, ...hailuo(0, 'success') });
    },
  },
  refusal: { base_resp: { status_code: 1000, status_msg: '$message' } },
});

export const xaiClips = flat({
  name: 'xai-video',
  vendor: 'xai',
  path: /^\/v1\/videos\/generations$/u,
  shape: 'Grok',
  facts: (body) => ({ seconds: asNumber(body['duration']) ?? 6 }),
  accepted: { request_id: '$id' },
  taskPath: /^\/v1\/videos\/(clip-[0-9]+)$/u,
  findings: {
    queued: { status: 'pending' },
    running: { status: 'pending' },
    blocked: failed('content_moderated', 'The video was held back.'),
    invalid: failed('invalid_request'),
    failed: failed('internal'),
    done: { status: 'done', model: '$model', video: { url: '$url', duration: '$seconds' } },
  },
  refusal: { code: '$status', error: '$message' },
});

export const soraClips = flat({
  name: 'openai-videos',
  vendor: 'openai',
  path: /^\/v1\/videos$/u,
  shape: 'Sora',
  facts: (body) => ({ seconds: Number(asText(body['seconds']) || '4') }),
  accepted: { id: '$id', object: 'video', model: '$model', status: 'queued', progress: 0 },
  remix: { path: /^\/v1\/videos\/(clip-[0-9]+)\/remix$/u, shape: 'SoraRemix' },
  taskPath: /^\/v1\/videos\/(clip-[0-9]+)$/u,
  contentOf: /^\/v1\/videos\/(clip-[0-9]+)\/content$/u,
  findings: {
    queued: { status: 'in_progress', progress: 50 },
    running: { status: 'in_progress', progress: 50 },
    blocked: failed('moderation_blocked', 'The video was held back.'),
    invalid: failed('server_error'),
    failed: failed('server_error'),
    done: { status: 'completed', progress: 100 },
  },
  status: { id: '$id', object: 'video', model: '$model', seconds: '$text', $finding: '$finding' },
  refusal: { error: { message: '$message', type: 'invalid_request_error', param: null, code: null } },
});
