/**
 * A body whose long strings were extracted while it was read: understood without them if each one is an image of the
 * prompt.
 */
import { type Block, GatewayError, type TextCall } from '@trivium/protocol/canonical';
import type { JsonBounds } from '@trivium/protocol/framing';
import type { LongStrings } from '../../kernel/long-strings.ts';
import { asTextCall } from '../operations.ts';
import type { Identified, Understood } from '../request.ts';
import { type SealingOf, understand } from './understand.ts';

/** From this length on every image is estimated at the same number of tokens. */
const ALIKE_FROM_CHARACTERS = 90_000;

/**
 * Undefined if the body has to be parsed whole: it is invalid (the error must refer to what the caller wrote), or one
 * of the strings is not an image. Text is counted by its length, and other files may be decoded.
 */
export function understandImages(
  identified: Identified,
  text: string,
  longStrings: LongStrings,
  { jsonBounds, sealing }: { readonly jsonBounds: JsonBounds; readonly sealing: SealingOf },
): Understood | undefined {
  try {
    const understood = understand(identified, text, jsonBounds, sealing);
    const call = asTextCall(understood.understanding.call());
    if (call !== undefined && imagesOf(call, longStrings) === longStrings.count)
      return Object.assign(understood, { longStrings });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
  return undefined;
}

function imagesOf({ system, turns }: TextCall, longStrings: LongStrings): number {
  return turns.reduce((count, { blocks }) => count + imagesIn(blocks, longStrings), imagesIn(system, longStrings));
}

function imagesIn(blocks: readonly Block[], longStrings: LongStrings): number {
  let count = 0;
  for (const block of blocks) {
    if (block.kind === 'media') {
      const { media, source } = block;
      if (media !== 'image' || source.via !== 'inline' || source.base64.length < ALIKE_FROM_CHARACTERS) continue;
      if (longStrings.isIn(source.base64)) count++;
    } else if (block.kind === 'tool-result' || block.kind === 'document' || block.kind === 'search-result')
      count += imagesIn(block.content, longStrings);
  }
  return count;
}
