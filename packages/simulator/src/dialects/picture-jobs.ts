// Shared by vendors with asynchronous images: an id that contains the order, "pending" at the first poll, then the
// images.
import { parseObject } from '../json-text.ts';
import { asNumber, asText } from '../json-value.ts';
import { pictureUrl } from '../pictures/order.ts';
import type { PictureType } from '../pictures/picture.ts';
import type { VendorRequest } from '../wire.ts';
import type { Renderer, Reply, UnderstoodRequest } from './dialect.ts';
import { json, replyOnly } from './replies.ts';

export interface PictureJob {
  readonly model: string;
  readonly prompt: string;
  readonly count: number;
  readonly type: PictureType;
}

/** An image of a finished job. */
export type FinishedPicture = { readonly blocked: true } | { readonly blocked: false; readonly url: string };

/** Jobs that have been polled once. Above a limit, all are forgotten. */
const asked = new Set<string>();
const MAX_ASKED = 1000;

export const openJob = (job: PictureJob, { sequence }: VendorRequest): string =>
  `picture-${Buffer.from(JSON.stringify({ ...job, sequence })).toString('base64url')}`;

/** The result of polling a job; undefined if there is no such job, or it is polled at the wrong path. */
export function askJob(
  id: string,
  isHere: (job: PictureJob) => boolean = () => true,
): { readonly job: PictureJob; readonly isUnderWay: boolean } | undefined {
  const order = id.startsWith('picture-') ? parseObject(Buffer.from(id.slice(8), 'base64url')) : undefined;
  if (order === undefined) return undefined;
  const { model, prompt, count, type } = order;
  const job: PictureJob = {
    model: asText(model),
    prompt: asText(prompt),
    count: asNumber(count) ?? 1,
    type: type === 'png' ? 'png' : 'jpeg',
  };
  if (!isHere(job)) return undefined;
  const isUnderWay = !asked.has(id);
  if (asked.size >= MAX_ASKED) asked.clear();
  asked.add(id);
  return { job, isUnderWay };
}

/** The images of a job, each by URL, in the vendor's format. */
export function deliver(
  { model, prompt, count, type }: PictureJob,
  { headers }: VendorRequest,
  renderer: Renderer,
  replyWith: (pictures: readonly FinishedPicture[]) => Reply,
): UnderstoodRequest {
  const origin = `http://${headers.host ?? ''}`;
  return {
    kind: 'pictures',
    order: { model, prompt, count, type, partials: 0, origin },
    streamed: false,
    body: undefined,
    renderer,
    render: ({ outcomes }) => {
      const pictures = outcomes.map((outcome, at): FinishedPicture => {
        if (outcome.blocked) return outcome;
        return { blocked: false, url: outcome.url ?? pictureUrl(origin, `${model} ${prompt} ${at}`, type) };
      });
      return { reply: replyWith(pictures), frames: [] };
    },
  };
}

/** The refusal of hosts that answer with a `detail`. */
export const refuseWithDetail = (status: number, reason: string, body?: unknown): UnderstoodRequest => ({
  kind: 'refused',
  reply: json(status, { detail: status === 422 ? [{ loc: ['body'], msg: reason, type: 'value_error' }] : reason }),
  reason,
  body,
});

export const detailRenderer = replyOnly(({ status }) => json(status, { detail: `Simulated error ${status}` }));
