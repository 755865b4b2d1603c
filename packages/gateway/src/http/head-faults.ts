/** Heads we do not take: those node's parser refused before we saw them, and those it let through. */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Fault, ProtocolName } from '@trivium/protocol/canonical';
import type { EncodedFault } from '@trivium/protocol/dialects';
import { idHeaders } from '../exchange/reply-headers.ts';
import type { RawHeaders } from '../kernel/caller-port.ts';
import { firstHeader, openProtocol } from './headers.ts';
import { answering } from './listener.ts';
import { type Mounts, protocolOfText } from './route-table.ts';

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
