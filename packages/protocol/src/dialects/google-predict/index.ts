/** Images of the generative-content protocol: `:predict` with a prompt, both halves. */
import type { DialectId } from '../../canonical/dialect-id.ts';
import { type FieldTable, type ImageField, type ImageLoss, spellingIn, stancesIn } from '../../canonical/fields.ts';
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
  typeOfImage,
} from '../images.ts';
import type { ImageDialect, ImageServerHalf } from '../media-dialects.ts';
import { decodeRpcFault, faultInside } from '../upstream-errors.ts';
import { ROLE_WORDS, USER_PROVIDED } from './references.ts';
import { understand } from './understand.ts';

// The handling of each field for an upstream of this dialect, and its name for callers.

const fields: FieldTable<ImageField> = {
  'image.references': ['native', 'instances[0].referenceImages'],
  'image.count': ['native', 'parameters.sampleCount'],
  'image.negativePrompt': ['native', 'parameters.negativePrompt'],
  'image.aspectRatio': ['native', 'parameters.aspectRatio'],
  'image.tier': ['native', 'parameters.sampleImageSize'],
  'image.pixels': ['approximated', 'parameters.imageSize'],
  'image.quality': ['dropped', 'parameters.quality'],
  'image.background': ['dropped', 'parameters'],
  'image.format': ['native', 'parameters.outputOptions.mimeType'],
  'image.compression': ['native', 'parameters.outputOptions.compressionQuality'],
  'image.seed': ['native', 'parameters.seed'],
  'image.enhancePrompt': ['native', 'parameters.enhancePrompt'],
  'image.watermark': ['native', 'parameters.addWatermark'],
  'image.guidance': ['native', 'parameters.guidanceScale'],
  'image.people': ['native', 'parameters.personGeneration'],
  'image.safety': ['native', 'parameters.safetySetting'],
  'image.blockReasons': ['native', 'parameters.includeRaiReason'],
  'image.moderation': ['dropped', 'parameters'],
  'image.fidelity': ['dropped', 'parameters'],
  'image.editMode': ['native', 'parameters.editMode'],
  'image.partials': ['dropped', 'parameters'],
  'reference.source': ['native', 'instances[0].referenceImages'],
  'reference.mask': ['native', 'instances[0].referenceImages'],
  'reference.control': ['native', 'instances[0].referenceImages'],
  'reference.style': ['native', 'instances[0].referenceImages'],
  'reference.subject': ['native', 'instances[0].referenceImages'],
  'reference.content': ['native', 'instances[0].referenceImages'],
  extras: ['dropped', 'parameters'],
};
const stances = stancesIn(fields);
const spelling = spellingIn(fields);

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
