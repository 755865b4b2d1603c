// Qwen-Image and Wan images, simulated by the vendor `dashscope`: tasks only, a prompt for older models and messages
// for newer ones.
import { parseObject } from '../../json-text.ts';
import { asNumber, asRecord, asRecords, asText, type JsonRecord, textsOf } from '../../json-value.ts';
import type { VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import type { DialectOptions, Reply, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { bearerOf, isAccepted, isJsonContent } from '../judgement.ts';
import { askJob, deliver, type FinishedPicture, openJob } from '../picture-jobs.ts';
import { json, replyOnly } from '../replies.ts';
import { Shapes } from '../shape-check.ts';

const FROM_PROMPT = /^\/api\/v1\/services\/aigc\/text2image\/image-synthesis$/u;
const FROM_MESSAGES = /^\/api\/v1\/services\/aigc\/image-generation\/generation$/u;
const TASK = /^\/api\/v1\/tasks\/([^/]+)$/u;
const OLDER = /^(?:qwen-image(?:-plus)?|wan(?:x|2\.[0-5]-)[a-z0-9.-]*)$/u;
const NEWER = /^wan2\.[6-9]-[a-z0-9-]+$/u;
const MIN_PIXELS = 512 * 512;
const MAX_PIXELS = 4096 * 4096;

const shapes = new Shapes(String.raw`
  Parameters = {
    n?: int(1..4), size?: text(/^\d+\*\d+$/), seed?: int(0..2147483647), prompt_extend? watermark?: flag, negative_prompt?: text
  }
  Prompt = { model: text(1..), input: { prompt: text(1..), negative_prompt?: text }, parameters?: Parameters }
  Message = { role: text(/^user$/), content: [{ text?: text(1..), image?: imageUri }](1..10) }
  Messages = { model: text(1..), input: { messages: [Message](1..1) }, parameters?: Parameters }
`);

export const dashscopeImages: SimulatedDialect = {
  name: 'dashscope-images',
  vendors: ['dashscope'],
  paths: [FROM_PROMPT, FROM_MESSAGES, TASK],
  understand,
};

const failure = (status: number, code: string, message: string): Reply =>
  json(status, { request_id: 'req', code, message });
const RENDERER = replyOnly(({ status, code }) =>
  failure(status, code ?? `Error${status}`, `Simulated error ${status}`),
);

interface Objection {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}
const invalid = (message: string): Objection => ({ status: 400, code: 'InvalidParameter', message });

const refuse = ({ status, code, message }: Objection, body?: unknown): UnderstoodRequest => ({
  kind: 'refused',
  reply: failure(status, code, message),
  reason: message,
  body,
});

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const key = bearerOf(headerText(request.headers.authorization));
  if (!options.lenient && (key === '' || !isAccepted(key, options)))
    return refuse({ status: 401, code: 'InvalidApiKey', message: 'Invalid API-key provided.' });
  const task = TASK.exec(request.path)?.[1];
  if (task !== undefined) return question(task, request);
  const body = parseObject(request.body);
  if (request.method !== 'POST' || body === undefined) return refuse(invalid('The body is not valid.'));
  const objection = options.lenient ? undefined : objectionTo(body, request);
  if (objection !== undefined) return refuse(objection, body);
  const model = asText(body['model']);
  const count = asNumber(asRecord(body['parameters'])['n']) ?? 4;
  const id = openJob({ model, prompt: promptOf(body), count, type: 'png' }, request);
  const reply = json(200, { request_id: 'req', output: { task_id: id, task_status: 'PENDING' } });
  return { kind: 'reply', reply, renderer: RENDERER, body, model };
}

function objectionTo(body: JsonRecord, { path, headers }: VendorRequest): Objection | undefined {
  const isOlder = FROM_PROMPT.test(path);
  if (!isJsonContent(headerText(headers['content-type']))) return invalid('JSON is expected.');
  if (headerText(headers['x-dashscope-async']) !== 'enable')
    return { status: 403, code: 'AccessDenied', message: 'current user api does not support synchronous calls.' };
  const problem = shapes.first(isOlder ? 'Prompt' : 'Messages', body);
  if (problem !== undefined) return invalid(`${problem.path.join('.')}: ${problem.kind}`);
  if (!(isOlder ? OLDER : NEWER).test(asText(body['model']))) return invalid('url error, please check url!');
  const { size } = asRecord(body['parameters']);
  const [width = 0, height = 0] = asText(size).split('*').map(Number);
  const pixels = width * height;
  if (size !== undefined && (pixels < MIN_PIXELS || pixels > MAX_PIXELS)) return invalid('size is out of range');
  return isOlder || promptOf(body) !== '' ? undefined : invalid('a text is required');
}

function promptOf(body: JsonRecord): string {
  const input = asRecord(body['input']);
  const [message] = asRecords(input['messages']);
  if (message === undefined) return asText(input['prompt']);
  return textsOf(message['content'], 'text').join('');
}

function question(id: string, request: VendorRequest): UnderstoodRequest {
  const found = request.method === 'GET' ? askJob(id) : undefined;
  if (found === undefined || found.isUnderWay) {
    // An unknown or forgotten task is not a 404, but has the status `UNKNOWN`.
    const output = { task_id: id, task_status: found === undefined ? 'UNKNOWN' : 'RUNNING' };
    return { kind: 'reply', reply: json(200, { request_id: 'req', output }), renderer: RENDERER };
  }
  const isOlder = OLDER.test(found.job.model);
  return deliver(found.job, request, RENDERER, (pictures) => finishedTask(id, pictures, isOlder));
}

const BLOCKED = { code: 'DataInspectionFailed', message: 'Output data may contain inappropriate content.' };

/** The older form also has an entry for every withheld image, the newer only lists the available ones. */
function finishedTask(id: string, pictures: readonly FinishedPicture[], isOlder: boolean): Reply {
  const about = { task_id: id, task_status: 'SUCCEEDED' };
  const shown = pictures.flatMap((picture) => (picture.blocked ? [] : [picture.url]));
  const answer = (output: object): Reply =>
    json(200, { request_id: 'req', output, usage: { image_count: shown.length } });
  if (pictures.length === 0)
    return answer({ ...about, task_status: 'FAILED', code: 'InternalError', message: 'The task failed.' });
  if (shown.length === 0) return answer({ ...about, task_status: 'FAILED', ...BLOCKED });
  if (isOlder) return answer({ ...about, results: pictures.map((one) => (one.blocked ? BLOCKED : { url: one.url })) });
  const choices = shown.map((image) => ({
    finish_reason: 'stop',
    message: { role: 'assistant', content: [{ type: 'image', image }] },
  }));
  return answer({ ...about, finished: true, choices });
}
