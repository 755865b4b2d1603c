/** Canonical call → a `:generateContent` request: the images, then the text, and the IMAGE modality. */

import type { ImageLoss, ImageStances } from '../../canonical/fields.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import type { ImageCall } from '../../canonical/image.ts';
import type { SizeLimits } from '../../canonical/image-limits.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { unsupported } from '../checking.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import {
  base64Of,
  type ImagePlan,
  loseCompression,
  loseFormat,
  mimeTypeOf,
  PLAIN_STANCES,
  planImage,
} from '../image-calls.ts';
import { quirksOf } from './quirks.ts';

const ANY_RATIO: SizeLimits = { kind: 'ratio', tiers: ['1K', '2K', '4K'] };

export const stances: ImageStances = {
  ...PLAIN_STANCES,
  'image.count': 'refused',
  'image.aspectRatio': 'native',
  'image.tier': 'native',
  'image.pixels': 'approximated',
  'image.format': 'native',
  'image.compression': 'native',
  'image.seed': 'native',
};

export function encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss> {
  const { cloudFields } = quirksOf(target);
  if (call.count > 1) throw cannotCarry('image.count', 'must be 1 for this model');
  const plan = planImage(call, target, ANY_RATIO, { id: 'google-image', stances });
  if (plan.mask !== undefined) throw unsupported(plan.mask.path, 'is a mask, which this model does not take');
  const { losses } = plan;
  if (!cloudFields) loseFormat(call, target.model.image, losses);
  if (!cloudFields || call.format === undefined) loseCompression(call, losses);
  const images = plan.sources.map(({ file }) => ({
    inlineData: { mimeType: mimeTypeOf(file), data: base64Of(file) },
  }));
  const imageConfig = configOf(call, plan, cloudFields);
  return {
    body: {
      contents: [{ role: 'user', parts: [...images, { text: call.prompt }] }],
      generationConfig: {
        responseModalities: ['TEXT', 'IMAGE'],
        ...(Object.keys(imageConfig).length > 0 && { imageConfig }),
        ...(call.seed !== undefined && { seed: call.seed }),
      },
    },
    losses: losses.all,
  };
}

function configOf({ format, compression }: ImageCall, { size }: ImagePlan, cloudFields: boolean): JsonObject {
  return {
    ...(size.aspectRatio !== undefined && { aspectRatio: size.aspectRatio }),
    ...(size.tier !== undefined && { imageSize: size.tier }),
    ...(cloudFields &&
      format !== undefined && {
        imageOutputOptions: {
          mimeType: `image/${format}`,
          ...(compression !== undefined && { compressionQuality: compression }),
        },
      }),
  };
}
