/** Shared by image dialects: checking a call's limits, losses by host capabilities, files in either form. */

import type { ImageField, ImageLoss, ImageStances } from '../canonical/fields.ts';
import { cannotCarry, GatewayError } from '../canonical/gateway-error.ts';
import type { ImageCall, ImageFile, ImageReference } from '../canonical/image.ts';
import type { ImageLimits, SizeLimits } from '../canonical/image-limits.ts';
import { type Dims, dims } from '../passes/image-dims.ts';
import { formatOf, typeOfFile } from '../passes/image-type.ts';
import { LossList } from '../passes/loss-list.ts';
import { unsupported } from './checking.ts';
import type { TargetFacts } from './dialect.ts';
import type { ImageDialect } from './image-dialect.ts';

/** A format with a text, source images and a size, and nothing else: what the stances of a format differ from. */
export const PLAIN_STANCES: ImageStances = {
  'image.references': 'mapped',
  'image.count': 'native',
  'image.negativePrompt': 'dropped',
  'image.aspectRatio': 'mapped',
  'image.tier': 'mapped',
  'image.pixels': 'native',
  'image.quality': 'dropped',
  'image.background': 'dropped',
  'image.format': 'dropped',
  'image.compression': 'dropped',
  'image.seed': 'dropped',
  'image.enhancePrompt': 'dropped',
  'image.watermark': 'dropped',
  'image.guidance': 'dropped',
  'image.people': 'dropped',
  'image.safety': 'dropped',
  'image.blockReasons': 'dropped',
  'image.moderation': 'dropped',
  'image.fidelity': 'dropped',
  'image.editMode': 'dropped',
  'image.partials': 'dropped',
  'reference.source': 'mapped',
  'reference.mask': 'refused',
  'reference.control': 'refused',
  'reference.style': 'refused',
  'reference.subject': 'refused',
  'reference.content': 'refused',
  extras: 'dropped',
};

/** The losses of an image call. */
type ImageLosses = LossList<ImageLoss['field']>;

/** Response options that do not apply to images. */
export const NO_TEXT_OPTIONS = {
  usageInStream: false,
  withCost: false,
  hideReasoning: false,
  logprobs: false,
} as const;

/** The values to send to a host once the call has passed its limits. */
export type ImagePlan = {
  readonly size: Dims;
  readonly sources: readonly (ImageReference & { readonly file: ImageFile })[];
  readonly mask: (ImageReference & { readonly file: ImageFile }) | undefined;
  readonly losses: ImageLosses;
};

const PLAIN_ROLES: ReadonlySet<string> = new Set(['source', 'mask']);

/** Throws before anything is sent if the call exceeds this host's limits. `size`: the sizes its format can express. */
export function planImage(
  call: ImageCall,
  target: TargetFacts,
  size: SizeLimits,
  dialect: Pick<ImageDialect, 'id' | 'stances'>,
): ImagePlan {
  const limits: ImageLimits = target.model.image ?? {};
  checkCounts(call, limits);
  const sized = dims(call, limits.size ?? size);
  const sources: (ImageReference & { file: ImageFile })[] = [];
  let mask: ImagePlan['mask'];
  for (const reference of call.references) {
    const { role, path, file } = reference;
    if (!PLAIN_ROLES.has(role)) throw unsupported(path, `is a reference for ${role}, which this model does not know`);
    if (file === undefined) throw unsupported(path, 'leaves the mask to be found by the model, which this one cannot');
    if (role === 'source') sources.push({ ...reference, file });
    else if (mask !== undefined) throw unsupported(path, 'is a second mask, and this model takes one');
    else mask = { ...reference, file };
  }
  const losses = droppedFields(call, dialect, target);
  losses.addAll(sized.losses);
  return { size: sized, sources, mask, losses };
}

