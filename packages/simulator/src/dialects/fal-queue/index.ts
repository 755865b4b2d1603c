// fal's image queue, simulated by the vendor `fal`: a path per model, a state below its app, and the result beside it.
import { parseObject } from '../../json-text.ts';
import { asNumber, asText, type JsonRecord } from '../../json-value.ts';
import type { VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import type { DialectOptions, Reply, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { isJsonContent } from '../judgement.ts';
import { askJob, deliver, detailRenderer, type FinishedPicture, openJob, refuseWithDetail } from '../picture-jobs.ts';
import { json } from '../replies.ts';
import { isWelcomeWithKey } from './credential.ts';
import { falShapes, modelAt } from './models.ts';

const ENTRY = /^\/([^/]+\/[^/]+)\/requests\/(picture-[^/]+?)(\/status)?$/u;

export const falQueue: SimulatedDialect = {
  name: 'fal-queue',
  vendors: ['fal'],
  paths: [ENTRY, { test: (path) => modelAt(path) !== undefined }],
  understand,
};

const reply = (answer: Reply, more: object = {}): UnderstoodRequest => ({
  kind: 'reply',
  reply: answer,
  renderer: detailRenderer,
  ...more,
});

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  if (!options.lenient && !isWelcomeWithKey(request, options))
    return refuseWithDetail(401, 'Authentication is required.');
  const entry = ENTRY.exec(request.path);
  if (entry !== null) return question(request, entry[1] ?? '', entry[2] ?? '', entry[3] !== undefined);
  const body = parseObject(request.body);
  const model = modelAt(request.path);
  const isJson = isJsonContent(headerText(request.headers['content-type']));
  if (model === undefined || request.method !== 'POST' || !isJson || body === undefined)
    return refuseWithDetail(422, 'A JSON object is expected.');
  const problem = options.lenient ? undefined : falShapes.first(model, body);
  if (problem !== undefined) return refuseWithDetail(422, `${problem.path.join('.')}: ${problem.kind}`, body);
  return submitted(request, body);
}

/** The first two segments of a model's path. */
const appOf = (path: string): string => path.split('/').slice(1, 3).join('/');

function submitted(request: VendorRequest, body: JsonRecord): UnderstoodRequest {
  const model = request.path.slice(1);
  const type = body['output_format'] === 'jpeg' ? 'jpeg' : 'png';
  const id = openJob(
    { model, prompt: asText(body['prompt']), count: asNumber(body['num_images']) ?? 1, type },
    request,
  );
  const base = `http://${request.headers.host ?? ''}/fal/${appOf(request.path)}/requests/${id}`;
  const answer = {
    status: 'IN_QUEUE',
    request_id: id,
    response_url: base,
    status_url: `${base}/status`,
    cancel_url: `${base}/cancel`,
    queue_position: 0,
  };
  return reply(json(200, answer), { body, model });
}

function question(request: VendorRequest, app: string, id: string, wantsState: boolean): UnderstoodRequest {
  const found = request.method === 'GET' ? askJob(id, ({ model }) => appOf(`/${model}`) === app) : undefined;
  if (found === undefined) return refuseWithDetail(404, 'Request not found');
  const queueState = { request_id: id, status: found.isUnderWay ? 'IN_PROGRESS' : 'COMPLETED' };
  if (wantsState) return reply(json(found.isUnderWay ? 202 : 200, queueState));
  if (found.isUnderWay) return refuseWithDetail(400, 'Request is still in progress');
  return deliver(found.job, request, detailRenderer, result);
}

const BLACK = 'https://host.example/black.png';

/** If all images are withheld, or none was made, it is an error; of several, the withheld ones are marked. */
function result(pictures: readonly FinishedPicture[]): Reply {
  if (pictures.length === 0)
    return json(500, { detail: [{ loc: ['body'], msg: 'failed', type: 'internal_server_error' }] });
  if (pictures.every(({ blocked }) => blocked)) {
    const msg = 'The content could not be processed because it contained material flagged by a content checker.';
    return json(422, { detail: [{ loc: ['body', 'prompt'], msg, type: 'content_policy_violation' }] });
  }
  // Withheld images are replaced by black ones.
  const images = pictures.map((picture) => ({ url: picture.blocked ? BLACK : picture.url, content_type: 'image/png' }));
  return json(200, { images, seed: 42, has_nsfw_concepts: pictures.map(({ blocked }) => blocked), prompt: '' });
}
