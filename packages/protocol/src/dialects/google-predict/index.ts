/** Images of the generative-content protocol: `:predict` with a prompt, both halves. */
import type { DialectId } from '../../canonical/dialect-id.ts';
import type { ImageLoss, ImageSpelling, ImageStances } from '../../canonical/fields.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import type { GeneratedImage, ImageAnswer, ImageCall, ImageReference } from '../../canonical/image.ts';
import type { SizeLimits } from '../../canonical/image-limits.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, stringAt } from '../../canonical/json.ts';
import { dims } from '../../passes/image-dims.ts';
import { typeOfBase64 } from '../../passes/image-type.ts';
import type { AnswerContext, EncodedAnswer, EncodedCall, TargetFacts } from '../dialect.ts';
import {
  base64Of,
  checkCounts,
  countOf,
  droppedFields,
  formatLosses,
  HELD_BACK,
  loseCompression,
  mimeTypeOf,
  noImages,
  PLAIN_STANCES,
  typeOfImage,
} from '../images.ts';
import type { ImageDialect, ImageServerHalf } from '../media-dialects.ts';
import { decodeRpcFault, faultInside } from '../upstream-errors.ts';
import { ROLE_WORDS, USER_PROVIDED } from './references.ts';
import { understand } from './understand.ts';

// The handling of each field for an upstream of this dialect, and its name for callers.

const stances: ImageStances = {
  ...PLAIN_STANCES,
  'image.references': 'native',
  'image.negativePrompt': 'native',
  'image.aspectRatio': 'native',
  'image.tier': 'native',
  'image.pixels': 'approximated',
  'image.format': 'native',
  'image.compression': 'native',
  'image.seed': 'native',
  'image.enhancePrompt': 'native',
  'image.watermark': 'native',
  'image.guidance': 'native',
  'image.people': 'native',
  'image.safety': 'native',
  'image.blockReasons': 'native',
  'image.editMode': 'native',
  'reference.source': 'native',
  'reference.mask': 'native',
  'reference.control': 'native',
  'reference.style': 'native',
  'reference.subject': 'native',
  'reference.content': 'native',
};

const spelling: ImageSpelling = {
  'image.references': 'instances[0].referenceImages',
  'image.count': 'parameters.sampleCount',
  'image.negativePrompt': 'parameters.negativePrompt',
  'image.aspectRatio': 'parameters.aspectRatio',
  'image.tier': 'parameters.sampleImageSize',
  'image.pixels': 'parameters.imageSize',
  'image.quality': 'parameters.quality',
  'image.background': 'parameters',
  'image.format': 'parameters.outputOptions.mimeType',
  'image.compression': 'parameters.outputOptions.compressionQuality',
  'image.seed': 'parameters.seed',
  'image.enhancePrompt': 'parameters.enhancePrompt',
  'image.watermark': 'parameters.addWatermark',
  'image.guidance': 'parameters.guidanceScale',
  'image.people': 'parameters.personGeneration',
  'image.safety': 'parameters.safetySetting',
  'image.blockReasons': 'parameters.includeRaiReason',
  'image.moderation': 'parameters',
  'image.fidelity': 'parameters',
  'image.editMode': 'parameters.editMode',
  'image.partials': 'parameters',
  'reference.source': 'instances[0].referenceImages',
  'reference.mask': 'instances[0].referenceImages',
  'reference.control': 'instances[0].referenceImages',
  'reference.style': 'instances[0].referenceImages',
  'reference.subject': 'instances[0].referenceImages',
  'reference.content': 'instances[0].referenceImages',
  extras: 'parameters',
};

// Canonical call → a `:predict` request. Images are always sent as numbered references, which every host of this
// format reads.

const ID = 'google-predict';
const ANY_RATIO: SizeLimits = { kind: 'ratio', tiers: ['1K', '2K', '4K'] };
const PEOPLE = { none: 'dont_allow', adults: 'allow_adult' } as const;

function encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss> {
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

// Predictions in both directions: one element per requested image, blocked ones included.

/** Not an image, but the filter's verdict on the prompt. */
const ABOUT_THE_PROMPT = 'Positive Prompt';

function decodeAnswer(body: Json): ImageAnswer {
  const fault = faultInside(body);
  if (fault !== undefined) throw new GatewayError(fault);
  const images = arrayAt(isJsonObject(body) ? body : {}, 'predictions')
    .filter(isJsonObject)
    .filter((each) => stringAt(each, 'contentType') !== ABOUT_THE_PROMPT)
    .map(decodePrediction);
  if (images.length === 0) throw noImages();
  return { images, usage: { pictures: countOf(images) }, traits: {} };
}

function decodePrediction(wire: JsonObject): GeneratedImage {
  const base64 = stringAt(wire, 'bytesBase64Encoded');
  const uri = stringAt(wire, 'gcsUri');
  const reason = stringAt(wire, 'raiFilteredReason');
  const mimeType = (base64 === undefined ? undefined : typeOfBase64(base64)) ?? stringAt(wire, 'mimeType');
  const revisedPrompt = stringAt(wire, 'prompt');
  if (base64 === undefined && uri === undefined) return { blocked: reason ?? HELD_BACK };
  return {
    ...(base64 !== undefined && { base64 }),
    ...(uri !== undefined && { url: uri }),
    ...(mimeType !== undefined && { mimeType }),
    ...(revisedPrompt !== undefined && { revisedPrompt }),
  };
}

function encodeAnswer(answer: ImageAnswer, context: AnswerContext): EncodedAnswer {
  const responseOptions = context.responseOptions.image;
  const images = wholeCount(answer.images, responseOptions?.count ?? 1);
  return {
    body: { predictions: images.map((image) => encodePrediction(image, responseOptions?.blockReasons === true)) },
    losses: formatLosses(
      images.filter(({ blocked }) => blocked === undefined),
      context,
      spelling,
    ),
  };
}

/** Upper bound of the count, for counts that no host has checked. */
const MOST_REPEATS = 64;

/** Hosts that block all images at once report it once. */
function wholeCount(images: readonly GeneratedImage[], count: number): readonly GeneratedImage[] {
  const [first] = images;
  if (first?.blocked === undefined || images.length >= count) return images;
  if (images.some(({ blocked }) => blocked === undefined)) return images;
  return Array.from({ length: Math.min(count, MOST_REPEATS) }, () => first);
}

function encodePrediction(image: GeneratedImage, withReason: boolean): JsonObject {
  const { base64, url, revisedPrompt, blocked } = image;
  if (blocked !== undefined) return { raiFilteredReason: withReason ? blocked : HELD_BACK };
  return {
    ...(base64 !== undefined && { bytesBase64Encoded: base64 }),
    mimeType: typeOfImage(image) ?? 'image/png',
    ...(url !== undefined && { gcsUri: url }),
    ...(revisedPrompt !== undefined && { prompt: revisedPrompt }),
  };
}

/** Embedding requests share the path; the name of their text member distinguishes them. */
function siblingFor(body: JsonObject): DialectId | undefined {
  const isTexts = arrayAt(body, 'instances').some((each) => isJsonObject(each) && each['content'] !== undefined);
  return isTexts ? 'google-embed' : undefined;
}

export const googlePredict: ImageDialect & { readonly server: ImageServerHalf } = {
  id: 'google-predict',
  operation: 'image',
  stances,
  quirks: (own) => own,
  server: { siblingFor, understand, encodeAnswer, spelling },
  client: { encodeCall, decodeAnswer, decodeFault: decodeRpcFault, sealRefusals: [] },
};
