// What vendors share whose pictures are jobs: an id that holds the order, patience at the first question, then the pictures.
import { parseJsonBytes } from '../json-text.ts';
import { asNumber, asText, isRecord } from '../json-value.ts';
import { pictureUrl } from '../pictures/order.ts';
import type { PictureType } from '../pictures/picture.ts';
import type { Renderer, Reply, UnderstoodRequest, VendorRequest } from './dialect.ts';

export interface PictureJob {
  readonly model: string;
  readonly prompt: string;
  readonly count: number;
  readonly type: PictureType;
}

/** A picture of a job that is done. */
export type Told = { readonly blocked: true } | { readonly blocked: false; readonly url: string };

/** Jobs that have been asked after once. When there are too many, all are forgotten. */
const asked = new Set<string>();
const MAX_ASKED = 1000;

export const openJob = (job: PictureJob, { sequence }: VendorRequest): string =>
  `picture-${Buffer.from(JSON.stringify({ ...job, sequence })).toString('base64url')}`;

function readJob(id: string): PictureJob | undefined {
  const order = parseJsonBytes(Buffer.from(id.replace(/^picture-/u, ''), 'base64url'));
  if (!id.startsWith('picture-') || !order.ok || !isRecord(order.value)) return undefined;
  const { model, prompt, count, type } = order.value;
  return {
    model: asText(model),
    prompt: asText(prompt),
    count: asNumber(count) ?? 1,
    type: type === 'png' ? 'png' : 'jpeg',
  };
}

/** What a question after a job finds; undefined where there is no such job, or it is asked after at the wrong place. */
export function askJob(
  id: string,
  isHere: (job: PictureJob) => boolean = () => true,
): { readonly job: PictureJob; readonly isUnderWay: boolean } | undefined {
  const job = readJob(id);
  if (job === undefined || !isHere(job)) return undefined;
  const isUnderWay = !asked.has(id);
  if (asked.size >= MAX_ASKED) asked.clear();
  asked.add(id);
  return { job, isUnderWay };
}

/** The pictures of a job, each by address, in the vendor's words. */
export function deliver(
  { model, prompt, count, type }: PictureJob,
  { headers }: VendorRequest,
  renderer: Renderer,
  tell: (pictures: readonly Told[]) => Reply,
): UnderstoodRequest {
  const origin = `http://${headers.host ?? ''}`;
  return {
    kind: 'pictures',
    order: { model, prompt, count, type, partials: 0, origin },
    streamed: false,
    body: undefined,
    renderer,
    render: ({ outcomes }) => {
      const pictures = outcomes.map((outcome, at): Told => {
        if (outcome.blocked) return outcome;
        return { blocked: false, url: outcome.url ?? pictureUrl(origin, `${model} ${prompt} ${at}`, type) };
      });
      return { reply: tell(pictures), frames: [] };
    },
  };
}

/** For vendors that answer with nothing but JSON. */
export const jobRenderer = (errorReply: Renderer['errorReply']): Renderer => {
  const never = (): never => {
    throw new Error('jobs are not streamed');
  };
  return { plain: never, streamHeaders: {}, frames: never, errorReply, errorFrame: never };
};
