/** Jobs of this dialect: an id, then a state, then the address of one image. */
import { type Fault, GatewayError } from '../../canonical/fault.ts';
import type { ImageAnswer } from '../../canonical/image.ts';
import { isJsonObject, type Json, objectAt, stringAt } from '../../canonical/json.ts';
import { noImages } from '../image-calls.ts';
import type { ImageJob } from '../image-dialect.ts';

const POLL_EVERY_MS = 1000;
const FAILED: Fault = { kind: 'upstream-broken', message: 'The upstream provider failed to make the image.' };
const MODERATED = /Moderated$/;
const UNDER_WAY: ReadonlySet<string> = new Set(['Pending', 'Queued', 'Processing', 'Reasoning', 'Generating']);

const statusOf = (body: Json): string => (isJsonObject(body) ? (stringAt(body, 'status') ?? '') : '');

export const JOB: ImageJob = {
  pollEveryMs: POLL_EVERY_MS,
  begun: (body) => {
    const id = isJsonObject(body) ? stringAt(body, 'id') : undefined;
    return id === undefined ? { fault: FAILED } : { path: `get_result?id=${encodeURIComponent(id)}` };
  },
  read: (body) => (UNDER_WAY.has(statusOf(body)) ? 'waiting' : 'done'),
};

export function decodeAnswer(body: Json): ImageAnswer {
  const status = statusOf(body);
  if (MODERATED.test(status))
    return { images: [{ blocked: `The provider said: ${status}.` }], usage: { pictures: 0 }, traits: {} };
  if (status !== 'Ready') throw new GatewayError(FAILED);
  const url = stringAt(objectAt(isJsonObject(body) ? body : {}, 'result'), 'sample');
  if (url === undefined) throw noImages();
  return { images: [{ url }], usage: { pictures: 1 }, traits: {} };
}
