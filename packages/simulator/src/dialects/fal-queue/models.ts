// The models of the queue and the members each path accepts, from their public schemas.
import { Shapes } from '../shape-check.ts';

export const falShapes = new Shapes(String.raw`
  Usual = { seed?: int, sync_mode? enable_safety_checker?: flag }
  Size = { image_size?: { width height: int(64..8192) } }
  Format = { output_format?: 'png' | 'jpeg' }
  Several = { num_images?: int(1..6), ...Usual }
  Pro = { prompt: text(1..), ...Size, ...Format, ...Usual }
  ProEdit = { prompt: text(1..), image_urls: [imageUri](1..10), ...Size, ...Format, ...Usual }
  Pro11 = { prompt: text(1..), ...Size, ...Format, ...Several }
  Kontext = { prompt: text(1..), image_url: imageUri, aspect_ratio?: text(/^\d+:\d+$/), ...Format, ...Several }
  KontextText = { prompt: text(1..), aspect_ratio?: text(/^\d+:\d+$/), ...Format, ...Several }
  Seedream = { prompt: text(1..), ...Size, ...Several }
  SeedreamEdit = { prompt: text(1..), image_urls: [imageUri](1..10), ...Size, ...Several }
`);

const MODELS: ReadonlyMap<string, string> = new Map([
  ['/fal-ai/flux-2-pro', 'Pro'],
  ['/fal-ai/flux-2-pro/edit', 'ProEdit'],
  ['/fal-ai/flux-pro/v1.1', 'Pro11'],
  ['/fal-ai/flux-pro/kontext', 'Kontext'],
  ['/fal-ai/flux-pro/kontext/text-to-image', 'KontextText'],
  ['/fal-ai/bytedance/seedream/v4/text-to-image', 'Seedream'],
  ['/fal-ai/bytedance/seedream/v4/edit', 'SeedreamEdit'],
]);

/** The shape that a path accepts. */
export const modelAt = (path: string): string | undefined => MODELS.get(path);
