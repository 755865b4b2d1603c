/** What a dialect may know of a request beside its body: what the path says, and which client is speaking. */

import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Fault, GatewayError, type ProtocolName } from '@trivium/protocol/canonical';
import { type EncodedFault, protocolAdapters, type RequestHead } from '@trivium/protocol/dialects';
import { idHeaders } from '../exchange/caller-reply.ts';
import type { RawHeaders } from '../kernel/caller-port.ts';
import { boundaryOf } from './form-parts.ts';
import { answering } from './listener.ts';
import type { ParsedTarget } from './path-policy.ts';
import { isForm } from './read-form.ts';
import { type Mounts, protocolOfText, type RouteAction } from './route-table.ts';

export type CallAction = Extract<
  RouteAction,
  { readonly kind: 'text-call' | 'embed-call' | 'image-call' | 'count-tokens' }
>;

/** Bare (`STOP`), prefixed (`FINISH_REASON_STOP`), or by the caller: its own SDKs only know the bare words. */
export type FinishReasonSpelling = 'auto' | 'bare' | 'prefixed';

const KNOWS_BARE_WORDS = /google-genai|ai-sdk/;

/** What a path may say of a call, whichever it is. */
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
  // A header that was sent several times is one list.
  const header = (name: string): string | undefined => {
    const value = headers.get(name);
    return value === undefined || typeof value === 'string' ? value : value.join(',');
  };
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

// Headers from the raw list: lower-case names, repeated ones kept apart, nothing that could reach a prototype.

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

/** `application/json`, with any parameters, in any case. One exact rule, since loose ones have been ways around checks. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const semicolon = contentType.indexOf(';');
  const type = semicolon === -1 ? contentType : contentType.slice(0, semicolon);
  return type.trim().toLowerCase() === 'application/json';
}

const MESSAGES_MARKS = ['anthropic-version', 'x-api-key'] as const;

/** Which protocol a caller speaks at a path that several have: these headers are those of one protocol's SDKs. */
export const openProtocol = (headers: Pick<RawHeaders, 'has'>): 'chat' | 'messages' =>
  MESSAGES_MARKS.some((name) => headers.has(name)) ? 'messages' : 'chat';

// Heads we do not take: those node's parser refused before we saw them, and those it let through.

/** As much of a head as is looked at to find out whose words to use. */
const MAX_FIRST_LINE = 512;
const MAX_HEAD_BYTES = 16_384;

/** Node's parser takes more versions than it speaks. */
const VERSIONS: ReadonlySet<string> = new Set(['1.1', '1.0']);

/** Where a request ends must be beyond doubt, whatever its path: after one of these its connection is closed. */
export function framingFault(request: IncomingMessage, headers: RawHeaders, maxHeaders: number): Fault | undefined {
  const { rawHeaders, httpVersion } = request;
  if (rawHeaders.length / 2 > maxHeaders)
    return { kind: 'headers-too-large', message: `The request has more than ${maxHeaders} headers.` };
  if (!VERSIONS.has(httpVersion)) return { kind: 'malformed', message: 'The request is not HTTP/1.1.' };
  const coding = headers.get('transfer-encoding');
  if (coding === undefined) return undefined;
  // Version 1.0 knows no codings, so whoever stands before us may have seen another end of this body.
  if (httpVersion === '1.0') return { kind: 'malformed', message: 'The request is not valid HTTP.' };
  if (typeof coding === 'string' && coding.toLowerCase() === 'chunked') return undefined;
  return { kind: 'malformed', message: 'The Transfer-Encoding header must be exactly "chunked".' };
}

/** What else a head may not have, judged before anything is done for it. */
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
  const encoding = firstHeader(headers, 'content-encoding');
  if (encoding !== undefined && encoding !== 'identity')
    return { kind: 'wrong-media-type', message: 'Compressed request bodies are not accepted.' };
  return undefined;
}

const HOST = /^[A-Za-z0-9.\-_:[\]]*$/;

type Voiced = (protocol: ProtocolName, fault: Fault, requestId: string) => EncodedFault;

/** Answers on the bare socket, in the voice of the path as far as one can be read from the first line. */
export function refuseHead(
  error: Error & { code?: string; rawPacket?: Buffer },
  socket: Socket,
  voiced: Voiced,
  requestId: string,
  mounts: Mounts,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // What is wrong is judged in its turn, after the answers before it, and never in the middle of one.
  const earlier = answering(socket);
  if (earlier !== undefined && (earlier.req.complete || earlier.headersSent)) {
    const isOfAnother = earlier.req.complete;
    earlier.once('close', () => {
      // After one refusal there is nothing to add.
      if (isOfAnother && earlier.statusCode < 400) refuseHead(error, socket, voiced, requestId, mounts);
      else socket.destroySoon();
    });
    return;
  }
  const { status, body } = voiced(protocolOf(error.rawPacket, mounts), parserFault(error.code), requestId);
  const text = JSON.stringify(body);
  const headers = [
    ...['content-type', 'application/json', 'content-length', String(Buffer.byteLength(text)), 'connection', 'close'],
    ...idHeaders(requestId),
  ];
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
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

// What is asked of every call before it reaches the engine: the type of its body, and no key in its address.

export function checkContentType(headers: RawHeaders, action: HeadAction, protocol: ProtocolName): void {
  const contentType = firstHeader(headers, 'content-type');
  if (isEdit(action)) {
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

export const isEdit = ({ form }: HeadAction): boolean => form === 'edits';

export const keyInQuery = ({ query }: ParsedTarget): boolean => query.has('key') || query.has('api_key');

export const FORGED_LINK: Fault = { kind: 'forbidden', message: 'This link was not made here.', code: 'link_invalid' };
export const DEAD_LINK: Fault = {
  kind: 'unknown-route',
  message: 'This link has expired, or what it led to is no longer kept.',
  code: 'link_expired',
};
