/** Validates the parts of a turn: exactly one data field each, of a supported kind and form. */
import type { MediaKind } from '../../canonical/content.ts';
import { type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { malformed, unsupported } from '../checking.ts';
import { isAnyBase64 } from './wav.ts';
import { DATA_FIELDS, MEDIA_RESOLUTIONS, MIME_TYPES } from './wire.ts';

type FoundMedia = { readonly kind: MediaKind; readonly path: string };

/** Features that a target may not support, collected during validation. */
export type PartTraits = {
  readonly media: FoundMedia[];
  /** Raw signatures: made by the home vendor. */
  signatures: boolean;
  ultraResolution: string | undefined;
};

const RESOLUTION = 'MEDIA_RESOLUTION_';

/** The part in this dialect's form; the same object if it already had that form. */
export function checkPart(part: JsonObject, path: string, ofModel: boolean, traits: PartTraits): JsonObject {
  const given = DATA_FIELDS.filter((field) => part[field] !== undefined);
  // Upstreams end a turn with a part that holds only a signature, and callers send it back.
  if (given.length === 0 && ofModel && part['thoughtSignature'] !== undefined)
    return checkPart({ ...part, text: '' }, path, ofModel, traits);
  if (given.length !== 1) throw malformed(path, `must hold exactly one of ${DATA_FIELDS.join(', ')}`);
  const kind = checkMedia(part, path, ofModel);
  const usual = withUsualType(part);
  if (kind !== undefined) traits.media.push({ kind, path });
  if (part['videoMetadata'] !== undefined && kind !== 'video')
    throw malformed(`${path}.videoMetadata`, 'may only stand beside video data');
  if (part['thoughtSignature'] !== undefined) traits.signatures = true;
  return withResolution(usual, path, traits);
}

/** Other names for a type of the list. */
const ALIASES: Readonly<Record<string, string>> = { 'audio/x-wav': 'audio/wav', 'audio/wave': 'audio/wav' };
const usualType = (mimeType: string): string => ALIASES[mimeType] ?? mimeType;

/** The same part with the usual name of its media type. */
function withUsualType(part: JsonObject): JsonObject {
  for (const field of ['inlineData', 'fileData']) {
    const media = objectAt(part, field);
    const mimeType = stringAt(media, 'mimeType') ?? '';
    if (usualType(mimeType) !== mimeType) return { ...part, [field]: { ...media, mimeType: usualType(mimeType) } };
  }
  return part;
}

function checkMedia(part: JsonObject, path: string, ofModel: boolean): MediaKind | undefined {
  const inline = objectAt(part, 'inlineData');
  const file = objectAt(part, 'fileData');
  const media = inline ?? file;
  if (media === undefined) return undefined;
  const where = `${path}.${inline === undefined ? 'fileData' : 'inlineData'}`;
  const mimeType = usualType(stringAt(media, 'mimeType') ?? '');
  // Media that a model generated may come back in any type.
  if (!ofModel && !MIME_TYPES.includes(mimeType))
    throw malformed(`${where}.mimeType`, `must be one of ${MIME_TYPES.join(', ')}`);
  if (inline !== undefined && !isAnyBase64(stringAt(inline, 'data') ?? ''))
    throw malformed(`${where}.data`, 'is not base64');
  return mediaKind(mimeType);
}

export function mediaKind(mimeType: string): MediaKind {
  const family = mimeType.slice(0, mimeType.indexOf('/'));
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

/** Bare or prefixed, as a string or in an object: normalised to one form. */
function withResolution(part: JsonObject, path: string, traits: PartTraits): JsonObject {
  const given = part['mediaResolution'];
  if (given === undefined) return part;
  const text = typeof given === 'string' ? given : (stringAt(objectAt(part, 'mediaResolution'), 'level') ?? '');
  const level = text.startsWith(RESOLUTION) ? text : `${RESOLUTION}${text}`;
  if (!MEDIA_RESOLUTIONS.some((known) => known === level))
    throw malformed(`${path}.mediaResolution`, 'must be one of LOW, MEDIUM, HIGH');
  if (level === 'MEDIA_RESOLUTION_ULTRA_HIGH') traits.ultraResolution ??= `${path}.mediaResolution`;
  return text === level && typeof given !== 'string' ? part : { ...part, mediaResolution: { level } };
}

/** Refuses parts that make no sense as system instructions. */
export function checkSystemPart(part: JsonObject, path: string): void {
  if (part['functionCall'] !== undefined || part['functionResponse'] !== undefined)
    throw unsupported(path, 'cannot be a function call or response');
}
