// OpenAI's images, simulated by `openai` (the GPT image family), `compatible` (an older server) and `xai`.
import { parseObject } from '../../json-text.ts';
import { asList, asNumber, asText } from '../../json-value.ts';
import { readForm } from '../../pictures/form.ts';
import type { VendorRequest } from '../../wire.ts';
import type { DialectOptions, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { checkContentType, checkCredential, checkMethod } from '../openai-chat/check.ts';
import { profileOf } from '../openai-chat/profiles.ts';
import { badRequest, type ChatRefusal } from '../openai-chat/refusal.ts';
import { refused } from '../openai-chat/status-replies.ts';
import { checkImages, type ImageRequest } from './check.ts';
import { findImageFamily } from './models.ts';
import { rendererOf, renderPictures } from './render.ts';

const EDITS = '/v1/images/edits';

export const openaiImages: SimulatedDialect = {
  name: 'openai-images',
  vendors: ['openai', 'compatible', 'xai'],
  paths: [/^\/v1\/images\/(?:generations|edits)$/u],
  understand,
};

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const profile = profileOf(request.vendor);
  const unwelcome = options.lenient ? undefined : checkCredential(request.headers, profile, options);
  const early = checkMethod(request) ?? unwelcome;
  if (early !== undefined) return refused(early, profile);
  const read = readRequest(request);
  if ('status' in read) return refused(read, profile);
  const seen = read.files.length === 0 ? read.body : { ...read.body, files: read.files };
  const refusal = options.lenient ? undefined : checkImages(read);
  if (refusal !== undefined) return refused(refusal, profile, seen);
  return picturesOf(read, request, seen);
}

function readRequest(request: VendorRequest): ImageRequest | ChatRefusal {
  const { vendor, headers, path } = request;
  const isEdit = path === EDITS;
  if (isEdit && vendor !== 'xai') {
    const form = readForm(headers['content-type'] ?? '', request.body);
    if (form === undefined) return badRequest('Invalid multipart form data.', null);
    // Form fields are text; the vendor parses numbers and booleans from them.
    const body: Record<string, unknown> = { ...form.fields };
    for (const name of ['n', 'partial_images', 'output_compression'])
      if (body[name] !== undefined) body[name] = Number(body[name]);
    if (body['stream'] !== undefined) body['stream'] = body['stream'] === 'true';
    return { body, files: form.files, isEdit, vendor };
  }
  const problem = checkContentType(headers);
  if (problem !== undefined) return problem;
  const body = parseObject(request.body);
  if (body === undefined) return badRequest('We could not parse the JSON body of your request.', null);
  return { body, files: [], isEdit, vendor };
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
