/**
 * Serves a stored result through a signed link: streamed no faster than it is read, whole or one range of it. The
 * headers keep a browser from executing it, whatever its type.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import type { ByteRange } from '../media/blobs/blob-store.ts';
import type { LinkedBlob, LinkedBlobs } from '../media/blobs/linked-blob.ts';
import type { ParsedTarget } from './path-policy.ts';

export type BlobReply = {
  readonly headers: readonly string[];
  /** In ms: how long a reader may read nothing. */
  readonly slowReaderMs: number;
  readonly nowMs: number;
};

/** Other types are served as bytes: a result must never be rendered as a page of the gateway. */
const SHOWN_TYPE = /^(?:image\/(?!svg)|video\/|audio\/|application\/pdf$)/;

const FORGED_LINK: Fault = { kind: 'forbidden', message: 'This link is not valid.', code: 'link_invalid' };
const DEAD_LINK: Fault = {
  kind: 'unknown-route',
  message: 'This link has expired, or its result is no longer stored.',
  code: 'link_expired',
};

/** A link carries its own authorisation: no API key is required, and none is read. */
export async function followLink(
  request: IncomingMessage,
  response: ServerResponse,
  { path, query }: ParsedTarget,
  mount: string,
  blobs: LinkedBlobs,
  reply: BlobReply,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new GatewayError({ kind: 'method-not-allowed', message: 'Method not allowed. Use GET.', allow: ['GET'] });
  const blob = await blobs.follow(path.slice(mount.length + 1), query);
  if (blob === 'forged') throw new GatewayError(FORGED_LINK);
  if (blob === 'gone') throw new GatewayError(DEAD_LINK);
  await serveBlob(request, response, blob, reply);
}

export async function serveBlob(
  request: IncomingMessage,
  response: ServerResponse,
  blob: LinkedBlob,
  { headers, slowReaderMs, nowMs }: BlobReply,
): Promise<void> {
  const etag = `"${blob.sha256}"`;
  const common = [
    ...headers,
    'etag',
    etag,
    'accept-ranges',
    'bytes',
    'cache-control',
    `private, max-age=${Math.max(0, Math.floor((blob.expiresAtMs - nowMs) / 1000))}`,
  ];
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, common).end();
    return;
  }
  const { range: asked, 'if-range': ifRange } = request.headers;
  const range = asked === undefined || (ifRange !== undefined && ifRange !== etag) ? 'all' : rangeIn(asked, blob.bytes);
  if (range === 'none') {
    response.writeHead(416, [...common, 'content-range', `bytes */${blob.bytes}`, 'content-length', '0']).end();
    return;
  }
  const length = range === 'all' ? blob.bytes : range.last - range.first + 1;
  const head = [
    ...common,
    'content-type',
    SHOWN_TYPE.test(blob.contentType) ? blob.contentType : 'application/octet-stream',
    'content-length',
    String(length),
    'x-content-type-options',
    'nosniff',
    'content-security-policy',
    "default-src 'none'; sandbox",
    ...(range === 'all' ? [] : ['content-range', `bytes ${range.first}-${range.last}/${blob.bytes}`]),
  ];
  const status = range === 'all' ? 200 : 206;
  if (request.method === 'HEAD' || length === 0) {
    response.writeHead(status, head).end();
    return;
  }
  // Opened first: a failing store can still be reported as an error.
  const content = await blob.open(range === 'all' ? undefined : range);
  response.setTimeout(slowReaderMs, () => response.socket?.resetAndDestroy());
  response.writeHead(status, head);
  // A caller may leave while the store opens the result.
  let hasLeft = response.destroyed;
  // A store that fails closes the response, too, but only after its own error.
  response.once('close', () => {
    hasLeft = !response.writableFinished && content.errored === null;
  });
  await pipeline(content, response).catch((cause: unknown) => {
    throw hasLeft ? new GatewayError(LEFT, { cause }) : cause;
  });
}

const LEFT: Fault = { kind: 'cancelled', message: 'The caller hung up while reading the result.' };

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/** One range, as clients that resume a download request. Anything else may be ignored by the standard, and is. */
export function rangeIn(text: string, bytes: number): ByteRange | 'all' | 'none' {
  const [, from, to] = RANGE.exec(text) ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return 'all';
  const last = bytes - 1;
  if (from === '') return Number(to) === 0 || bytes === 0 ? 'none' : { first: Math.max(0, bytes - Number(to)), last };
  if (to !== '' && Number(to) < Number(from)) return 'all';
  if (Number(from) > last) return 'none';
  return { first: Number(from), last: to === '' ? last : Math.min(last, Number(to)) };
}
