// The models of the queue and the members each path accepts, from their public schemas.
import { flag, integer, list, object, type Shape, text, word } from '../shape-check.ts';
import { dataUri } from '../video/pictures-in.ts';

const prompt = text({ min: 1 });
const side = integer({ min: 64, max: 8192 });
const size = { image_size: object({ width: side, height: side }) };
const ratio = { aspect_ratio: text({ pattern: /^\d+:\d+$/u }) };
const usual = { seed: integer(), sync_mode: flag, enable_safety_checker: flag };
const format = { output_format: word('png', 'jpeg') };
const several = { num_images: integer({ min: 1, max: 6 }) };
const pictures = { image_urls: list(dataUri, { min: 1, max: 10 }) };

const MODELS: Readonly<Record<string, Shape>> = {
  '/fal-ai/flux-2-pro': object({ prompt }, { ...size, ...format, ...usual }),
  '/fal-ai/flux-2-pro/edit': object({ prompt, ...pictures }, { ...size, ...format, ...usual }),
  '/fal-ai/flux-pro/v1.1': object({ prompt }, { ...size, ...format, ...several, ...usual }),
  '/fal-ai/flux-pro/kontext': object({ prompt, image_url: dataUri }, { ...ratio, ...format, ...several, ...usual }),
  '/fal-ai/flux-pro/kontext/text-to-image': object({ prompt }, { ...ratio, ...format, ...several, ...usual }),
  '/fal-ai/bytedance/seedream/v4/text-to-image': object({ prompt }, { ...size, ...several, ...usual }),
  '/fal-ai/bytedance/seedream/v4/edit': object({ prompt, ...pictures }, { ...size, ...several, ...usual }),
};

export const modelAt = (path: string): Shape | undefined => (Object.hasOwn(MODELS, path) ? MODELS[path] : undefined);
