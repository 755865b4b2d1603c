// Validates one image request: members, model, size, and the files of an edit.
import type { JsonRecord } from '../../json-value.ts';
import { asText } from '../../json-value.ts';
import type { PictureFormFile } from '../../pictures/form.ts';
import { firstOf, imageTypeOf } from '../judgement.ts';
import { badRequest, type ChatRefusal } from '../openai-chat/refusal.ts';
import { wordProblem } from '../openai-responses/problem.ts';
import { anything, flag, integer, object, type Shape, text, word } from '../shape-check.ts';
import { findImageFamily, type ImageFamily } from './models.ts';

const MAX_PROMPT = 32_000;
const MAX_SIDE = 3840;
const SIZE_STEP = 16;
const MAX_RATIO = 3;

export interface ImageRequest {
  readonly body: JsonRecord;
  readonly files: readonly PictureFormFile[];
  readonly isEdit: boolean;
  readonly vendor: string;
}

const settings: Readonly<Record<string, Shape>> = {
  quality: word('low', 'medium', 'high', 'auto'),
  background: word('transparent', 'opaque', 'auto'),
  output_format: word('png', 'jpeg', 'webp'),
  output_compression: integer({ min: 0, max: 100 }),
  moderation: word('low', 'auto'),
  stream: flag,
  partial_images: integer({ min: 0, max: 3 }),
  user: text(),
};

function shapeFor(family: ImageFamily, isEdit: boolean): Shape {
  return object(
    { model: text({ min: 1 }), prompt: text({ min: 1, max: MAX_PROMPT }) },
    {
      n: integer({ min: 1, max: family.maxCount }),
      ...(family.sizes !== 'none' && { size: text() }),
      ...(family.settings && settings),
      ...(family.settings && isEdit && { input_fidelity: word('low', 'high') }),
      ...(family.responseFormat && { response_format: word('url', 'b64_json') }),
      ...(family.ratios && {
        aspect_ratio: text({ pattern: /^\d+:\d+$/u }),
        resolution: word('1k', '2k'),
        image: anything,
        images: anything,
      }),
    },
  );
}

export function checkImages({ body, files, isEdit, vendor }: ImageRequest): ChatRefusal | undefined {
  const model = asText(body['model']);
  const family = findImageFamily(model, vendor);
  if (family === undefined) {
    const message = `The model \`${model}\` does not exist or you do not have access to it.`;
    return { status: 404, message, type: 'invalid_request_error', param: null, code: 'model_not_found' };
  }
  return firstOf(
    () => wordProblem(shapeFor(family, isEdit)(body, [], { ignoreUnknown: false })),
    () => checkSize(body['size'], family),
    () => checkCompression(body),
    () => (isEdit && !family.ratios ? checkFiles(files, family) : undefined),
    () => (isEdit && family.ratios && body['image'] === undefined ? missingImage() : undefined),
  );
}

function checkSize(size: unknown, { sizes }: ImageFamily): ChatRefusal | undefined {
  if (size === undefined || size === 'auto' || ['1024x1024', '1536x1024', '1024x1536'].includes(asText(size)))
    return undefined;
  const [, width, height] = /^(\d+)x(\d+)$/u.exec(asText(size)) ?? [];
  const sides = [Number(width), Number(height)];
  const fits =
    sizes === 'custom' &&
    sides.every((side) => side > 0 && side % SIZE_STEP === 0 && side <= MAX_SIDE) &&
    Math.max(...sides) <= MAX_RATIO * Math.min(...sides);
  if (fits) return undefined;
  const message = `Invalid value: '${String(size)}'. Supported values are: '1024x1024', '1024x1536', '1536x1024', and 'auto'.`;
  return badRequest(message, 'size', 'invalid_value');
}

function checkCompression(body: JsonRecord): ChatRefusal | undefined {
  const compression = body['output_compression'];
  const isPng = body['output_format'] === undefined || body['output_format'] === 'png';
  if (compression === undefined || compression === 100 || !isPng) return undefined;
  return badRequest('Compression less than 100 is not supported for PNG output format', 'output_compression');
}

const missingImage = (): ChatRefusal =>
  badRequest("Missing required parameter: 'image'.", 'image', 'missing_required_parameter');

function checkFiles(files: readonly PictureFormFile[], { maxImages, masks }: ImageFamily): ChatRefusal | undefined {
  const images = files.filter(({ name }) => name === 'image' || name === 'image[]');
  if (images.length === 0) return missingImage();
  if (images.length > maxImages) return badRequest(`Too many images: at most ${maxImages} are allowed.`, 'image');
  const stranger = files.find(({ name }) => name !== 'image' && name !== 'image[]' && name !== 'mask');
  if (stranger !== undefined)
    return badRequest(`Unknown parameter: '${stranger.name}'.`, stranger.name, 'unknown_parameter');
  const mask = files.find(({ name }) => name === 'mask');
  if (mask !== undefined && !masks) return badRequest('Masks are not supported with this model.', 'mask');
  const odd = files.find(({ base64, type }) => imageTypeOf(base64) === undefined || imageTypeOf(base64) !== type);
  return odd === undefined
    ? undefined
    : badRequest(
        `Invalid file '${odd.name}': unsupported mimetype ('${odd.type}').`,
        odd.name,
        'unsupported_file_mimetype',
      );
}
