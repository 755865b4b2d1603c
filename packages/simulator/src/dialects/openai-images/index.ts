// OpenAI's images, simulated by `openai` (the GPT image family), `compatible` (an older server) and `xai`.
import { parseJsonBytes } from '../../json-text.ts';
import { asList, asNumber, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import { readForm } from '../../pictures/form.ts';
import type { DialectOptions, SimulatedDialect, UnderstoodRequest, VendorRequest } from '../dialect.ts';
import { firstOf } from '../judgement.ts';
import { checkContentType, checkCredential, checkMethod } from '../openai-chat/check.ts';
import { profileOf } from '../openai-chat/profiles.ts';
import { badRequest, type ChatRefusal } from '../openai-chat/refusal.ts';
import { refused } from '../openai-chat/status-replies.ts';
import { checkImages, type ImageRequest } from './check.ts';
import { findImageFamily } from './models.ts';
import { rendererOf, renderPictures } from './render.ts';

const GENERATIONS = '/v1/images/generations';
const EDITS = '/v1/images/edits';

export const openaiImages: SimulatedDialect = {
  name: 'openai-images',
  vendors: ['openai', 'compatible', 'xai'],
  serves: (path) => path === GENERATIONS || path === EDITS,
  understand,
};

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const profile = profileOf(request.vendor);
  const refuse = (refusal: ChatRefusal, body?: unknown): UnderstoodRequest => refused(refusal, profile, body);
  const early = firstOf(
    () => checkMethod(request, 'POST'),
    () => (options.lenient ? undefined : checkCredential(request.headers, profile, options)),
  );
  if (early !== undefined) return refuse(early);
  const read = readRequest(request);
  if ('status' in read) return refuse(read);
  const seen = read.files.length === 0 ? read.body : { ...read.body, files: read.files };
  const refusal = options.lenient ? undefined : checkImages(read);
  if (refusal !== undefined) return refuse(refusal, seen);
  return picturesOf(read, request, seen);
}

function readRequest(request: VendorRequest): ImageRequest | ChatRefusal {
  const { vendor, headers, path } = request;
  const isEdit = path === EDITS;
  if (isEdit && vendor !== 'xai') {
    const form = readForm(headers['content-type'] ?? '', request.body);
    if (form === undefined) return badRequest('Invalid multipart form data.', null);
    return { body: typed(form.fields), files: form.files, isEdit, vendor };
  }
  const problem = checkContentType(headers);
  if (problem !== undefined) return problem;
  const parsed = parseJsonBytes(request.body);
  if (!parsed.ok || !isRecord(parsed.value))
    return badRequest('We could not parse the JSON body of your request.', null);
  return { body: parsed.value, files: [], isEdit, vendor };
}

/** Form fields are text; the vendor parses numbers and booleans from them. */
function typed(fields: Readonly<Record<string, string>>): JsonRecord {
  const read = (name: string, value: string): unknown => {
    if (['n', 'partial_images', 'output_compression'].includes(name)) return Number(value);
    return name === 'stream' ? value === 'true' : value;
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, read(name, value)]));
}

function picturesOf(
  { body, files, isEdit, vendor }: ImageRequest,
  request: VendorRequest,
  seen: unknown,
): UnderstoodRequest {
  const profile = profileOf(vendor);
  const family = findImageFamily(asText(body['model']), vendor);
  const type = (['png', 'jpeg', 'webp'] as const).find((one) => one === body['output_format']) ?? 'png';
  const order = {
    model: asText(body['model']),
    prompt: asText(body['prompt']),
    count: asNumber(body['n']) ?? 1,
    type,
    partials: asNumber(body['partial_images']) ?? 0,
    origin: `http://${request.headers.host ?? ''}`,
  };
  const inForm = files.filter(({ name }) => name !== 'mask').length;
  const images = asList(body['images']).length + (body['image'] === undefined ? 0 : 1) + inForm;
  const facts = { body, isEdit, family, createdS: request.createdS, inputImages: images };
  return {
    kind: 'pictures',
    order,
    streamed: body['stream'] === true,
    body: seen,
    renderer: rendererOf(profile),
    render: (delivery) => renderPictures(delivery, order, facts, profile),
  };
}
