/** Unknown → a video call: the body of `:predictLongRunning`, validated strictly. */

import type { VideoSpelling } from '../../canonical/fields.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import type { VideoCall, VideoFrame } from '../../canonical/video.ts';
import { isBase64 } from '../../passes/base64.ts';
import { typeOfBase64 } from '../../passes/image-type.ts';
import { isGiven, malformed, unsupported } from '../checking.ts';

/** The canonical fields of a video call as callers write them. */
export const videoSpelling: VideoSpelling = {
  'video.prompt': 'instances[0].prompt',
  'video.firstFrame': 'instances[0].image',
  'video.lastFrame': 'instances[0].lastFrame',
  'video.count': 'parameters.sampleCount',
  'video.aspectRatio': 'parameters.aspectRatio',
  'video.resolution': 'parameters.resolution',
  'video.seconds': 'parameters.durationSeconds',
  'video.audio': 'parameters.generateAudio',
  'video.negativePrompt': 'parameters.negativePrompt',
  'video.enhancePrompt': 'parameters.enhancePrompt',
  'video.people': 'parameters.personGeneration',
  'video.seed': 'parameters.seed',
  'video.framesPerSecond': 'parameters.fps',
};

export type CheckedVideo = { readonly call: VideoCall; readonly losses: readonly Loss[] };

const RATIOS = ['16:9', '9:16', '1:1'];
/** 480p is offered by models of other makers. */
const RESOLUTIONS = ['480p', '720p', '1080p'];
const PEOPLE: Readonly<Record<string, VideoCall['people']>> = { dont_allow: 'none', allow_adult: 'adults' };
/** Inputs other than text and frames: dropping them would give a different clip. */
const OTHER_SOURCES = ['video', 'mask', 'referenceImages'];

/** The members below a path that callers have a spelling for. */
const spelled = (path: string): readonly string[] =>
  Object.values(videoSpelling).flatMap((name) => (name.startsWith(path) ? [name.slice(path.length)] : []));
const INSTANCE = new Set([...spelled('instances[0].'), ...OTHER_SOURCES]);
const PARAMETERS = new Set(spelled('parameters.'));

export function checkVideo(body: JsonObject, model: string): CheckedVideo {
  const instance = onlyInstance(body['instances']);
  const parameters = isGiven(body['parameters']) ? objectAt(body['parameters'], 'parameters') : {};
  for (const source of OTHER_SOURCES)
    if (isGiven(instance[source])) throw unsupported(`instances[0].${source}`, 'is not supported');
  const firstFrame = readFrame(instance['image'], 'instances[0].image');
  const lastFrame = readFrame(instance['lastFrame'], 'instances[0].lastFrame');
  const prompt = readText(instance['prompt'], 'instances[0].prompt');
  if (firstFrame === undefined && (prompt === undefined || prompt === ''))
    throw malformed('instances[0].prompt', 'is required where there is no image');
  const call: VideoCall = {
    operation: 'video',
    model,
    ...given('prompt', prompt === '' ? undefined : prompt),
    ...given('firstFrame', firstFrame),
    ...given('lastFrame', lastFrame),
    ...readParameters(parameters),
  };
  return {
    call,
    losses: [
      ...unknownIn(body, new Set(['instances', 'parameters']), ''),
      ...unknownIn(instance, INSTANCE, 'instances[0].'),
      ...unknownIn(parameters, PARAMETERS, 'parameters.'),
    ],
  };
}

function readParameters(parameters: JsonObject) {
  const at = (name: string): [Json | undefined, string] => [parameters[name], `parameters.${name}`];
  return {
    count: readCount(...at('sampleCount'), 1) ?? 1,
    ...given('aspectRatio', readWord(...at('aspectRatio'), RATIOS)),
    ...given('resolution', readWord(...at('resolution'), RESOLUTIONS)),
    ...given('seconds', readCount(...at('durationSeconds'), 1)),
    ...given('audio', readFlag(...at('generateAudio'))),
    ...given('negativePrompt', readText(...at('negativePrompt'))),
    ...given('enhancePrompt', readFlag(...at('enhancePrompt'))),
    ...given('people', readPeople(...at('personGeneration'))),
    ...given('seed', readCount(...at('seed'), Number.MIN_SAFE_INTEGER)),
    ...given('framesPerSecond', readCount(...at('fps'), 1)),
  };
}

const given = <N extends string, V>(name: N, value: V | undefined): { readonly [K in N]?: V } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [K in N]?: V };

function onlyInstance(value: Json | undefined): JsonObject {
  if (!isJsonArray(value)) throw malformed('instances', isGiven(value) ? 'must be a list' : 'is required');
  if (value.length !== 1) throw malformed('instances', 'must hold exactly one element');
  return objectAt(value[0], 'instances[0]');
}

function objectAt(value: Json | undefined, path: string): JsonObject {
  if (!isJsonObject(value)) throw malformed(path, 'must be an object');
  return value;
}

function readFrame(value: Json | undefined, path: string): VideoFrame | undefined {
  if (!isGiven(value)) return undefined;
  const { bytesBase64Encoded: base64, mimeType } = objectAt(value, path);
  if (typeof base64 !== 'string' || !isBase64(base64)) throw malformed(`${path}.bytesBase64Encoded`, 'must be base64');
  if (isGiven(mimeType) && (typeof mimeType !== 'string' || !mimeType.startsWith('image/')))
    throw malformed(`${path}.mimeType`, 'must be the type of an image');
  const type = typeOfBase64(base64) ?? (typeof mimeType === 'string' ? mimeType : undefined);
  if (type === undefined) throw malformed(`${path}.mimeType`, 'is required where the bytes do not tell');
  return { base64, mimeType: type };
}

function readText(value: Json | undefined, path: string): string | undefined {
  if (!isGiven(value)) return undefined;
  if (typeof value !== 'string') throw malformed(path, 'must be a text');
  return value;
}

function readFlag(value: Json | undefined, path: string): boolean | undefined {
  if (!isGiven(value)) return undefined;
  if (typeof value !== 'boolean') throw malformed(path, 'must be true or false');
  return value;
}

function readCount(value: Json | undefined, path: string, minimum: number): number | undefined {
  if (!isGiven(value)) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < minimum)
    throw malformed(path, minimum === 1 ? 'must be a whole number from 1' : 'must be a whole number');
  return value;
}

function readWord(value: Json | undefined, path: string, words: readonly string[]): string | undefined {
  if (!isGiven(value)) return undefined;
  if (typeof value !== 'string' || !words.includes(value)) throw malformed(path, `must be one of ${words.join(', ')}`);
  return value;
}

/** SDKs send upper case, the format defines lower case. */
function readPeople(value: Json | undefined, path: string): VideoCall['people'] {
  if (!isGiven(value)) return undefined;
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  if (!Object.hasOwn(PEOPLE, word)) throw malformed(path, `must be one of ${Object.keys(PEOPLE).join(', ')}`);
  return PEOPLE[word];
}

const unknownIn = (object: JsonObject, known: ReadonlySet<string>, prefix: string): Loss[] =>
  Object.keys(object)
    .filter((name) => !known.has(name) && isGiven(object[name]))
    .map((name) => ({ path: `${prefix}${name}`, why: 'not-forwarded' }));
