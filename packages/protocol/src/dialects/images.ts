/** Shared by image dialects: a call against a host's limits, files in either form, answers, and jobs. */

import type { Fault } from '../canonical/fault.ts';
import type { ImageField, ImageLoss, ImageSpelling, ImageStances } from '../canonical/fields.ts';
import { cannotCarry, GatewayError } from '../canonical/gateway-error.ts';
import type {
  GeneratedImage,
  ImageAnswer,
  ImageCall,
  ImageEvent,
  ImageFile,
  ImageReference,
} from '../canonical/image.ts';
import type { ImageLimits, SizeLimits } from '../canonical/image-limits.ts';
import type { Loss } from '../canonical/loss.ts';
import { type Dims, dims } from '../passes/image-dims.ts';
import { formatOf, typeOfBase64, typeOfFile } from '../passes/image-type.ts';
import { textAt } from '../passes/json-paths.ts';
import { LossList } from '../passes/loss-list.ts';
import { unsupported } from './checking.ts';
import type { AnswerContext, TargetFacts } from './dialect.ts';
import type { HostJob, JobPlace } from './host-job.ts';
import type { ImageDialect } from './media-dialects.ts';

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

// Answers: the type of the bytes, withheld images, and turning an answer into a stream.

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

// Asynchronous image jobs as data: where an answer names the job, where to poll it, and which states mean that it is
// still running.

type JobDescription = {
  readonly pollEveryMs: number;
  /** Paths of the job id in the answer to the submission, and of the state in later answers. */
  readonly id: string;
  readonly state: string;
  readonly underWay: ReadonlySet<string>;
  /** `id` is already encoded for use in a path. */
  place(id: string, target: TargetFacts): JobPlace;
};

export const JOB_FAILED: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider failed to make the image.',
};

export const imageJob = ({ pollEveryMs, id, state, underWay, place }: JobDescription): HostJob => ({
  pollEveryMs,
  begun: (body, target) => {
    const name = textAt(body, id);
    return name === undefined || name === '' ? { fault: JOB_FAILED } : place(encodeURIComponent(name), target);
  },
  read: (body) => (underWay.has(textAt(body, state) ?? '') ? 'waiting' : 'done'),
});
