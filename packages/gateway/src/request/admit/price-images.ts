/** What a call for pictures asks of one target, in the terms its price goes by: what it is told, never what is lost. */
import type { ImageCall } from '@trivium/protocol/canonical';
import { dims, type RequestedSize } from '@trivium/protocol/dialects';
import type { ImageTarget, Target } from '../../kernel/target.ts';
import { answersWithImages } from '../../kernel/target.ts';
import { asImageCall } from '../../lanes/operations.ts';
import type { PriceFacts } from '../../prices/cases.ts';
import { type AskedPictures, imageFacts } from '../../prices/image.ts';
import type { Understood } from '../request.ts';

export type PricedImages = { readonly call: ImageCall; readonly asked: AskedPictures; readonly facts: PriceFacts };

/** Undefined for everything but pictures, whose prices go by counts alone. */
export function imagesToPrice(
  { understanding }: Pick<Understood, 'understanding'>,
  target: Target,
): PricedImages | undefined {
  if (!answersWithImages(target)) return undefined;
  const call = asImageCall(understanding.call());
  if (call === undefined) return undefined;
  const asked = askedOf(call, target);
  return { call, asked, facts: imageFacts(asked) };
}

function askedOf(call: ImageCall, target: ImageTarget): AskedPictures {
  const { count, quality, partials = 0, references } = call;
  const { pixels, tier } = sizeOf(call, target);
  const isTold = target.dialect.client.takesQuality?.(target.facts) === true;
  return {
    count,
    partials,
    references: references.filter(({ role }) => role !== 'mask').length,
    ...(pixels !== undefined && pixels !== 'auto' && { pixels }),
    ...(tier !== undefined && { tier }),
    ...(isTold && quality !== undefined && quality !== 'auto' && { quality }),
  };
}

/** As it is told; what a host cannot be told is refused before it costs anything, so that nothing is known of it. */
function sizeOf(call: ImageCall, { facts }: ImageTarget): RequestedSize {
  const limits = facts.model.image?.size;
  if (limits === undefined) return call;
  try {
    return dims(call, limits);
  } catch {
    return {};
  }
}
