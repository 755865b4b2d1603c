/** Videos as objects of their own: another front of the same operations. All but orders read what is stored and charge nothing. */
import { type Fault, GatewayError, type JsonObject } from '@trivium/protocol/canonical';
import {
  checkOrder,
  checkRemix,
  encodeVideo,
  noVideo,
  operationOfVideo,
  orderSpelling,
  videoId,
} from '@trivium/protocol/dialects';
import type { FoundClip, Operations, StoredClip } from '../../kernel/video.ts';
import { takePlace } from '../admit/admit.ts';
import type { Engine } from '../engine.ts';
import { authenticate, requireEndpoint } from '../entry/authenticate.ts';
import { answerHeaders } from '../exchange/caller-reply.ts';
import type { ReceivedHead } from '../request.ts';
import { operationsOf, submitVideo, type VideoFront } from './submit-video.ts';

const FRONT: VideoFront = {
  spelling: orderSpelling,
  read: (body, { files }) => checkOrder(body, files),
  answer: encodeVideo,
  showsState: true,
};

/** An order like any other, at the host of the video it is made of. */
const remixOf = (asked: string): VideoFront => ({
  ...FRONT,
  read: async (body, { caller }, operations) => {
    const { source } = await finishedClip(operations, caller.accountId, asked);
    if (source === undefined) throw new GatewayError(NO_CLIP);
    return { ...checkRemix(body, source), source };
  },
});

export type VideosCall = {
  readonly method: string;
  /** After `videos`. */
  readonly path: readonly string[];
  readonly query: ReadonlyMap<string, string>;
  /** The URL at which the caller reached us. */
  readonly origin: string;
};

const UNFINISHED: Fault = {
  kind: 'unsupported',
  message: 'This video is not done yet. Its status says when it is.',
  code: 'video_unfinished',
};
const NO_CLIP: Fault = {
  kind: 'unknown-operation',
  message: 'This video has no content: it failed, or was held back.',
  code: 'no_content',
};

/** A clip that is to be sent, or nothing: the answer has been given. */
export async function videosCall(
  engine: Engine,
  received: ReceivedHead,
  keyInQuery: boolean,
  call: VideosCall,
): Promise<StoredClip | undefined> {
  const { method, path, query } = call;
  if (method === 'POST') {
    const [remixed] = path;
    await submitVideo(engine, received, keyInQuery, remixed === undefined ? FRONT : remixOf(remixed));
    return undefined;
  }
  const identified = await authenticate(received, engine.accounts, keyInQuery);
  requireEndpoint(identified, 'video');
  const operations = operationsOf(engine);
  const place = takePlace(engine.admission.limits, identified.caller);
  try {
    const { accountId } = identified.caller;
    if (path[1] === 'content') return await clipOf(operations, accountId, path[0] ?? '', query);
    const body = await answerTo(operations, accountId, call);
    identified.reply.answer(200, answerHeaders(identified.id, []), JSON.stringify(body));
    return undefined;
  } finally {
    place.release();
  }
}

async function answerTo(operations: Operations, accountId: string, call: VideosCall): Promise<JsonObject> {
  const { method, path, query, origin } = call;
  const [asked] = path;
  if (asked === undefined) return list(operations, accountId, query, origin);
  const id = operationOfVideo(asked);
  const found = id === undefined ? undefined : await operations.find(accountId, id, origin);
  if (id === undefined || found === undefined) throw noVideo();
  if (method !== 'DELETE') return encodeVideo(found);
  if (!(await operations.remove(accountId, id))) throw new GatewayError(UNFINISHED);
  return { id: videoId(id), object: 'video.deleted', deleted: true };
}

const MAX_PAGE = 100;
const USUAL_PAGE = 20;

async function list(
  operations: Operations,
  accountId: string,
  query: ReadonlyMap<string, string>,
  origin: string,
): Promise<JsonObject> {
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw malformed('order', 'must be asc or desc');
  const limit = Number(query.get('limit') ?? USUAL_PAGE);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
    throw malformed('limit', `must be an integer from 1 to ${MAX_PAGE}`);
  const cursor = query.get('after');
  const after = cursor === undefined ? undefined : operationOfVideo(cursor);
  if (cursor !== undefined && (after === undefined || (await operations.find(accountId, after, origin)) === undefined))
    throw noVideo('after');
  const page = { limit, isAscending: order === 'asc', ...(after !== undefined && { after }) };
  const found = await operations.list(accountId, page, origin);
  const data = found.slice(0, limit).map(encodeVideo);
  const [first, last] = [data[0]?.['id'] ?? null, data.at(-1)?.['id'] ?? null];
  return { object: 'list', data, first_id: first, last_id: last, has_more: found.length > limit };
}

async function clipOf(
  operations: Operations,
  accountId: string,
  asked: string,
  query: ReadonlyMap<string, string>,
): Promise<StoredClip> {
  const { clip } = await finishedClip(operations, accountId, asked);
  if ((query.get('variant') ?? 'video') !== 'video')
    throw malformed('variant', 'must be video: pictures of a clip are not made');
  return clip;
}

async function finishedClip(
  operations: Operations,
  accountId: string,
  asked: string,
): Promise<FoundClip & Required<Pick<FoundClip, 'clip'>>> {
  const id = operationOfVideo(asked);
  const found = id === undefined ? undefined : await operations.clip(accountId, id);
  if (found === undefined) throw noVideo();
  if (!found.isOver) throw new GatewayError(UNFINISHED);
  const { clip } = found;
  if (clip === undefined) throw new GatewayError(NO_CLIP);
  return { ...found, clip };
}

const malformed = (field: string, problem: string): GatewayError =>
  new GatewayError({ kind: 'malformed', message: `'${field}' ${problem}.`, field });
