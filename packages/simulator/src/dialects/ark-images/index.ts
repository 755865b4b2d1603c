// The Ark image API, simulated by the vendor `ark`: sizes in pixels, data URLs for images, sets instead of counts.
import { parseObject } from '../../json-text.ts';
import { asNumber, asRecord, asText, type JsonRecord } from '../../json-value.ts';
import type { PictureDelivery } from '../../pictures/order.ts';
import type { VendorRequest } from '../../wire.ts';
import type { DialectOptions, Reply, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { imageTypeOf } from '../judgement.ts';
import { checkContentType, checkCredential } from '../openai-chat/check.ts';
import { wordProblem } from '../openai-chat/problem.ts';
import { profileOf } from '../openai-chat/profiles.ts';
import { badRequest, type ChatRefusal } from '../openai-chat/refusal.ts';
import { refused } from '../openai-chat/status-replies.ts';
import { rendererOf } from '../openai-images/render.ts';
import { json } from '../replies.ts';
import { Shapes } from '../shape-check.ts';

const MAX_SET = 15;
const MIN_PIXELS = 921_600;
const MAX_PIXELS = 16_777_216;
const profile = profileOf('openai');

const shapes = new Shapes(`
  Images = {
    model prompt: text(1..), image?, size?: text, response_format?: 'url' | 'b64_json',
    sequential_image_generation?: 'auto' | 'disabled',
    sequential_image_generation_options?: { max_images?: int(1..${MAX_SET}) },
    output_format?: 'png' | 'jpeg', watermark?: flag, optimize_prompt_options?: { mode: 'standard' | 'fast' }, stream?: flag
  }
`);

export const arkImages: SimulatedDialect = {
  name: 'ark-images',
  vendors: ['ark'],
  paths: [/^\/api\/v3\/images\/generations$/u],
  understand,
};

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const early =
    (options.lenient ? undefined : checkCredential(request.headers, profile, options)) ??
    checkContentType(request.headers);
  if (early !== undefined) return refused(early, profile);
  const body = parseObject(request.body);
  if (body === undefined) return refused(badRequest('The request body is not valid.', null), profile);
  const refusal = options.lenient ? undefined : checkBody(body);
  if (refusal !== undefined) return refused(refusal, profile, body);
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

function checkBody(body: JsonRecord): ChatRefusal | undefined {
  const { model, output_format, size, image } = body;
  const problem = shapes.first('Images', body);
  if (problem !== undefined) return wordProblem(problem);
  if (!/^seedream-/u.test(asText(model)))
    return {
      status: 404,
      message: `The model or endpoint ${asText(model)} does not exist or you do not have access to it.`,
      type: 'NotFound',
      param: null,
      code: 'InvalidEndpointOrModel.NotFound',
    };
  // Models before version 5 only make JPEG.
  if (output_format !== undefined && !/^seedream-5/u.test(asText(model)))
    return badRequest('The parameter `output_format` is not supported by this model.', 'output_format');
  const [, width, height] = /^(\d+)x(\d+)$/u.exec(asText(size)) ?? [];
  const pixels = Number(width) * Number(height);
  const isSize = size === undefined || ['1K', '2K', '4K'].includes(asText(size));
  if (!isSize && !(pixels >= MIN_PIXELS && pixels <= MAX_PIXELS)) {
    const message = `The parameter \`size\` specified in the request is not valid: ${String(size)}.`;
    return badRequest(message, 'size', 'InvalidParameter');
  }
  const images = image === undefined ? [] : Array.isArray(image) ? image : [image];
  const areFine = images.every((one) => {
    const [, type, base64 = ''] = /^data:(image\/[a-z]+);base64,(.+)$/u.exec(asText(one)) ?? [];
    return imageTypeOf(base64) === type && type !== undefined;
  });
  return areFine ? undefined : badRequest('The parameter `image` is not valid.', 'image', 'InvalidParameter');
}

const SENSITIVE = {
  code: 'OutputImageSensitiveContentDetected',
  message: 'The request failed because the output image may contain sensitive information.',
};

function replyOf({ outcomes, knobs }: PictureDelivery, body: JsonRecord, createdS: number): Reply {
  if (knobs.manner === 'blocked') return json(400, { error: { ...SENSITIVE, type: 'BadRequest', param: '' } });
  const data = outcomes.map((outcome) => {
    if (outcome.blocked) return { error: SENSITIVE };
    if (outcome.url !== undefined) return { url: outcome.url, size: asText(body['size']) };
    return { b64_json: outcome.picture.bytes.toString('base64'), size: asText(body['size']) };
  });
  const usage = { generated_images: data.length, output_tokens: 4096 * data.length, total_tokens: 4096 * data.length };
  return json(200, { model: body['model'], created: createdS, data, usage });
}
