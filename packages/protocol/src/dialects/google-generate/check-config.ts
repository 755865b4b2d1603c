/** Validates the generation config: each member, and the pairs that exclude or require each other. */
import { arrayAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { type Loss, PathLosses } from '../../canonical/loss.ts';
import { checkWith, compile, malformed } from '../checking.ts';
import { checkJsonSchema, checkSchema } from './check-schema.ts';
import { isAnyBase64, waveFormat } from './wav.ts';
import { ConfigWire } from './wire.ts';

const config = compile(ConfigWire);
const KNOWN: ReadonlySet<string> = new Set(Object.keys(ConfigWire.properties));
/** Known and accepted, but never forwarded: routing is the gateway's own task, dialogue belongs to live sessions. */
const NOT_FORWARDED = ['routingConfig', 'enableAffectiveDialog'] as const;

export const THINKING_LEVELS: ReadonlySet<string> = new Set([
  'THINKING_LEVEL_UNSPECIFIED',
  'MINIMAL',
  'LOW',
  'MEDIUM',
  'HIGH',
]);

const at = (name: string): string => `generationConfig.${name}`;

export function checkConfig(given: JsonObject): void {
  checkWith(config, given, 'generationConfig');
  checkOutput(given);
  if (given['logprobs'] !== undefined && given['responseLogprobs'] !== true)
    throw malformed(at('logprobs'), 'needs responseLogprobs to be true');
  const modalities = arrayAt(given, 'responseModalities');
  if (modalities.includes('IMAGE') && !modalities.includes('TEXT'))
    throw malformed(at('responseModalities'), 'may hold IMAGE only together with TEXT');
  checkThinking(objectAt(given, 'thinkingConfig'));
  checkSpeech(objectAt(given, 'speechConfig'));
  checkImage(objectAt(given, 'imageConfig'));
  const routing = objectAt(given, 'routingConfig');
  if (routing?.['autoMode'] !== undefined && routing['manualMode'] !== undefined)
    throw malformed(at('routingConfig'), 'may hold autoMode or manualMode, not both');
}

function checkOutput(given: JsonObject): void {
  const mimeType = stringAt(given, 'responseMimeType') ?? 'text/plain';
  const schema = objectAt(given, 'responseSchema');
  const jsonSchema = objectAt(given, 'responseJsonSchema');
  if (schema !== undefined && jsonSchema !== undefined)
    throw malformed(at('responseJsonSchema'), 'cannot be combined with responseSchema');
  if (schema !== undefined && mimeType === 'text/plain')
    throw malformed(at('responseSchema'), 'needs a responseMimeType other than text/plain');
  if (jsonSchema !== undefined && mimeType !== 'application/json')
    throw malformed(at('responseJsonSchema'), 'needs the responseMimeType application/json');
  if (schema !== undefined) checkSchema(schema, at('responseSchema'));
  if (jsonSchema !== undefined) checkJsonSchema(jsonSchema, at('responseJsonSchema'));
}

function checkThinking(thinking: JsonObject | undefined): void {
  const level = stringAt(thinking, 'thinkingLevel');
  if (level === undefined) return;
  if (thinking?.['thinkingBudget'] !== undefined)
    throw malformed(at('thinkingConfig.thinkingLevel'), 'cannot be combined with thinkingBudget');
  if (!THINKING_LEVELS.has(level.toUpperCase()))
    throw malformed(at('thinkingConfig.thinkingLevel'), `must be one of ${[...THINKING_LEVELS].join(', ')}`);
}

function checkSpeech(speech: JsonObject | undefined): void {
  if (speech === undefined) return;
  const path = at('speechConfig');
  const many = objectAt(speech, 'multiSpeakerVoiceConfig');
  const one = objectAt(speech, 'voiceConfig');
  if (many !== undefined && one !== undefined)
    throw malformed(`${path}.multiSpeakerVoiceConfig`, 'cannot be combined with voiceConfig');
  if (one !== undefined) checkVoice(one, `${path}.voiceConfig`);
  for (const [position, speaker] of arrayAt(many, 'speakerVoiceConfigs').entries()) {
    const voice = isJsonObject(speaker) ? objectAt(speaker, 'voiceConfig') : undefined;
    if (voice !== undefined)
      checkVoice(voice, `${path}.multiSpeakerVoiceConfig.speakerVoiceConfigs[${position}].voiceConfig`);
  }
}

function checkVoice(voice: JsonObject, path: string): void {
  const replicated = objectAt(voice, 'replicatedVoiceConfig');
  if (replicated === undefined) return;
  const where = `${path}.replicatedVoiceConfig`;
  const sample = stringAt(replicated, 'voiceSample') ?? '';
  if (stringAt(replicated, 'mimeType') !== 'audio/wav') throw malformed(`${where}.mimeType`, 'must be audio/wav');
  if (!isAnyBase64(sample)) throw malformed(`${where}.voiceSample`, 'is not base64');
  const format = waveFormat(sample);
  if (format === undefined) throw malformed(`${where}.voiceSample`, 'is not a wave file');
  if (!format.pcm || format.bitsPerSample !== 16 || format.samplesPerSecond !== 24_000)
    throw malformed(`${where}.voiceSample`, 'must be 16-bit signed little-endian at 24 kHz');
}

/** The output format of the image; the flat and the nested names mean the same. */
export function imageOutputOf(image: JsonObject | undefined): { mimeType?: string; compressionQuality?: number } {
  const nested = objectAt(image, 'imageOutputOptions');
  const mimeType = stringAt(image, 'outputMimeType') ?? stringAt(nested, 'mimeType');
  const quality = image?.['outputCompressionQuality'] ?? nested?.['compressionQuality'];
  return {
    ...(mimeType !== undefined && { mimeType }),
    ...(typeof quality === 'number' && { compressionQuality: quality }),
  };
}

function checkImage(image: JsonObject | undefined): void {
  const { mimeType, compressionQuality } = imageOutputOf(image);
  if (compressionQuality !== undefined && mimeType !== undefined && mimeType !== 'image/jpeg')
    throw malformed(at('imageConfig.outputCompressionQuality'), 'is for image/jpeg only');
}

/** Members that are never forwarded, each with its loss. */
export function droppedFromConfig(given: JsonObject): readonly Loss[] {
  const losses = new PathLosses();
  for (const name in given)
    if (isUnused(given, name)) losses.add(at(name), 'not-forwarded');
    else if (!KNOWN.has(name)) losses.add(at(name));
  return losses.all;
}

export const isKeptInConfig = (given: JsonObject, name: string): boolean => KNOWN.has(name) && !isUnused(given, name);

function isUnused(given: JsonObject, name: string): boolean {
  if (name === 'imageConfig') return !arrayAt(given, 'responseModalities').includes('IMAGE');
  if (name === 'speechConfig') return !arrayAt(given, 'responseModalities').includes('AUDIO');
  return NOT_FORWARDED.some((each) => each === name);
}
