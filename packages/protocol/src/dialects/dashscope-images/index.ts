/** Images at hosts of the DashScope API, each call a task that is polled: client half only. */

import type { Fault } from '../../canonical/fault.ts';
import type { ImageLoss, ImageStances } from '../../canonical/fields.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import type { GeneratedImage, ImageAnswer, ImageCall } from '../../canonical/image.ts';
import type { SizeLimits } from '../../canonical/image-limits.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { sizeText } from '../../passes/image-dims.ts';
import { textAt, valuesAt } from '../../passes/json-paths.ts';
import { unsupported } from '../checking.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import {
  countOf,
  dataUrlOf,
  HELD_BACK,
  type ImagePlan,
  imageJob,
  JOB_FAILED,
  noImages,
  PLAIN_STANCES,
  planImage,
} from '../images.ts';
import type { ImageDialect } from '../media-dialects.ts';
import { faultOfStatus, isRefusal, NO_CAPACITY, refusedFor } from '../upstream-errors.ts';

// How one host's images differ from the format's newer form: a closed, flat record, read by this folder only.

export interface DashscopeImagesQuirks {
  /** Name prefixes of models that use the older form: a prompt instead of messages, and a path of its own. */
  readonly promptModels: readonly string[];
}

const COMMON_DASHSCOPE_IMAGES: DashscopeImagesQuirks = { promptModels: [] };

// Canonical call → a task for an upstream of this dialect: text and images in a message, or text alone as a prompt.

const ANY_SIZE: SizeLimits = { kind: 'free', multiple: 1, maxSide: 8192, tiers: ['1K', '2K', '4K'] };

const stances: ImageStances = {
  ...PLAIN_STANCES,
  'image.negativePrompt': 'native',
  'image.seed': 'native',
  'image.enhancePrompt': 'mapped',
  'image.watermark': 'native',
};

function encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss> {
  const plan = planImage(call, target, ANY_SIZE, { id: 'dashscope-images', stances });
  if (plan.mask !== undefined) throw unsupported(plan.mask.path, 'is a mask, which this model does not take');
  const losses = plan.losses.all;
  const { promptModels } =
    'promptModels' in target.quirks ? (target.quirks as DashscopeImagesQuirks) : COMMON_DASHSCOPE_IMAGES;
  const isPrompt = promptModels.some((start) => target.upstreamModel.startsWith(start));
  const settings = settingsOf(call, plan);
  const avoided: Readonly<Record<string, Json>> =
    call.negativePrompt === undefined ? {} : { negative_prompt: call.negativePrompt };
  if (!isPrompt) {
    const body = {
      model: target.upstreamModel,
      input: {
        messages: [
          {
            role: 'user',
            content: [...plan.sources.map(({ file }) => ({ image: dataUrlOf(file) })), { text: call.prompt }],
          },
        ],
      },
      parameters: { ...settings, ...avoided },
    };
    return { body, losses };
  }
  const [source] = plan.sources;
  if (source !== undefined) throw unsupported(source.path, 'is a picture, and this model starts from words alone');
  const input = { prompt: call.prompt, ...avoided };
  return { body: { model: target.upstreamModel, input, parameters: settings }, losses, action: 'prompt' };
}

const settingsOf = (call: ImageCall, { size: { pixels } }: ImagePlan): Readonly<Record<string, Json>> => ({
  // Sent even if it is 1: some models make four images by default.
  n: call.count,
  ...(pixels !== undefined && pixels !== 'auto' && { size: sizeText(pixels, '*') }),
  ...(call.seed !== undefined && { seed: call.seed }),
  ...(call.enhancePrompt !== undefined && { prompt_extend: call.enhancePrompt }),
  ...(call.watermark !== undefined && { watermark: call.watermark }),
});

// Errors of this dialect: a code and a message, at the top of an answer or inside a task.

/** The operator's bill is unpaid: not the caller's mistake, whatever the status. */
const UNPAID = 'Arrearage';
const INVALID = /^InvalidParameter/;

function decodeFault(status: number, body: Json | undefined): Fault {
  if (textAt(body, 'code') === UNPAID) return NO_CAPACITY;
  return isRefusal(status) ? refusedFor(textAt(body, 'message')) : faultOfStatus(status);
}

const faultOfTask = (failure: Json | undefined): Fault =>
  INVALID.test(textAt(failure, 'code') ?? '') ? refusedFor(textAt(failure, 'message')) : JOB_FAILED;

// Tasks of this dialect: an id, then a state, then URLs of images, in either of two forms.

const MODERATED = 'DataInspectionFailed';

const JOB = imageJob({
  pollEveryMs: 1000,
  id: 'output.task_id',
  state: 'output.task_status',
  underWay: new Set(['PENDING', 'RUNNING', 'SUSPENDED']),
  place: (id) => ({ path: `/tasks/${id}` }),
});

const isBlocked = (status: number, body: Json | undefined): boolean =>
  status === 400 && textAt(body, 'code') === MODERATED;

function decodeAnswer(body: Json): ImageAnswer {
  // An immediate refusal has its error at the top level, a failed task inside `output`.
  const failure = isBlocked(400, body) ? body : valuesAt(body, 'output')[0];
  if (failure === body || textAt(failure, 'task_status') !== 'SUCCEEDED') return nothingBut(failure);
  const entries = valuesAt(body, 'output.results[]').filter(isJsonObject);
  const shown = valuesAt(body, 'output.choices[].message.content[].image');
  const images = [...shown.flatMap((url) => (typeof url === 'string' ? [{ url }] : [])), ...entries.flatMap(imageIn)];
  const [failed] = entries.filter(({ code }) => code !== undefined);
  if (images.length === 0) throw failed === undefined ? noImages() : new GatewayError(faultOfTask(failed));
  return { images, usage: { pictures: countOf(images) }, traits: {} };
}

function nothingBut(failure: Json | undefined): ImageAnswer {
  if (textAt(failure, 'code') !== MODERATED) throw new GatewayError(faultOfTask(failure));
  return { images: [heldBack(failure)], usage: { pictures: 0 }, traits: {} };
}

const heldBack = (entry: Json | undefined): GeneratedImage => ({ blocked: textAt(entry, 'message') ?? HELD_BACK });

/** One of several images may have failed. */
function imageIn(entry: JsonObject): GeneratedImage[] {
  if (textAt(entry, 'code') === MODERATED) return [heldBack(entry)];
  const url = textAt(entry, 'url');
  const revisedPrompt = textAt(entry, 'actual_prompt');
  return url === undefined ? [] : [{ url, ...(revisedPrompt !== undefined && { revisedPrompt }) }];
}

export const dashscopeImages: ImageDialect = {
  id: 'dashscope-images',
  operation: 'image',
  stances,
  quirks: (own) => ({ ...COMMON_DASHSCOPE_IMAGES, ...own }),
  client: { encodeCall, decodeAnswer, isBlocked, job: JOB, decodeFault, sealRefusals: [] },
};
