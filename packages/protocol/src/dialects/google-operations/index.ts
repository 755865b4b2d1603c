/** Videos of the generative-content protocol: `:predictLongRunning` and the operation it returns, both halves. */

import { isJsonObject, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { VideoFile, VideoFrame, VideoProgress } from '../../canonical/video.ts';
import { amountAt, valuesAt } from '../../passes/json-paths.ts';
import type { VideoTarget } from '../media-dialects.ts';
import { decodeRpcFault } from '../upstream-errors.ts';
import { LOST, put, putAs, soundAs, type VideoDescriptor, videoDialect } from '../video-tasks.ts';

// Veo, in the two forms in which it is offered.

const frame = ({ base64, mimeType }: VideoFrame) => ({ bytesBase64Encoded: base64, mimeType });
/** The cloud polls by posting an operation's name, and accepts settings that the developers' API does not. */
const inCloud = ({ form }: VideoTarget): boolean => form === 'cloud';

const descriptor: VideoDescriptor = {
  id: 'google-operations',
  cadenceMs: 15_000,
  fields: {
    'video.prompt': put('instances[0].prompt'),
    'video.firstFrame': putAs<'video.firstFrame'>('instances[0].image', frame),
    'video.lastFrame': putAs<'video.lastFrame'>('instances[0].lastFrame', frame),
    'video.count': put('parameters.sampleCount'),
    'video.aspectRatio': put('parameters.aspectRatio', '16:9'),
    'video.resolution': put('parameters.resolution'),
    'video.seconds': put('parameters.durationSeconds'),
    'video.audio': soundAs('parameters.generateAudio'),
    'video.negativePrompt': put('parameters.negativePrompt'),
    'video.enhancePrompt': putAs<'video.enhancePrompt'>('parameters.enhancePrompt', (wanted, _call, target) =>
      inCloud(target) ? wanted : LOST,
    ),
    'video.people': putAs<'video.people'>('parameters.personGeneration', (people) =>
      people === 'none' ? 'dont_allow' : 'allow_adult',
    ),
    'video.seed': put('parameters.seed'),
    'video.framesPerSecond': putAs<'video.framesPerSecond'>('parameters.fps', (rate, _call, target) =>
      inCloud(target) ? rate : LOST,
    ),
  },
  submit: {
    base: () => ({}),
    task: 'name',
  },
  poll: ({ id }, target) =>
    inCloud(target)
      ? { method: 'POST', path: target.path.replace(/:[^:]+$/, ':fetchPredictOperation'), body: { operationName: id } }
      : { method: 'GET', path: `/${id}` },
  progress: readOperation,
  errorMessage: 'error.message',
};

/** More clips than any call requests. */
const MAX_BLOCKED = 64;

function readOperation(answer: JsonObject): VideoProgress {
  if (answer['done'] !== true) return { state: 'waiting' };
  const error = objectAt(answer, 'error');
  if (error !== undefined)
    return { state: 'failed', fault: decodeRpcFault(STATUS_OF_CODE[amountAt(error, 'code') ?? -1] ?? 500, answer) };
  const response = objectAt(answer, 'response') ?? {};
  const developer = objectAt(response, 'generateVideoResponse');
  const filtered = developer ?? response;
  const videos = [
    ...valuesAt(response, 'videos[]').flatMap(cloudFile),
    ...valuesAt(developer, 'generatedSamples[].video').flatMap(developerFile),
  ];
  const reasons = valuesAt(filtered, 'raiMediaFilteredReasons[]').filter((reason) => typeof reason === 'string');
  const count = amountAt(filtered, 'raiMediaFilteredCount') ?? reasons.length;
  const length = Math.min(count, MAX_BLOCKED);
  const blocked = Array.from({ length }, (_, n) => reasons[n] ?? reasons[0] ?? 'Held back by moderation.');
  return { state: 'done', videos, blocked };
}

const MP4 = 'video/mp4';

function cloudFile(video: unknown): VideoFile[] {
  if (!isJsonObject(video)) return [];
  const base64 = stringAt(video, 'bytesBase64Encoded');
  const url = stringAt(video, 'gcsUri') ?? stringAt(video, 'uri');
  const mimeType = stringAt(video, 'mimeType') ?? MP4;
  if (base64 === undefined && url === undefined) return [];
  return [{ mimeType, ...(base64 !== undefined && { base64 }), ...(url !== undefined && { url }) }];
}

function developerFile(video: unknown): VideoFile[] {
  const url = isJsonObject(video) ? stringAt(video, 'uri') : undefined;
  return url === undefined ? [] : [{ url, mimeType: MP4, needsCredential: true }];
}

/** HTTP statuses of the rpc codes that show whose fault it was; all other codes count as the upstream's. */
const STATUS_OF_CODE: Readonly<Record<number, number>> = { 3: 400, 4: 504, 8: 429, 9: 400, 11: 400, 14: 503 };

export { type CheckedVideo, checkVideo, videoSpelling } from './check.ts';
export {
  encodeOperation,
  type OperationForm,
  operationName,
  parseOperationName,
} from './operation.ts';
export const googleOperations = videoDialect(descriptor);