export function checkCounts(call: ImageCall, limits: ImageLimits): void {
  const { imagesMax, referencesMax, masks } = limits;
  if (imagesMax !== undefined && call.count > imagesMax)
    throw cannotCarry('image.count', `must be at most ${imagesMax} for this model`, imagesMax);
  const given = call.references.filter(({ role }) => role !== 'mask');
  const mask = call.references.find(({ role }) => role === 'mask');
  if (mask !== undefined && masks === false) throw unsupported(mask.path, 'is a mask, which this model does not take');
  if (referencesMax === undefined || given.length <= referencesMax) return;
  if (referencesMax === 0) throw cannotCarry('image.references', 'cannot be given: this model edits no images');
  throw cannotCarry('image.references', `may hold at most ${referencesMax} images for this model`, referencesMax);
}

/** `dims` handles the size and reports its losses itself. */
const SIZE_FIELDS: ReadonlySet<string> = new Set(['image.aspectRatio', 'image.tier', 'image.pixels']);
const COMPRESSION = 'image.compression';
const FORMAT = 'image.format';

const LEAST_LOST = 100;

/** For hosts without a compression parameter. Absent means 100 (the best quality); 100 is never a loss. */
export function loseCompression({ compression = LEAST_LOST }: ImageCall, losses: ImageLosses): void {
  if (compression !== LEAST_LOST) losses.add(COMPRESSION);
}

/** What callers get without asking, in every protocol. */
const USUAL_FORMAT = 'png';

/**
 * For hosts without a format parameter: nothing is lost if the host is known to return the requested format. Of a host
 * whose formats are not known, the usual one is expected as if it had not been asked for: the answer's bytes decide.
 */
export function loseFormat(
  { format }: ImageCall,
  { formats = [USUAL_FORMAT] }: ImageLimits = {},
  losses: ImageLosses,
): void {
  if (format !== undefined && !formats.includes(format)) losses.add(FORMAT);
}

/** Every given field that this dialect declares as dropped. */
export function droppedFields(
  call: ImageCall,
  { id, stances }: Pick<ImageDialect, 'id' | 'stances'>,
  { model }: Pick<TargetFacts, 'model'>,
): ImageLosses {
  const limits = model.image ?? {};
  const losses: ImageLosses = new LossList();
  const { format, usualFormat } = call;
  // The protocol promises a default format, and some hosts return only others.
  if (format === undefined && usualFormat !== undefined && limits.formats?.includes(usualFormat) === false)
    losses.add(FORMAT);
  for (const [name, value] of Object.entries(call)) {
    const field = `image.${name}`;
    if (value === undefined || SIZE_FIELDS.has(field) || !isField(stances, field) || stances[field] !== 'dropped')
      continue;
    if (field === COMPRESSION) loseCompression(call, losses);
    else if (field === FORMAT) loseFormat(call, limits, losses);
    else losses.add(field);
  }
  if (Object.keys(call.extras).some((dialect) => dialect !== id)) losses.add('extras');
  return losses;
}

const isField = (stances: ImageStances, field: string): field is ImageField => Object.hasOwn(stances, field);

export const base64Of = (file: ImageFile): string => ('base64' in file ? file.base64 : file.toBase64());

/** The type of the bytes; the label counts only if the bytes are not recognised. */
export const mimeTypeOf = (file: ImageFile): string => typeOfFile(file) ?? file.mimeType ?? 'image/png';

export const dataUrlOf = (file: ImageFile): string => `data:${mimeTypeOf(file)};base64,${base64Of(file)}`;

export const filenameOf = (file: ImageFile, position: number): string =>
  `image-${position}.${formatOf(mimeTypeOf(file)) ?? 'png'}`;

const NO_IMAGES = { kind: 'upstream-broken', message: 'The upstream provider sent no images.' } as const;

export const noImages = (): GatewayError => new GatewayError(NO_IMAGES);

/** For hosts that report a withheld image without a reason. */
export const HELD_BACK = 'The image was held back by a safety filter.';
