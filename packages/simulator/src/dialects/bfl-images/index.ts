// FLUX at its vendor, simulated as `bfl`: a job for each image, pending at the first poll and done at the next.
import { parseObject } from '../../json-text.ts';
import { asNumber, asText, type JsonRecord } from '../../json-value.ts';
import type { VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import type { DialectOptions, Reply, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { imageTypeOf, isAccepted } from '../judgement.ts';
import { askJob, deliver, detailRenderer, openJob, refuseWithDetail } from '../picture-jobs.ts';
import { json } from '../replies.ts';
import { Shapes } from '../shape-check.ts';

const MODELS = /^\/v1\/(flux-[a-z0-9.-]+)$/u;
const RESULT = /^\/v1\/get_result$/u;
const SIDE_STEP = 16;
/** Fill models paint where a mask is white, and take these members. */
const FILL = /-fill$/u;
const FILLED = ['image', 'mask'];
const PNG_COLOUR_AT = 25;
const PNG_GREY = 0;

const shapes = new Shapes(String.raw`
  Settings = {
    prompt: text(1..), width? height?: int(64..2048), aspect_ratio?: text(/^\d+:\d+$/), seed?: int(0..),
    prompt_upsampling?: flag, safety_tolerance?: int(0..6), output_format?: 'png' | 'jpeg'
  }
  Pictures = {
    input_image? input_image_2? input_image_3? input_image_4? input_image_5? input_image_6? input_image_7? input_image_8?: text(1..)
  }
  Images = { ...Settings, ...Pictures }
  Fill = { ...Settings, image? mask?: text(1..) }
`);

export const bflImages: SimulatedDialect = {
  name: 'bfl-images',
  vendors: ['bfl'],
  paths: [MODELS, RESULT],
  understand,
};

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const key = headerText(request.headers['x-key']);
  if (!options.lenient && (key === '' || !isAccepted(key, options))) return refuseWithDetail(403, 'Not authenticated');
  if (RESULT.test(request.path)) return result(request);
  const body = parseObject(request.body);
  if (request.method !== 'POST' || body === undefined) return refuseWithDetail(422, 'JSON decode error');
  const model = MODELS.exec(request.path)?.[1] ?? '';
  const problem = options.lenient ? undefined : problemOf(body, FILL.test(model));
  if (problem !== undefined) return refuseWithDetail(422, problem, body);
  const type = body['output_format'] === 'png' ? 'png' : 'jpeg';
  const id = openJob({ model, prompt: asText(body['prompt']), count: 1, type }, request);
  const polling = `http://${request.headers.host ?? ''}/bfl/v1/get_result?id=${id}`;
  return { kind: 'reply', reply: json(200, { id, polling_url: polling }), renderer: detailRenderer, body, model };
}

function problemOf(body: JsonRecord, fills: boolean): string | undefined {
  const problem = shapes.first(fills ? 'Fill' : 'Images', body);
  if (problem !== undefined) return `${problem.path.join('.')}: ${problem.kind}`;
  const sides = [asNumber(body['width']), asNumber(body['height'])];
  if (sides.some((side) => side !== undefined && side % SIDE_STEP !== 0)) return 'sides must be multiples of 16';
  const odd = [...shapes.names('Pictures'), ...FILLED].find(
    (name) => body[name] !== undefined && imageTypeOf(asText(body[name])) === undefined,
  );
  if (odd !== undefined) return `${odd}: not an image`;
  const isGrey = !fills || Buffer.from(asText(body['mask']), 'base64')[PNG_COLOUR_AT] === PNG_GREY;
  return isGrey ? undefined : 'mask: not black and white';
}

function result(request: VendorRequest): UnderstoodRequest {
  const id = new URLSearchParams(request.query).get('id') ?? '';
  const found = request.method === 'GET' ? askJob(id) : undefined;
  if (found === undefined) return refuseWithDetail(404, 'Task not found');
  const jobReply = (status: string, outcome: object | null = null): Reply => json(200, { id, status, result: outcome });
  if (found.isUnderWay) return { kind: 'reply', reply: jobReply('Pending'), renderer: detailRenderer };
  return deliver(found.job, request, detailRenderer, ([picture]) => {
    if (picture === undefined) return jobReply('Error');
    if (picture.blocked) return jobReply('Request Moderated');
    return jobReply('Ready', { sample: picture.url, prompt: found.job.prompt });
  });
}
