/** Shared by image dialects: the type of the bytes, withheld images, and turning an answer into a stream. */

import type { ImageSpelling } from '../canonical/fields.ts';
import { GatewayError } from '../canonical/gateway-error.ts';
import type { GeneratedImage, ImageAnswer, ImageEvent } from '../canonical/image.ts';
import type { Loss } from '../canonical/loss.ts';
import { formatOf, typeOfBase64 } from '../passes/image-type.ts';
import type { AnswerContext } from './dialect.ts';

const MODERATION_BLOCKED = 'moderation_blocked';

/** The bytes decide; the upstream's label counts only if the bytes are not recognised. */
export const typeOfImage = ({ base64, mimeType }: GeneratedImage): string | undefined =>
  (base64 === undefined ? undefined : typeOfBase64(base64)) ?? mimeType;

/** For protocols whose answers cannot represent a withheld image. */
export function shownImages({ images }: ImageAnswer): readonly GeneratedImage[] {
  const shown = images.filter(({ blocked }) => blocked === undefined);
  if (shown.length > 0) return shown;
  const message = images[0]?.blocked ?? 'No image was made.';
  throw new GatewayError({ kind: 'refused', message, code: MODERATION_BLOCKED });
}

/** The upstream returned another format than requested: images are not converted, and are never mislabelled. */
export function formatLosses(
  images: readonly GeneratedImage[],
  context: AnswerContext,
  spelling: ImageSpelling,
): Loss[] {
  const wanted = context.responseOptions.image?.format;
  const kept = wanted === undefined || images.every((image) => isFormat(image, wanted));
  return kept ? [] : [{ path: spelling['image.format'], why: 'approximated' }];
}

function isFormat(image: GeneratedImage, wanted: string): boolean {
  const format = formatOf(typeOfImage(image));
  return format === undefined || format === wanted;
}

/** An answer that arrived at once, as a stream for callers who asked for one. */
export const eventsOf = (answer: ImageAnswer): readonly ImageEvent[] => {
  shownImages(answer);
  return [{ type: 'image-completed', answer }];
};

export const countOf = (images: readonly GeneratedImage[]): number =>
  images.filter(({ blocked }) => blocked === undefined).length;
