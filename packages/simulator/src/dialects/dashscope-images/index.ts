// Qwen-Image and Wan images, simulated by the vendor `dashscope`: tasks only, a prompt for older models and messages
// for newer ones.
import { parseJsonBytes } from '../../json-text.ts';
import { asList, asNumber, asRecord, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import type { DialectOptions, Reply, SimulatedDialect, UnderstoodRequest, VendorRequest } from '../dialect.ts';
import { bearerOf, firstOf, headerText, isAccepted, isJsonContent } from '../judgement.ts';
import { askJob, deliver, type FinishedPicture, jobRenderer, openJob } from '../picture-jobs.ts';
import { flag, integer, list, object, type Shape, text } from '../shape-check.ts';
import { dataUri } from '../video/pictures-in.ts';
import { json } from '../video/vendor.ts';

const FROM_PROMPT = '/api/v1/services/aigc/text2image/image-synthesis';
const FROM_MESSAGES = '/api/v1/services/aigc/image-generation/generation';
const TASK = /^\/api\/v1\/tasks\/([^/]+)$/u;
const OLDER = /^(?:qwen-image(?:-plus)?|wan(?:x|2\.[0-5]-)[a-z0-9.-]*)$/u;
const NEWER = /^wan2\.[6-9]-[a-z0-9-]+$/u;
const PIXELS = { min: 512 * 512, max: 4096 * 4096 };

const parameters: Shape = object(
  {},
  {
    n: integer({ min: 1, max: 4 }),
    size: text({ pattern: /^\d+\*\d+$/u }),
    seed: integer({ min: 0, max: 2_147_483_647 }),
    prompt_extend: flag,
    watermark: flag,
    negative_prompt: text(),
  },
);
const words = text({ min: 1 });
const promptShape = object(
  { model: words, input: object({ prompt: words }, { negative_prompt: text() }) },
  { parameters },
);
const content = list(object({}, { text: words, image: dataUri }), { min: 1, max: 10 });
const messages = list(object({ role: text({ pattern: /^user$/u }), content }), { min: 1, max: 1 });
const messagesShape = object({ model: words, input: object({ messages }) }, { parameters });

export const dashscopeImages: SimulatedDialect = {
  name: 'dashscope-images',
  vendors: ['dashscope'],
  serves: (path) => path === FROM_PROMPT || path === FROM_MESSAGES || TASK.test(path),
  understand,
};

const failure = (status: number, code: string, message: string): Reply =>
  json(status, { request_id: 'req', code, message });
const RENDERER = jobRenderer(({ status, code }) =>
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
  const parsed = parseJsonBytes(request.body);
  if (request.method !== 'POST' || !parsed.ok || !isRecord(parsed.value))
    return refuse(invalid('The body is not valid.'));
  const body = parsed.value;
  const objection = options.lenient ? undefined : objectionTo(body, request);
  if (objection !== undefined) return refuse(objection, body);
  const model = asText(body['model']);
  const count = asNumber(asRecord(body['parameters'])['n']) ?? 4;
  const id = openJob({ model, prompt: promptOf(body), count, type: 'png' }, request);
  const reply = json(200, { request_id: 'req', output: { task_id: id, task_status: 'PENDING' } });
  return { kind: 'reply', reply, renderer: RENDERER, body, model };
}

function objectionTo(body: JsonRecord, { path, headers }: VendorRequest): Objection | undefined {
  const isOlder = path === FROM_PROMPT;
  return firstOf(
    () => (isJsonContent(headerText(headers['content-type'])) ? undefined : invalid('JSON is expected.')),
    () =>
      headerText(headers['x-dashscope-async']) === 'enable'
        ? undefined
        : { status: 403, code: 'AccessDenied', message: 'current user api does not support synchronous calls.' },
    () => {
      const problem = (isOlder ? promptShape : messagesShape)(body, [], { ignoreUnknown: false });
      return problem && invalid(`${problem.path.join('.')}: ${problem.kind}`);
    },
    () =>
      (isOlder ? OLDER : NEWER).test(asText(body['model']))
        ? undefined
        : { status: 400, code: 'InvalidParameter', message: 'url error, please check url!' },
    () => sizeObjection(asRecord(body['parameters'])['size']),
    () => (isOlder || promptOf(body) !== '' ? undefined : invalid('a text is required')),
  );
}

function sizeObjection(size: unknown): Objection | undefined {
  if (size === undefined) return undefined;
  const [width = 0, height = 0] = asText(size).split('*').map(Number);
  const pixels = width * height;
  return pixels >= PIXELS.min && pixels <= PIXELS.max ? undefined : invalid('size is out of range');
}

function promptOf(body: JsonRecord): string {
  const input = asRecord(body['input']);
  const [message] = asList(input['messages']);
  const parts = asList(asRecord(message)['content']).map((part) => asText(asRecord(part)['text']));
  return message === undefined ? asText(input['prompt']) : parts.join('');
}

function question(id: string, request: VendorRequest): UnderstoodRequest {
  const found = request.method === 'GET' ? askJob(id) : undefined;
  // An unknown or forgotten task is not a 404, but has the status `UNKNOWN`.
  if (found === undefined)
    return reply(json(200, { request_id: 'req', output: { task_id: id, task_status: 'UNKNOWN' } }));
  if (found.isUnderWay) return reply(json(200, { request_id: 'req', output: { task_id: id, task_status: 'RUNNING' } }));
  const isOlder = OLDER.test(found.job.model);
  return deliver(found.job, request, RENDERER, (pictures) => finishedTask(id, pictures, isOlder));
}

const reply = (answer: Reply): UnderstoodRequest => ({ kind: 'reply', reply: answer, renderer: RENDERER });

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
