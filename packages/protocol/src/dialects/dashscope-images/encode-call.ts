/** Canonical call → a task for an upstream of this dialect: text and images in a message, or text alone as a prompt. */
import type { ImageLoss, ImageStances } from '../../canonical/fields.ts';
import type { ImageCall } from '../../canonical/image.ts';
import type { SizeLimits } from '../../canonical/image-limits.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { sizeText } from '../../passes/image-dims.ts';
import { unsupported } from '../checking.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { dataUrlOf, type ImagePlan, PLAIN_STANCES, planImage } from '../image-calls.ts';
import { quirksOf } from './quirks.ts';

const ANY_SIZE: SizeLimits = { kind: 'free', multiple: 1, maxSide: 8192, tiers: ['1K', '2K', '4K'] };

export const stances: ImageStances = {
  ...PLAIN_STANCES,
  'image.negativePrompt': 'native',
  'image.seed': 'native',
  'image.enhancePrompt': 'mapped',
  'image.watermark': 'native',
};

export function encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss> {
  const plan = planImage(call, target, ANY_SIZE, { id: 'dashscope-images', stances });
  if (plan.mask !== undefined) throw unsupported(plan.mask.path, 'is a mask, which this model does not take');
  const losses = plan.losses.all;
  const isPrompt = quirksOf(target).promptModels.some((start) => target.upstreamModel.startsWith(start));
  const settings = settingsOf(call, plan);
  const avoided: Readonly<Record<string, Json>> =
    call.negativePrompt === undefined ? {} : { negative_prompt: call.negativePrompt };
  if (!isPrompt) {
    const body = { model: target.upstreamModel, input: messages(call, plan), parameters: { ...settings, ...avoided } };
    return { body, losses };
  }
  const [source] = plan.sources;
  if (source !== undefined) throw unsupported(source.path, 'is a picture, and this model starts from words alone');
  const input = { prompt: call.prompt, ...avoided };
  return { body: { model: target.upstreamModel, input, parameters: settings }, losses, action: 'prompt' };
}

const messages = ({ prompt }: ImageCall, { sources }: ImagePlan): JsonObject => ({
  messages: [{ role: 'user', content: [...sources.map(({ file }) => ({ image: dataUrlOf(file) })), { text: prompt }] }],
});

const settingsOf = (call: ImageCall, { size: { pixels } }: ImagePlan): Readonly<Record<string, Json>> => ({
  // Sent even if it is 1: some models make four images by default.
  n: call.count,
  ...(pixels !== undefined && pixels !== 'auto' && { size: sizeText(pixels, '*') }),
  ...(call.seed !== undefined && { seed: call.seed }),
  ...(call.enhancePrompt !== undefined && { prompt_extend: call.enhancePrompt }),
  ...(call.watermark !== undefined && { watermark: call.watermark }),
});
