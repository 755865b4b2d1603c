/** What a dialect may know of a request besides its body: values from the path, and which client sent it. */

import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Fault, GatewayError, type ProtocolName } from '@trivium/protocol/canonical';
import { type EncodedFault, protocolAdapters, type RequestHead } from '@trivium/protocol/dialects';
import { idHeaders } from '../calls/exchange/caller-reply.ts';
import { listedIn, type RawHeaders } from '../kernel/caller-port.ts';
import { boundaryOf } from './form-parts.ts';
import { answering } from './listener.ts';
import type { ParsedTarget } from './path-policy.ts';
import { isForm } from './read-form.ts';
import { type Mounts, protocolOfText, type Route, type RouteAction } from './route-table.ts';

export type CallAction = Extract<
  RouteAction,
  {
    readonly kind:
      | 'text-call'
      | 'embed-call'
      | 'rerank-call'
      | 'moderation-call'
      | 'image-call'
      | 'count-tokens'
      | 'compact'
      | 'sound-call';
  }
>;

/**
 * Bare (`STOP`), prefixed (`FINISH_REASON_STOP`), or chosen by the client: Google's own SDKs only know the bare values.
 */
export type FinishReasonSpelling = 'auto' | 'bare' | 'prefixed';

const KNOWS_BARE_WORDS = /google-genai|ai-sdk/;

/** The forms of calls that come with their files. */
export const WITH_FILES: ReadonlySet<string | undefined> = new Set([
  'edits',
  'transcriptions',
  'translations',
  'video',
]);

/** What a path may state about a call, of whichever kind. */
export type HeadAction = {
  readonly kind?: RouteAction['kind'];
  readonly dialect?: string;
  readonly model?: string;
  readonly stream?: boolean;
  readonly form?: string;
};

export function requestHead(
  action: HeadAction,
  { query }: ParsedTarget,
  headers: RawHeaders,
  spelling: FinishReasonSpelling,
): RequestHead {
  const header = listedIn(headers);
  if (action.model === undefined) return { header, ...(action.form !== undefined && { form: action.form }) };
  const speaksBare = (name: string): boolean => KNOWS_BARE_WORDS.test(firstHeader(headers, name) ?? '');
  return {
    header,
    model: action.model,
    stream: action.stream === true,
    ...(action.form !== undefined && { form: action.form }),
    bareEnums: spelling === 'auto' ? speaksBare('x-goog-api-client') || speaksBare('user-agent') : spelling === 'bare',
    asArray: action.stream === true && query.get('alt') === 'json',
  };
}

// Headers from the raw list: lower-case names, repeated ones kept separate, nothing that could reach a prototype.

export function readHeaders(raw: readonly string[]): RawHeaders {
  const headers = new Map<string, string | readonly string[]>();
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    const value = raw[at + 1] ?? '';
    const earlier = headers.get(name);
    if (earlier === undefined) headers.set(name, value);
    else headers.set(name, typeof earlier === 'string' ? [earlier, value] : [...earlier, value]);
  }
  return headers;
}

export const firstHeader = (headers: RawHeaders, name: string): string | undefined => {
  const value = headers.get(name);
  return typeof value === 'string' ? value : value?.[0];
};

/**
 * `application/json`, with any parameters, in any case. One exact rule, since loose ones have been used to bypass
 * checks.
 */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const semicolon = contentType.indexOf(';');
  const type = semicolon === -1 ? contentType : contentType.slice(0, semicolon);
  return type.trim().toLowerCase() === 'application/json';
}

/** Which protocol a caller uses at a path that several share: these headers are sent by one protocol's SDKs only. */
export const openProtocol = (headers: Pick<RawHeaders, 'has'>): 'chat' | 'messages' =>
  headers.has('anthropic-version') || headers.has('x-api-key') ? 'messages' : 'chat';

// Heads that are refused: those Node's parser rejected, and those it let through.

/** How much of a head is read to find out which protocol's error format to use. */
const MAX_FIRST_LINE = 512;
const MAX_HEAD_BYTES = 16_384;

/** Node's parser accepts more versions than it supports. */
const VERSIONS: ReadonlySet<string> = new Set(['1.1', '1.0']);

/** Where a request ends must be unambiguous, whatever its path: after one of these faults its connection is closed. */
export function framingFault(request: IncomingMessage, headers: RawHeaders, maxHeaders: number): Fault | undefined {
  const { rawHeaders, httpVersion } = request;
  if (rawHeaders.length / 2 > maxHeaders)
    return { kind: 'headers-too-large', message: `The request has more than ${maxHeaders} headers.` };
  if (!VERSIONS.has(httpVersion)) return { kind: 'malformed', message: 'The request is not HTTP/1.1.' };
  const coding = headers.get('transfer-encoding');
  if (coding === undefined) return undefined;
  // HTTP/1.0 has no transfer codings, so a proxy in front of us may have seen another end of this body.
  if (httpVersion === '1.0') return { kind: 'malformed', message: 'The request is not valid HTTP.' };
  if (typeof coding === 'string' && coding.toLowerCase() === 'chunked') return undefined;
  return { kind: 'malformed', message: 'The Transfer-Encoding header must be exactly "chunked".' };
}

