/** Tasks of this dialect: an id, then a state, then URLs of images, in either of two forms. */
import { GatewayError } from '../../canonical/gateway-error.ts';
import type { GeneratedImage, ImageAnswer } from '../../canonical/image.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { countOf } from '../image-answers.ts';
import { HELD_BACK, noImages } from '../image-calls.ts';
import { imageJob } from '../image-jobs.ts';
import { textAt, valuesAt } from '../json-paths.ts';
import { faultOfTask } from './faults.ts';

const MODERATED = 'DataInspectionFailed';

export const JOB = imageJob({
  pollEveryMs: 1000,
  id: 'output.task_id',
  state: 'output.task_status',
  underWay: new Set(['PENDING', 'RUNNING', 'SUSPENDED']),
  place: (id) => ({ path: `/tasks/${id}` }),
});

export const isBlocked = (status: number, body: Json | undefined): boolean =>
  status === 400 && textAt(body, 'code') === MODERATED;

export function decodeAnswer(body: Json): ImageAnswer {
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
