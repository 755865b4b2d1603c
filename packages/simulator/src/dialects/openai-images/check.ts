// Validates one image request: members, model, size, and the files of an edit.
import { asText, type JsonRecord } from '../../json-value.ts';
import type { PictureFormFile } from '../../pictures/form.ts';
import { imageTypeOf } from '../judgement.ts';
import { unknownModel } from '../openai-chat/check.ts';
import { wordProblem } from '../openai-chat/problem.ts';
import { badRequest, type ChatRefusal } from '../openai-chat/refusal.ts';
import { Shapes } from '../shape-check.ts';
import { findImageFamily, type ImageFamily } from './models.ts';

const SIZES = ['auto', '1024x1024', '1536x1024', '1024x1536'];
const MAX_SIDE = 3840;
const SIZE_STEP = 16;
const MAX_RATIO = 3;

export interface ImageRequest {
  readonly body: JsonRecord;
  readonly files: readonly PictureFormFile[];
  readonly isEdit: boolean;
  readonly vendor: string;
}

const shapes = new Shapes(String.raw`
  Prompt = { model: text(1..), prompt: text(1..32000) }
  Gpt = {
    ...Prompt, n?: int(1..10), size?: text, quality?: 'low' | 'medium' | 'high' | 'auto',
    background?: 'transparent' | 'opaque' | 'auto', output_format?: 'png' | 'jpeg' | 'webp',
    output_compression?: int(0..100), moderation?: 'low' | 'auto', stream?: flag, partial_images?: int(0..3), user?: text
  }
  GptEdit = { ...Gpt, input_fidelity?: 'low' | 'high' }
  Grok = {
    ...Prompt, n?: int(1..10), response_format?: 'url' | 'b64_json', aspect_ratio?: text(/^\d+:\d+$/),
    resolution?: '1k' | '2k', image?, images?
  }
  Compatible = { ...Prompt, n?: int(1..4), size?: text, response_format?: 'url' | 'b64_json' }
`);

export function checkImages({ body, files, isEdit, vendor }: ImageRequest): ChatRefusal | undefined {
  const family = findImageFamily(asText(body['model']), vendor);
  if (family === undefined) return unknownModel(asText(body['model']));
  const problem = shapes.first(isEdit && family.shape === 'Gpt' ? 'GptEdit' : family.shape, body);
  if (problem !== undefined) return wordProblem(problem);
  const { size, output_compression: compression, output_format: format = 'png' } = body;
  if (size !== undefined && !SIZES.includes(asText(size))) {
    const [, width, height] = /^(\d+)x(\d+)$/u.exec(asText(size)) ?? [];
    const sides = [Number(width), Number(height)];
    const fits =
      family.hasCustomSizes &&
      sides.every((side) => side > 0 && side % SIZE_STEP === 0 && side <= MAX_SIDE) &&
      Math.max(...sides) <= MAX_RATIO * Math.min(...sides);
    const message = `Invalid value: '${String(size)}'. Supported values are: '1024x1024', '1024x1536', '1536x1024', and 'auto'.`;
    if (!fits) return badRequest(message, 'size', 'invalid_value');
  }
  if (compression !== undefined && compression !== 100 && format === 'png')
    return badRequest('Compression less than 100 is not supported for PNG output format', 'output_compression');
  if (!isEdit) return undefined;
  if (family.shape !== 'Grok') return checkFiles(files, family);
  return body['image'] === undefined ? MISSING_IMAGE : undefined;
}

const MISSING_IMAGE = badRequest("Missing required parameter: 'image'.", 'image', 'missing_required_parameter');

function checkFiles(files: readonly PictureFormFile[], { maxImages, masks }: ImageFamily): ChatRefusal | undefined {
  const images = files.filter(({ name }) => name === 'image' || name === 'image[]');
  if (images.length === 0) return MISSING_IMAGE;
  if (images.length > maxImages) return badRequest(`Too many images: at most ${maxImages} are allowed.`, 'image');
  const stranger = files.find(({ name }) => name !== 'image' && name !== 'image[]' && name !== 'mask');
  if (stranger !== undefined)
    return badRequest(`Unknown parameter: '${stranger.name}'.`, stranger.name, 'unknown_parameter');
  const mask = files.find(({ name }) => name === 'mask');
  if (mask !== undefined && !masks) return badRequest('Masks are not supported with this model.', 'mask');
  const odd = files.find(({ base64, type }) => imageTypeOf(base64) === undefined || imageTypeOf(base64) !== type);
  if (odd === undefined) return undefined;
  const message = `Invalid file '${odd.name}': unsupported mimetype ('${odd.type}').`;
  return badRequest(message, odd.name, 'unsupported_file_mimetype');
}
