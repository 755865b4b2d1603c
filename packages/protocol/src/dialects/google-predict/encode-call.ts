/**
 * Canonical call → a `:predict` request. Images are always sent as numbered references, which every host of this format
 * reads.
 */
import type { ImageLoss } from '../../canonical/fields.ts';
import type { ImageCall, ImageReference } from '../../canonical/image.ts';
import type { SizeLimits } from '../../canonical/image-limits.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { dims } from '../../passes/image-dims.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { base64Of, checkCounts, droppedFields, loseCompression, mimeTypeOf } from '../images.ts';
import { ROLE_WORDS, USER_PROVIDED } from './references.ts';
import { stances } from './stances.ts';

const ID = 'google-predict';
const ANY_RATIO: SizeLimits = { kind: 'ratio', tiers: ['1K', '2K', '4K'] };
const PEOPLE = { none: 'dont_allow', adults: 'allow_adult' } as const;

export function encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss> {
  const limits = target.model.image ?? {};
  checkCounts(call, limits);
  const size = dims(call, limits.size ?? ANY_RATIO);
  const losses = droppedFields(call, { id: ID, stances }, target);
  losses.addAll(size.losses);
  const isWebp = call.format === 'webp';
  if (isWebp) losses.add('image.format');
  if (call.format !== 'jpeg') loseCompression(call, losses);
  const parameters: Record<string, Json> = {
    ...call.extras[ID],
    sampleCount: call.count,
    ...given('negativePrompt', call.negativePrompt),
    ...given('aspectRatio', size.aspectRatio),
    ...given('sampleImageSize', size.tier),
    ...outputOptions(call, isWebp),
    ...given('seed', call.seed),
    ...given('enhancePrompt', call.enhancePrompt),
    ...given('addWatermark', call.watermark),
    ...given('guidanceScale', call.guidance),
    ...given('personGeneration', call.people === undefined ? undefined : PEOPLE[call.people]),
    ...given('safetySetting', call.safety),
    ...given('includeRaiReason', call.blockReasons),
    // A mask without an edit mode means that the marked part is repainted.
    ...given(
      'editMode',
      call.editMode ??
        (call.references.some(({ role }) => role === 'mask') ? 'EDIT_MODE_INPAINT_INSERTION' : undefined),
    ),
  };
  const referenceImages = call.references.map(encodeReference);
  const instance = { prompt: call.prompt, ...(referenceImages.length > 0 && { referenceImages }) };
  return { body: { instances: [instance], parameters }, losses: losses.all };
}

const given = (name: string, value: Json | undefined): JsonObject => (value === undefined ? {} : { [name]: value });

function outputOptions({ format, compression }: ImageCall, isWebp: boolean): JsonObject {
  if (format === undefined || isWebp) return {};
  const quality = format === 'jpeg' && compression !== undefined ? { compressionQuality: compression } : {};
  return { outputOptions: { mimeType: `image/${format}`, ...quality } };
}

function encodeReference(reference: ImageReference, position: number): JsonObject {
  const { role, id = position + 1, file, extras } = reference;
  const own = extras[ID] ?? (role === 'mask' ? { maskImageConfig: { maskMode: USER_PROVIDED } } : {});
  return {
    referenceId: id,
    referenceType: ROLE_WORDS[role],
    ...(file !== undefined && {
      referenceImage: { bytesBase64Encoded: base64Of(file), mimeType: mimeTypeOf(file) },
    }),
    ...own,
  };
}
