// Veo: `google` simulates the developers' API, `vertex` the cloud.
import { asList, asNumber, asRecord, asText, type JsonRecord } from '../../json-value.ts';
import type { VendorRequest } from '../../wire.ts';
import { checkCredential } from '../google-generate/check.ts';
import { refusalReply, statusRefusal } from '../google-generate/status-replies.ts';
import { imageTypeOf, isBase64 } from '../judgement.ts';
import { MP4_BASE64 } from './mp4.ts';
import type { ClipVendor, TaskReport } from './vendor.ts';

const SUBMIT =
  /^\/v1(?:beta1?)?\/(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/google\/)?models\/([^/:]+):predictLongRunning$/u;
/** By the name of an operation, or by a body that has it. */
const POLL = /\/models\/(?:[^/]+\/operations\/(clip-[0-9]+)|[^/:]+:fetchPredictOperation)$/u;
const LENGTHS = [4, 6, 8];

const isCloud = ({ vendor }: VendorRequest): boolean => vendor === 'vertex';
const instanceOf = (body: JsonRecord): JsonRecord => asRecord(asList(body['instances'])[0]);

function objection(body: JsonRecord, request: VendorRequest): string | undefined {
  const instance = instanceOf(body);
  const parameters = asRecord(body['parameters']);
  if (instance['prompt'] === undefined && instance['image'] === undefined) return 'Text prompt or image is required.';
  for (const name of ['image', 'lastFrame']) {
    if (instance[name] === undefined) continue;
    const bytes = asText(asRecord(instance[name])['bytesBase64Encoded']);
    if (!isBase64(bytes) || imageTypeOf(bytes) !== asRecord(instance[name])['mimeType'])
      return `${name} could not be decoded.`;
  }
  const seconds = asNumber(parameters['durationSeconds']);
  if (seconds !== undefined && !LENGTHS.includes(seconds))
    return `durationSeconds must be one of ${LENGTHS.join(', ')}.`;
  const cloudOnly = ['generateAudio', 'enhancePrompt', 'fps'].find((name) => parameters[name] !== undefined);
  if (!isCloud(request) && cloudOnly !== undefined) return `\`${cloudOnly}\` is not supported by this model.`;
  return undefined;
}

const nameOf = (id: string, model: string, request: VendorRequest): string =>
  isCloud(request)
    ? `projects/p/locations/l/publishers/google/models/${model}/operations/${id}`
    : `models/${model}/operations/${id}`;

function statusBody({ task, state, clipUrl }: TaskReport, request: VendorRequest): object {
  const name = nameOf(task.id, task.model, request);
  if (state.kind === 'waiting') return { name };
  if (state.kind === 'failed')
    return {
      name,
      done: true,
      error: state.isInvalid ? { code: 3, message: 'The prompt is not valid.' } : { code: 13, message: 'internal' },
    };
  const filtered =
    state.blocked === 0
      ? {}
      : {
          raiMediaFilteredCount: state.blocked,
          raiMediaFilteredReasons: Array(state.blocked).fill('Violates the usage guidelines.'),
        };
  const isBytes = task.fate === 'bytes';
  const urls = Array.from({ length: state.clips }, (_, nth) => clipUrl(nth));
  if (isCloud(request))
    return {
      name,
      done: true,
      response: {
        ...filtered,
        ...(urls.length > 0 && {
          videos: urls.map((gcsUri) => ({
            ...(isBytes ? { bytesBase64Encoded: MP4_BASE64 } : { gcsUri }),
            mimeType: 'video/mp4',
          })),
        }),
      },
    };
  const generatedSamples = urls.map((uri) => ({ video: { uri } }));
  return {
    name,
    done: true,
    response: { generateVideoResponse: { ...filtered, ...(urls.length > 0 && { generatedSamples }) } },
  };
}

export const googleClips: ClipVendor = {
  name: 'google-operations',
  vendors: ['google', 'vertex'],
  isWelcome: (request, options) => checkCredential(request, options) === undefined,
  submit: {
    path: SUBMIT,
    shape: 'Veo',
    objection,
    facts: (body, { path }) => ({
      model: SUBMIT.exec(path)?.[1] ?? '',
      prompt: asText(instanceOf(body)['prompt']),
      count: asNumber(asRecord(body['parameters'])['sampleCount']) ?? 1,
      seconds: asNumber(asRecord(body['parameters'])['durationSeconds']) ?? 8,
    }),
    accepted: ({ id, model }, request) => ({ name: nameOf(id, model, request) }),
  },
  taskPath: POLL,
  taskIn: ({ path, method }, body) =>
    method === 'GET' ? POLL.exec(path)?.[1] : /clip-[0-9]+$/u.exec(asText(body['operationName']))?.[0],
  statusBody,
  refusal: (status, message) =>
    refusalReply({ ...statusRefusal({ status, code: undefined, retryAfterS: undefined }), message }, false),
};
