/**
 * AWS's binary event stream → the text of server-sent events, so that readers of the answer need to know one framing
 * only. A message is lengths, typed headers, a payload and checksums. The payload is an event that the headers name, or
 * its `bytes` is one in base64.
 */
import { crc32 } from 'node:zlib';
import { GatewayError } from '@trivium/protocol/canonical';
import { GatheredBytes } from '@trivium/protocol/framing';

export const AWS_EVENT_STREAM = 'application/vnd.amazon.eventstream';

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** More than any event of a text answer; a longer message means a broken stream. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const STRING_HEADER = 7;
/** The event whose payload wraps another. */
const CHUNK = 'chunk';
/** Nothing that could end the line it stands in. */
const EVENT_NAME = /^\w{1,64}$/;
/** Bytes of a header's value by its type; two types have none. Only string headers are read. */
const VALUE_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

const broken = (): GatewayError =>
  new GatewayError({ kind: 'upstream-broken', message: 'The upstream provider sent a stream that cannot be read.' });

export class AwsEventStream {
  #held = new GatheredBytes();
  /** Bytes needed before the next step. */
  #wanted = PRELUDE_BYTES;

  /** Returns the events that this piece completes. */
  write(piece: Buffer): string {
    if (this.#held.length === 0 && piece.length >= this.#wanted) return this.#take(piece);
    this.#held.push(piece);
    if (this.#held.length < this.#wanted) return '';
    const { buffer, byteOffset, length } = this.#held.join();
    return this.#take(Buffer.from(buffer, byteOffset, length));
  }

  #take(bytes: Buffer): string {
    let rest = bytes;
    let text = '';
    this.#wanted = PRELUDE_BYTES;
    while (rest.length >= PRELUDE_BYTES) {
      const length = messageLength(rest);
      if (rest.length < length) {
        this.#wanted = length;
        break;
      }
      text += eventText(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    if (rest.length === 0 && this.#held.length === 0) return text;
    this.#held = new GatheredBytes();
    if (rest.length > 0) this.#held.push(rest);
    return text;
  }

  /** An incomplete message is dropped: the reader notices the missing end by itself. */
  end(): string {
    return '';
  }
}

function messageLength(bytes: Buffer): number {
  const length = bytes.readUInt32BE(0);
  const headers = bytes.readUInt32BE(4);
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw broken();
  if (length > MAX_MESSAGE_BYTES || length < PRELUDE_BYTES + headers + CHECKSUM_BYTES) throw broken();
  return length;
}

function eventText(message: Buffer): string {
  const end = message.length - CHECKSUM_BYTES;
  if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end)) throw broken();
  const payloadAt = PRELUDE_BYTES + message.readUInt32BE(4);
  const headers = readHeaders(message.subarray(PRELUDE_BYTES, payloadAt));
  const text = message.toString('utf8', payloadAt, end);
  const name = headers.get(':event-type') ?? CHUNK;
  const isEvent = headers.get(':message-type') === 'event';
  if (isEvent && name !== CHUNK) return EVENT_NAME.test(name) ? `event: ${name}\n${sse(text)}` : '';
  const payload = parse(text);
  if (isEvent) {
    const bytes = textIn(payload, 'bytes');
    return bytes === undefined ? '' : sse(Buffer.from(bytes, 'base64').toString('utf8'));
  }
  const type = headers.get(':exception-type') ?? headers.get(':error-code') ?? 'unknown';
  const reason = textIn(payload, 'message') ?? headers.get(':error-message') ?? '';
  return `event: error\n${sse(JSON.stringify({ type: 'error', error: { type, message: reason } }))}`;
}

/** Readers of lines end them at a carriage return, too; JSON has either only between its tokens. */
const sse = (data: string): string => `data: ${data.replaceAll(/\r?\n|\r/g, '\ndata: ')}\n\n`;

/** Name and value of every string header. */
function readHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    if (nameEnd >= bytes.length) throw broken();
    const type = bytes.readUInt8(nameEnd);
    const fixed = VALUE_BYTES[type];
    const valueAt = nameEnd + 1 + (fixed === undefined ? 2 : 0);
    if (valueAt > bytes.length) throw broken();
    const valueEnd = valueAt + (fixed ?? bytes.readUInt16BE(nameEnd + 1));
    if (valueEnd > bytes.length) throw broken();
    if (type === STRING_HEADER)
      headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', valueAt, valueEnd));
    at = valueEnd;
  }
  return headers;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const textIn = (value: unknown, name: string): string | undefined => {
  const member: unknown =
    typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  return typeof member === 'string' ? member : undefined;
};
