// The Ark image API, simulated by the vendor `ark`: sizes in pixels, data URLs for images, sets instead of counts.
import { parseJsonBytes } from '../../json-text.ts';
import { asList, asNumber, asRecord, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import type { PictureDelivery } from '../../pictures/order.ts';
import type { DialectOptions, Reply, SimulatedDialect, UnderstoodRequest, VendorRequest } from '../dialect.ts';
import { firstOf, imageTypeOf } from '../judgement.ts';
import { checkContentType, checkCredential } from '../openai-chat/check.ts';
import { profileOf } from '../openai-chat/profiles.ts';
import { badRequest, type ChatRefusal } from '../openai-chat/refusal.ts';
import { refused } from '../openai-chat/status-replies.ts';
import { rendererOf } from '../openai-images/render.ts';
import { wordProblem } from '../openai-responses/problem.ts';
import { anything, flag, integer, object, text, word } from '../shape-check.ts';

const MAX_SET = 15;
const MIN_PIXELS = 921_600;
const MAX_PIXELS = 16_777_216;
const profile = profileOf('openai');

const shape = object(
  { model: text({ min: 1 }), prompt: text({ min: 1 }) },
  {
    image: anything,
    size: text(),
    response_format: word('url', 'b64_json'),
    sequential_image_generation: word('auto', 'disabled'),
    sequential_image_generation_options: object({}, { max_images: integer({ min: 1, max: MAX_SET }) }),
    output_format: word('png', 'jpeg'),
    watermark: flag,
    optimize_prompt_options: object({ mode: word('standard', 'fast') }),
    stream: flag,
  },
);

export const arkImages: SimulatedDialect = {
  name: 'ark-images',
  vendors: ['ark'],
  serves: (path) => path === '/api/v3/images/generations',
  understand,
};

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const refuse = (refusal: ChatRefusal, body?: unknown): UnderstoodRequest => refused(refusal, profile, body);
  const early = firstOf(
    () => (options.lenient ? undefined : checkCredential(request.headers, profile, options)),
    () => checkContentType(request.headers),
  );
  if (early !== undefined) return refuse(early);
  const parsed = parseJsonBytes(request.body);
  if (!parsed.ok || !isRecord(parsed.value)) return refuse(badRequest('The request body is not valid.', null));
  const body = parsed.value;
  const refusal = options.lenient ? undefined : checkBody(body);
  if (refusal !== undefined) return refuse(refusal, body);
  const isSet = body['sequential_image_generation'] === 'auto';
  const most = asNumber(asRecord(body['sequential_image_generation_options'])['max_images']) ?? MAX_SET;
  const order = {
    model: asText(body['model']),
    prompt: asText(body['prompt']),
    count: isSet ? most : 1,
    type: body['output_format'] === 'png' ? ('png' as const) : ('jpeg' as const),
    partials: 0,
    origin: `http://${request.headers.host ?? ''}`,
  };
  return {
    kind: 'pictures',
    order,
    streamed: false,
    body,
    renderer: rendererOf(profile),
    render: (delivery) => ({ reply: replyOf(delivery, body, request.createdS), frames: [] }),
  };
}

/** Models before version 5 only make JPEG. */
const checkFormat = (body: JsonRecord): ChatRefusal | undefined =>
  body['output_format'] === undefined || /^seedream-5/u.test(asText(body['model']))
    ? undefined
    : badRequest('The parameter `output_format` is not supported by this model.', 'output_format');

function checkBody(body: JsonRecord): ChatRefusal | undefined {
  return firstOf(
    () => wordProblem(shape(body, [], { ignoreUnknown: false })),
    () => (/^seedream-/u.test(asText(body['model'])) ? undefined : notFound(asText(body['model']))),
    () => checkFormat(body),
    () => checkSize(body['size']),
    () => checkImages(body['image']),
  );
}

const notFound = (model: string): ChatRefusal => ({
  status: 404,
  message: `The model or endpoint ${model} does not exist or you do not have access to it.`,
  type: 'NotFound',
  param: null,
  code: 'InvalidEndpointOrModel.NotFound',
});

function checkSize(size: unknown): ChatRefusal | undefined {
  if (size === undefined || ['1K', '2K', '4K'].includes(asText(size))) return undefined;
  const [, width, height] = /^(\d+)x(\d+)$/u.exec(asText(size)) ?? [];
  const pixels = Number(width) * Number(height);
  if (pixels >= MIN_PIXELS && pixels <= MAX_PIXELS) return undefined;
  return badRequest(
    `The parameter \`size\` specified in the request is not valid: ${String(size)}.`,
    'size',
    'InvalidParameter',
  );
}

function checkImages(image: unknown): ChatRefusal | undefined {
  const images = (image === undefined ? [] : Array.isArray(image) ? asList(image) : [image]).map(asText);
  const isFine = (one: string): boolean => {
    const [, type, base64 = ''] = /^data:(image\/[a-z]+);base64,(.+)$/u.exec(one) ?? [];
    return imageTypeOf(base64) === type && type !== undefined;
  };
  return images.every(isFine)
    ? undefined
    : badRequest('The parameter `image` is not valid.', 'image', 'InvalidParameter');
}

const SENSITIVE = {
  code: 'OutputImageSensitiveContentDetected',
  message: 'The request failed because the output image may contain sensitive information.',
};

function replyOf({ outcomes, knobs }: PictureDelivery, body: JsonRecord, createdS: number): Reply {
  const headers = { 'content-type': 'application/json' };
  if (knobs.manner === 'blocked')
    return { status: 400, headers, body: JSON.stringify({ error: { ...SENSITIVE, type: 'BadRequest', param: '' } }) };
  const data = outcomes.map((outcome) => {
    if (outcome.blocked) return { error: SENSITIVE };
    if (outcome.url !== undefined) return { url: outcome.url, size: asText(body['size']) };
    return { b64_json: outcome.picture.bytes.toString('base64'), size: asText(body['size']) };
  });
  const usage = { generated_images: data.length, output_tokens: 4096 * data.length, total_tokens: 4096 * data.length };
  return { status: 200, headers, body: JSON.stringify({ model: body['model'], created: createdS, data, usage }) };
}
