/** Answers in both directions, and the usage of the one model family that counts tokens. */
import type { GeneratedImage, ImageAnswer, ImageTraits } from '../../canonical/image.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import { inputTokens, outputTokens, type Usage } from '../../canonical/usage.ts';
import { formatOf, typeOfBase64 } from '../../passes/image-type.ts';
import type { AnswerContext, EncodedAnswer } from '../dialect.ts';
import { countOf, formatLosses, HELD_BACK, noImages, shownImages, typeOfImage } from '../images.ts';
import { spelling } from './stances.ts';
import { SIZES } from './wire.ts';

const BLOCKED: ReadonlySet<string> = new Set(['moderation_blocked', 'content_policy_violation']);

const errorIn = (body: Json | undefined): JsonObject | undefined =>
  isJsonObject(body) ? objectAt(body, 'error') : undefined;

export const isBlocked = (status: number, body: Json | undefined): boolean =>
  status === 400 && BLOCKED.has(stringAt(errorIn(body), 'code') ?? '');

export function decodeAnswer(body: Json): ImageAnswer {
  const error = errorIn(body);
  if (error !== undefined && BLOCKED.has(stringAt(error, 'code') ?? ''))
    return { images: [{ blocked: stringAt(error, 'message') ?? HELD_BACK }], usage: { pictures: 0 }, traits: {} };
  const wire = isJsonObject(body) ? body : {};
  const images = arrayAt(wire, 'data').filter(isJsonObject).map(decodeImage);
  if (images.length === 0) throw noImages();
  return { images, ...usageOf(wire, countOf(images)), traits: traitsOf(wire) };
}

export function decodeImage(entry: JsonObject): GeneratedImage {
  const base64 = stringAt(entry, 'b64_json');
  const url = stringAt(entry, 'url');
  const revisedPrompt = stringAt(entry, 'revised_prompt');
  if (base64 === undefined && url === undefined) throw noImages();
  const mimeType = base64 === undefined ? undefined : typeOfBase64(base64);
  return {
    ...(base64 !== undefined && { base64 }),
    ...(url !== undefined && { url }),
    ...(mimeType !== undefined && { mimeType }),
    ...(revisedPrompt !== undefined && revisedPrompt !== '' && { revisedPrompt }),
  };
}

export function traitsOf(wire: JsonObject): ImageTraits {
  const [size, quality, background] = [stringAt(wire, 'size'), stringAt(wire, 'quality'), stringAt(wire, 'background')];
  return {
    ...(size !== undefined && { size }),
    ...(quality !== undefined && { quality }),
    ...(background !== undefined && { background }),
  };
}

export function usageOf(wire: JsonObject, images: number): { readonly usage: Usage; readonly tellsUsage?: true } {
  const usage = objectAt(wire, 'usage');
  const input = count(usage, 'input_tokens');
  const output = count(usage, 'output_tokens');
  if (usage === undefined || input === undefined || output === undefined) return { usage: { pictures: images } };
  const details = objectAt(usage, 'input_tokens_details');
  const inputImage = count(details, 'image_tokens') ?? 0;
  return {
    usage: { prompt: Math.max(0, input - inputImage), inputImage, outputImage: output, pictures: images },
    tellsUsage: true,
  };
}

function count(object: JsonObject | undefined, name: string): number | undefined {
  const value = numberAt(object, name);
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export function writeUsage({ usage, tellsUsage }: Pick<ImageAnswer, 'usage' | 'tellsUsage'>): JsonObject {
  if (tellsUsage !== true) return {};
  const [input, output] = [inputTokens(usage), outputTokens(usage)];
  const image = usage.inputImage ?? 0;
  return {
    usage: {
      input_tokens: input,
      input_tokens_details: { image_tokens: image, text_tokens: input - image },
      output_tokens: output,
      total_tokens: input + output,
    },
  };
}

const QUALITIES = ['low', 'medium', 'high', 'auto'] as const;
const BACKGROUNDS = ['transparent', 'opaque', 'auto'] as const;

/** The few values callers of this protocol know; any other value of a host becomes `auto`. */
export function writeTraits(
  traits: ImageTraits,
  image: GeneratedImage | undefined,
  context: AnswerContext,
): JsonObject {
  const asked = context.responseOptions.image;
  const word = (words: readonly string[], reported: string | undefined, requested: string | undefined): string =>
    words.find((one) => one === reported) ?? (reported === undefined ? requested : undefined) ?? 'auto';
  return {
    background: word(BACKGROUNDS, traits.background, asked?.traits.background),
    output_format: (image === undefined ? undefined : formatOf(typeOfImage(image))) ?? asked?.format ?? 'png',
    quality: word(QUALITIES, traits.quality, asked?.traits.quality),
    size: word(SIZES, traits.size, asked?.traits.size),
  };
}

export function encodeAnswer(answer: ImageAnswer, context: AnswerContext): EncodedAnswer {
  const images = shownImages(answer);
  const asUrl = context.responseOptions.image?.asUrl === true;
  return {
    body: {
      created: context.createdAtSeconds,
      ...writeTraits(answer.traits, images[0], context),
      data: images.map((image) => ({
        // No image is stored here, so bytes become a data URL.
        ...(asUrl
          ? { url: image.url ?? `data:${typeOfImage(image) ?? 'image/png'};base64,${image.base64 ?? ''}` }
          : { b64_json: image.base64 ?? '' }),
        ...(image.revisedPrompt !== undefined && { revised_prompt: image.revisedPrompt }),
      })),
      ...writeUsage(answer),
    },
    losses: [
      ...formatLosses(images, context, spelling),
      ...(images.length < answer.images.length ? [{ path: 'data', why: 'no-equivalent' } as const] : []),
    ],
  };
}
