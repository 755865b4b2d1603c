/** Masks as a host reads them: callers mark the area to edit by transparency, some hosts by white. */
import { GatewayError, type ImageCall, type ImageReference } from '@trivium/protocol/canonical';
import type { MaskInverter } from '../../kernel/media.ts';
import type { TargetSide } from '../../kernel/target.ts';
import { answersWithImages } from '../../kernel/target.ts';

/** Returns a promise only if there is a mask to invert. */
export function withMasksTurned(
  call: ImageCall,
  target: TargetSide,
  invert: MaskInverter | undefined,
): ImageCall | Promise<ImageCall> {
  if (!answersWithImages(target) || target.dialect.client.editsWhere !== 'white') return call;
  const isTaken = target.facts.model.image?.masks === true && call.references.some(({ role }) => role === 'mask');
  if (!isTaken) return call;
  return Promise.all(call.references.map((reference) => turned(reference, invert))).then((references) => ({
    ...call,
    references,
  }));
}

/** A mask that cannot be inverted is refused: as it is, it would mark everything that is to stay. */
async function turned(reference: ImageReference, invert: MaskInverter | undefined): Promise<ImageReference> {
  const { role, file, path } = reference;
  if (role !== 'mask' || file === undefined) return reference;
  const inverted = await invert?.(file);
  if (inverted !== undefined) return { ...reference, file: inverted };
  const message = `'${path}' must be a PNG with an alpha channel, not interlaced and of 4 megapixels at most, for this model.`;
  throw new GatewayError({ kind: 'unsupported', message, field: path });
}