/** Other invalid heads, checked before anything is done for the request. */
export function headFault({ httpVersion }: IncomingMessage, headers: RawHeaders): Fault | undefined {
  if (headers.has('__proto__')) return { kind: 'malformed', message: 'A header has a name that is not allowed.' };
  const host = headers.get('host');
  if (host === undefined) {
    if (httpVersion === '1.1') return { kind: 'malformed', message: 'The request has no Host header.' };
  } else if (typeof host !== 'string')
    return { kind: 'malformed', message: 'The request has more than one Host header.' };
  else if (!HOST.test(host)) return { kind: 'malformed', message: 'The Host header is not valid.' };
  const expectation = firstHeader(headers, 'expect');
  if (expectation !== undefined && expectation.toLowerCase() !== '100-continue')
    return { kind: 'malformed', message: 'The Expect header asks for something this service does not do.' };
  return undefined;
}

const HOST = /^[A-Za-z0-9.\-_:[\]]*$/;

type EncodeFault = (protocol: ProtocolName, fault: Fault, requestId: string) => EncodedFault;

type HeadError = Error & { readonly code?: string; readonly rawPacket?: Buffer };

/** Answers on the bare socket, in the error format of the path's protocol as far as the first line is readable. */
export function refuseHead(
  error: HeadError,
  socket: Socket,
  encodeFault: EncodeFault,
  requestId: string,
  mounts: Mounts,
): void {
  refuseInTurn(error, socket, (fault) => {
    const { status, body } = encodeFault(protocolOf(error.rawPacket, mounts), fault, requestId);
    return { status, type: 'application/json', text: JSON.stringify(body), headers: idHeaders(requestId) };
  });
}

type Refusal = {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers?: readonly string[];
};

/** Answers a head that cannot be read after the answers before it, and never in the middle of one. */
export function refuseInTurn(error: HeadError, socket: Socket, refusalOf: (fault: Fault) => Refusal): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const earlier = answering(socket);
  if (earlier !== undefined && (earlier.req.complete || earlier.headersSent)) {
    const isOfAnother = earlier.req.complete;
    earlier.once('close', () => {
      // After one refusal there is nothing to add.
      if (isOfAnother && earlier.statusCode < 400) refuseInTurn(error, socket, refusalOf);
      else socket.destroySoon();
    });
    return;
  }
  writeRefusal(socket, refusalOf(parserFault(error.code)));
}

/** On a connection that no parser reads any more. */
export function writeRefusal(socket: Socket, { status, type, text, headers = [] }: Refusal): void {
  const all = [
    ...['content-type', type, 'content-length', String(Buffer.byteLength(text)), 'connection', 'close'],
    ...headers,
  ];
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let at = 0; at < all.length; at += 2) head += `${all[at]}: ${all[at + 1]}\r\n`;
  socket.end(`${head}\r\n${text}`);
}

function parserFault(code: string | undefined): Fault {
  if (code === 'HPE_HEADER_OVERFLOW')
    return { kind: 'headers-too-large', message: 'The request headers are too large.' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { kind: 'malformed', message: 'The request took too long to arrive.' };
  return { kind: 'malformed', message: 'The request is not valid HTTP.' };
}

function protocolOf(packet: Buffer | undefined, mounts: Mounts): ProtocolName {
  const [head = ''] = packet?.subarray(0, MAX_HEAD_BYTES).toString('latin1').split('\r\n\r\n', 1) ?? [];
  const [line = '', ...fields] = head.split('\r\n');
  const names = new Set(fields.map((field) => field.slice(0, Math.max(0, field.indexOf(':'))).toLowerCase()));
  return protocolOfText(line.slice(0, MAX_FIRST_LINE).split(' ')[1] ?? '', mounts, openProtocol(names));
}

// Checked for every call before it reaches the engine: the content type, and no API key in the URL.

export function checkContentType(headers: RawHeaders, action: HeadAction, protocol: ProtocolName): void {
  const contentType = firstHeader(headers, 'content-type');
  if (WITH_FILES.has(action.form)) {
    if (isForm(contentType)) {
      if (boundaryOf(contentType ?? '') !== undefined) return;
      throw new GatewayError({
        kind: 'malformed',
        message: 'The form has no boundary, or one of more than 200 characters.',
        field: 'content-type',
      });
    }
    throw new GatewayError({ kind: 'wrong-media-type', message: 'The request body must be multipart/form-data.' });
  }
  if (contentType === undefined ? protocolAdapters[protocol].needsContentType : !isJson(contentType))
    throw new GatewayError({ kind: 'wrong-media-type', message: 'The request body must be application/json.' });
}

/**
 * A WebSocket is asked for. The listener has taken the Upgrade header out by now, and many proxies do; no other request
 * carries this key.
 */
const isHandshake = ({ method }: IncomingMessage, headers: RawHeaders): boolean =>
  method === 'GET' && headers.has('sec-websocket-key');

const NO_WEBSOCKET: Fault = {
  kind: 'upgrade-required',
  message: 'There is no WebSocket at this path. Use POST over HTTP.',
};

const NO_METHODS: readonly string[] = [];

export function requireMethod(
  request: IncomingMessage,
  { method, also = NO_METHODS }: Pick<Route, 'method' | 'also'>,
  headers: RawHeaders,
): void {
  const { method: asked = '' } = request;
  if (asked === method || also.includes(asked) || (asked === 'HEAD' && method === 'GET')) return;
  if (isHandshake(request, headers)) throw new GatewayError(NO_WEBSOCKET);
  const allow = [method, ...also];
  throw new GatewayError({
    kind: 'method-not-allowed',
    message: `Method not allowed. Use ${allow.join(' or ')}.`,
    allow,
  });
}

export const keyInQuery = ({ query }: ParsedTarget): boolean => query.has('key') || query.has('api_key');
