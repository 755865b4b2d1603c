/** Requests for videos, in both of their formats. Bytes of a clip go out like those behind a link, ranges included. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { GatewayError, type ProtocolName } from '@trivium/protocol/canonical';
import { readOperation } from '../calls/endpoints/read-operation.ts';
import { submitVideo } from '../calls/endpoints/submit-video.ts';
import { videosCall } from '../calls/endpoints/videos.ts';
import { idHeaders } from '../calls/exchange/caller-reply.ts';
import type { ReceivedHead } from '../calls/request.ts';
import type { RawHeaders } from '../kernel/caller-port.ts';
import type { StoredClip } from '../kernel/video.ts';
import type { LinkedBlob, LinkedBlobs } from '../media/blobs/linked-blob.ts';
import type { DataPlanePorts } from './destination.ts';
import { checkContentType, firstHeader, type HeadAction, keyInQuery } from './head.ts';
import type { ParsedTarget } from './path-policy.ts';
import { callerScheme } from './peer.ts';
import { isForm } from './read-form.ts';
import type { RouteAction } from './route-table.ts';
import { serveBlob } from './serve-blob.ts';

export type VideoAction = Extract<RouteAction, { readonly kind: 'video-call' | 'video-poll' | 'videos' }>;

export type VideoAsked = {
  readonly ports: DataPlanePorts;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly protocol: ProtocolName;
  readonly target: ParsedTarget;
  readonly headers: RawHeaders;
  readonly head: (action: HeadAction) => ReceivedHead;
};

export async function serveVideo(action: VideoAction, asked: VideoAsked): Promise<void> {
  const { ports, request, headers, target, protocol } = asked;
  const [engine, { isTrustedProxy, timeouts }] = [ports.engine(), ports.settings()];
  // The URL at which the caller reached us, for links that lead back here.
  const origin = `${callerScheme(request, isTrustedProxy)}://${request.headers.host ?? ''}`;
  const { method = '' } = request;
  const inQuery = keyInQuery(target);
  if (action.kind !== 'videos') {
    if (method === 'POST') checkContentType(headers, {}, protocol);
    const received = asked.head(action);
    if (action.kind === 'video-call') return submitVideo(engine, received, inQuery);
    return readOperation(engine, received, inQuery, { ...action, origin });
  }
  const { path } = action;
  const form = isForm(firstHeader(headers, 'content-type')) ? { form: 'video' } : {};
  if (method === 'POST') checkContentType(headers, form, protocol);
  const call = { method, path, query: target.query, origin };
  const received = asked.head(form);
  const clip = await videosCall(engine, received, inQuery, call);
  if (clip === undefined) return;
  const reply = {
    headers: idHeaders(received.id),
    slowReaderMs: timeouts.slowReaderMs,
    nowMs: engine.clock.nowMs(),
  };
  await serveBlob(request, asked.response, await bytesOf(clip, ports.blobs), reply);
}

async function bytesOf({ base64, blob, mimeType }: StoredClip, blobs: LinkedBlobs): Promise<LinkedBlob> {
  if (base64 !== undefined) {
    const bytes = Buffer.from(base64, 'base64');
    return {
      id: '',
      contentType: mimeType,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      expiresAtMs: 0,
      open: async ({ first, last } = { first: 0, last: bytes.length }) =>
        Readable.from([bytes.subarray(first, last + 1)]),
    };
  }
  const kept = blob && (await blobs.find(blob.id));
  if (kept === undefined)
    throw new GatewayError({
      kind: 'unknown-operation',
      message: 'The content of this video is no longer stored.',
      code: 'no_content',
    });
  return kept;
}
