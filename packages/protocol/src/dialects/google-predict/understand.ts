/** Unknown → an image call, from the one instance and the parameters of a `:predict` request. */

import { IMAGE_QUALITIES, IMAGE_TIERS, type ImageCall, type ImageReference } from '../../canonical/image.ts';
import { isJsonArray, isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { PathLosses } from '../../canonical/loss.ts';
import { parseSize } from '../../passes/image-dims.ts';
import { malformed, unsupported } from '../checking.ts';
import type { ImageOptions, RequestHead } from '../dialect.ts';
import type { ImageUnderstanding } from '../media-dialects.ts';
import { NO_TEXT_OPTIONS } from '../media-dialects.ts';
import { readReferences } from './references.ts';
import { Members } from './settings.ts';

const RATIOS = ['1:1', '4:3', '3:4', '16:9', '9:16', '2:3', '3:2', '21:9', '4:5', '5:4'] as const;
/** Names that SDKs put at the root of the body; they mean the same as among the parameters. */
const PASSED = ['imageSize', 'quality', 'sampleImageSize'] as const;
/** SDKs send them; neither the gateway nor an upstream uses them. */
const IGNORED = ['includeSafetyAttributes', 'language', 'storageUri'] as const;
const PEOPLE: Readonly<Record<string, NonNullable<ImageCall['people']>>> = {
  dont_allow: 'none',
  allow_adult: 'adults',
};

export function understand(body: JsonObject, head?: RequestHead): ImageUnderstanding {
  const root = new Members(body, '');
  const instance = instanceOf(body);
  const parameters = new Members(withPassed(body, root.object('parameters') ?? {}), 'parameters');
  refuseOtherUses(instance, parameters);
  const references = readReferences(instance);
  const prompt = instance.text('prompt');
  if (prompt === undefined || prompt === '') throw malformed('instances[0].prompt', 'is required');
  const settings = settingsOf(parameters);
  const losses = new PathLosses();
  for (const name of IGNORED)
    if (parameters.take(name) !== undefined) losses.add(`parameters.${name}`, 'not-forwarded');
  if (isJsonObject(body['labels'])) losses.add('labels', 'not-forwarded');
  const model = head?.model ?? '';
  const call = (): ImageCall => callOf(model, prompt, references, settings, parameters.rest());
  let made: ImageCall | undefined;
  return {
    model,
    stream: false,
    responseOptions: { ...NO_TEXT_OPTIONS, image: imageOptionsOf(settings, references) },
    losses: losses.all,
    media: references.flatMap(({ file, path }) => (file === undefined ? [] : [{ kind: 'image' as const, path }])),
    maxOutputTokens: undefined,
    metadata: undefined,
    extraPaths: () => Object.keys(parameters.rest()).map((name) => `parameters.${name}`),
    call: () => (made ??= call()),
    verbatim: () => ({ why: 'images are rebuilt for each host' }),
  };
}

function instanceOf({ instances }: JsonObject): Members {
  if (!isJsonArray(instances)) throw malformed('instances', instances == null ? 'is required' : 'must be a list');
  const [instance] = instances;
  if (instances.length !== 1 || !isJsonObject(instance)) throw malformed('instances', 'must hold exactly one object');
  return new Members(instance, 'instances[0]');
}

/** The same name in both places must have the same value. */
function withPassed(body: JsonObject, parameters: JsonObject): JsonObject {
  const passed = PASSED.flatMap((name) => {
    const value = body[name] ?? undefined;
    if (value === undefined) return [];
    const inside = parameters[name] ?? undefined;
    if (inside !== undefined && inside !== value) throw malformed(name, `differs from 'parameters.${name}'`);
    return [[name, value] as const];
  });
  return passed.length === 0 ? parameters : { ...parameters, ...Object.fromEntries(passed) };
}

/** Refuses other operations that SDKs send to this path. */
function refuseOtherUses(instance: Members, parameters: Members): void {
  if (parameters.take('mode') !== undefined || parameters.take('upscaleConfig') !== undefined)
    throw unsupported('parameters.mode', 'is not offered here: images are made and edited, not upscaled');
  for (const name of ['productImages', 'personImage', 'scribble'])
    if (instance.take(name) !== undefined)
      throw unsupported(instance.at(name), 'is not offered here: images are made and edited');
}

type Settings = Omit<Partial<ImageCall>, 'extras'> & { readonly count: number };

function settingsOf(parameters: Members): Settings {
  const negativePrompt = parameters.text('negativePrompt');
  const aspectRatio = parameters.word('aspectRatio', RATIOS);
  const tier = parameters.word('sampleImageSize', IMAGE_TIERS);
  const pixels = pixelsOf(parameters);
  const quality = parameters.word('quality', IMAGE_QUALITIES);
  const seed = parameters.integer('seed');
  const enhancePrompt = parameters.flag('enhancePrompt');
  const watermark = parameters.flag('addWatermark');
  const guidance = parameters.number('guidanceScale');
  const people = peopleOf(parameters);
  const safety = parameters.text('safetySetting');
  const blockReasons = parameters.flag('includeRaiReason');
  const editMode = parameters.text('editMode');
  return {
    count: parameters.integer('sampleCount', 1) ?? 1,
    ...outputOf(parameters),
    ...(negativePrompt !== undefined && { negativePrompt }),
    ...(aspectRatio !== undefined && { aspectRatio }),
    ...(tier !== undefined && { tier }),
    ...(pixels !== undefined && { pixels }),
    ...(quality !== undefined && { quality }),
    ...(seed !== undefined && { seed }),
    ...(enhancePrompt !== undefined && { enhancePrompt }),
    ...(watermark !== undefined && { watermark }),
    ...(guidance !== undefined && { guidance }),
    ...(people !== undefined && { people }),
    ...(safety !== undefined && { safety }),
    ...(blockReasons !== undefined && { blockReasons }),
    ...(editMode !== undefined && { editMode }),
  };
}

function outputOf(parameters: Members): Pick<Settings, 'format' | 'compression'> {
  const options = new Members(parameters.object('outputOptions') ?? {}, parameters.at('outputOptions'));
  const mimeType = options.word('mimeType', ['image/png', 'image/jpeg']);
  const compression = options.integer('compressionQuality', 0, 100);
  if (compression !== undefined && mimeType !== 'image/jpeg')
    throw malformed(options.at('compressionQuality'), 'is for image/jpeg only');
  if (mimeType === undefined) return {};
  // The best quality by default.
  return mimeType === 'image/png' ? { format: 'png' } : { format: 'jpeg', compression: compression ?? 100 };
}

function pixelsOf(parameters: Members): ImageCall['pixels'] | undefined {
  const text = parameters.text('imageSize');
  if (text === undefined || text === 'auto') return text;
  const pixels = parseSize(text);
  if (pixels === undefined) throw malformed('parameters.imageSize', 'must be <width>x<height> or auto');
  return pixels;
}

function peopleOf(parameters: Members): ImageCall['people'] | undefined {
  const word = parameters.text('personGeneration');
  const people = PEOPLE[word?.toLowerCase() ?? ''];
  if (word !== undefined && people === undefined)
    throw malformed('parameters.personGeneration', 'must be one of dont_allow, allow_adult');
  return people;
}

const imageOptionsOf = (
  { count, format, blockReasons }: Settings,
  references: readonly ImageReference[],
): ImageOptions => ({
  action: references.length === 0 ? 'generation' : 'edit',
  count,
  asUrl: false,
  format: format ?? undefined,
  blockReasons: blockReasons === true,
  traits: {},
});

const callOf = (
  model: string,
  prompt: string,
  references: readonly ImageReference[],
  settings: Settings,
  rest: JsonObject,
): ImageCall => ({
  operation: 'image',
  model,
  stream: false,
  prompt,
  references,
  usualFormat: 'png',
  ...settings,
  extras: Object.keys(rest).length === 0 ? {} : { 'google-predict': rest },
});
