// FLUX at its maker, played by the vendor `bfl`: a job for each image, under way at the first question and done at the next.
import { parseJsonBytes } from '../../json-text.ts';
import { asNumber, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import { pictureUrl } from '../../pictures/order.ts';
import type { Dialect, DialectOptions, Renderer, Reply, Understood, VendorRequest } from '../dialect.ts';
import { headerText, imageTypeOf, isAccepted } from '../judgement.ts';
import { flag, integer, object, type Problem, text, word } from '../shape-check.ts';

const MODELS = /^\/v1\/(flux-[a-z0-9.-]+)$/u;
const RESULT = '/v1/get_result';
const SIDE = { min: 64, max: 2048 };
const SIDE_STEP = 16;
const IMAGES = ['', '_2', '_3', '_4', '_5', '_6', '_7', '_8'].map((suffix) => `input_image${suffix}`);
/** What the models take that paint where a mask is white. */
const FILL = /-fill$/u;
const FILLED = ['image', 'mask'];
const PNG_COLOUR_AT = 25;
const PNG_GREY = 0;

const shapeOf = (images: readonly string[]) =>
  object(
    { prompt: text({ min: 1 }) },
    {
      width: integer(SIDE),
      height: integer(SIDE),
      aspect_ratio: text({ pattern: /^\d+:\d+$/u }),
      seed: integer({ min: 0 }),
      prompt_upsampling: flag,
      safety_tolerance: integer({ min: 0, max: 6 }),
      output_format: word('png', 'jpeg'),
      ...Object.fromEntries(images.map((name) => [name, text({ min: 1 })])),
    },
  );
const shape = shapeOf(IMAGES);
const fillShape = shapeOf(FILLED);

export const bflImages: Dialect = {
  name: 'bfl-images',
  vendors: ['bfl'],
  serves: (path) => MODELS.test(path) || path === RESULT,
  understand,
};

/** Jobs that have been asked after once. The oldest are forgotten. */
const asked = new Set<string>();
const MAX_ASKED = 1000;

const json = (status: number, value: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

const RENDERER: Renderer = {
  plain: () => json(500, {}),
  streamHeaders: {},
  frames: () => [],
  errorReply: ({ status }) => json(status, { detail: `Simulated error ${status}` }),
  errorFrame: () => ({ kind: 'error', data: '', tokens: 0 }),
};

const refuse = (status: number, reason: string, body?: unknown): Understood => ({
  kind: 'refused',
  reply: json(status, { detail: status === 422 ? [{ loc: ['body'], msg: reason, type: 'value_error' }] : reason }),
  reason,
  body,
});

function understand(request: VendorRequest, options: DialectOptions): Understood {
  const key = headerText(request.headers['x-key']);
  if (!options.lenient && (key === '' || !isAccepted(key, options))) return refuse(403, 'Not authenticated');
  if (request.path === RESULT) return result(request);
  const parsed = parseJsonBytes(request.body);
  if (request.method !== 'POST' || !parsed.ok || !isRecord(parsed.value)) return refuse(422, 'JSON decode error');
  const body = parsed.value;
  const model = MODELS.exec(request.path)?.[1] ?? '';
  const problem = options.lenient ? undefined : problemOf(body, FILL.test(model));
  if (problem !== undefined) return refuse(422, problem, body);
  const order = { model, prompt: body['prompt'], type: body['output_format'] ?? 'jpeg', job: request.sequence };
  const id = Buffer.from(JSON.stringify(order)).toString('base64url');
  const polling = `http://${request.headers.host ?? ''}/bfl/v1/get_result?id=${id}`;
  return { kind: 'reply', reply: json(200, { id, polling_url: polling }), renderer: RENDERER, body, model };
}

function problemOf(body: JsonRecord, fills: boolean): string | undefined {
  const problem: Problem | undefined = (fills ? fillShape : shape)(body, [], { ignoreUnknown: false });
  if (problem !== undefined) return `${problem.path.join('.')}: ${problem.kind}`;
  const sides = [asNumber(body['width']), asNumber(body['height'])];
  if (sides.some((side) => side !== undefined && side % SIDE_STEP !== 0)) return 'sides must be multiples of 16';
  const odd = [...IMAGES, ...FILLED].find(
    (name) => body[name] !== undefined && imageTypeOf(asText(body[name])) === undefined,
  );
  if (odd !== undefined) return `${odd}: not an image`;
  const isGrey = !fills || Buffer.from(asText(body['mask']), 'base64')[PNG_COLOUR_AT] === PNG_GREY;
  return isGrey ? undefined : 'mask: not black and white';
}

function result({ query, method, headers }: VendorRequest): Understood {
  const id = new URLSearchParams(query).get('id') ?? '';
  const order = parseJsonBytes(Buffer.from(id, 'base64url'));
  if (method !== 'GET' || !order.ok || !isRecord(order.value)) return refuse(404, 'Task not found');
  if (!asked.has(id)) {
    if (asked.size >= MAX_ASKED) asked.clear();
    asked.add(id);
    return { kind: 'reply', reply: json(200, { id, status: 'Pending', result: null }), renderer: RENDERER };
  }
  const { model, prompt, type } = order.value;
  const origin = `http://${headers.host ?? ''}`;
  const format = type === 'png' ? 'png' : 'jpeg';
  const seed = `${asText(model)} ${asText(prompt)} 0`;
  return {
    kind: 'pictures',
    order: { model: asText(model), prompt: asText(prompt), count: 1, type: format, partials: 0, origin },
    streamed: false,
    body: undefined,
    renderer: RENDERER,
    render: ({ outcomes }) => {
      const [outcome] = outcomes;
      if (outcome === undefined) return { reply: json(200, { id, status: 'Error', result: null }), frames: [] };
      if (outcome.blocked) return { reply: json(200, { id, status: 'Request Moderated', result: null }), frames: [] };
      const sample = outcome.url ?? pictureUrl(origin, seed, format);
      return { reply: json(200, { id, status: 'Ready', result: { sample, prompt } }), frames: [] };
    },
  };
}
