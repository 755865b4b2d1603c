// AWS's binary event stream: each frame a message with lengths, headers, the event in base64 and checksums.
import { crc32 } from 'node:zlib';
import type { StreamFrame } from '../wire.ts';

export const AWS_EVENT_STREAM = 'application/vnd.amazon.eventstream';

const STRING = 7;
const PADDING = 'abcdefghijklmnopqrstuvwxyz';

function header(name: string, value: string): Buffer {
  const bytes = Buffer.alloc(1 + name.length + 3 + Buffer.byteLength(value));
  bytes.writeUInt8(name.length, 0);
  bytes.write(name, 1);
  bytes.writeUInt8(STRING, 1 + name.length);
  bytes.writeUInt16BE(Buffer.byteLength(value), 2 + name.length);
  bytes.write(value, 4 + name.length);
  return bytes;
}

function encodeMessage(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const message = Buffer.alloc(12 + head.length + body.length + 4);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(head.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  head.copy(message, 12);
  body.copy(message, 12 + head.length);
  message.writeUInt32BE(crc32(message.subarray(0, message.length - 4)), message.length - 4);
  return message;
}

/** Events are in `bytes`, next to padding of varying length; an error is a message of another type. */
export function awsEvent(frame: StreamFrame): Buffer {
  const p = PADDING.slice(0, 1 + (frame.data.length % PADDING.length));
  const chunk = {
    ...frame,
    event: 'chunk',
    data: JSON.stringify({ bytes: Buffer.from(frame.data).toString('base64'), p }),
  };
  const slow = { message: 'Too many tokens, please wait before trying again.' };
  return namedAwsEvent(
    frame.kind === 'error' ? { ...frame, event: 'throttlingException', data: JSON.stringify(slow) } : chunk,
  );
}

/** Events whose data is the payload, under a name of their own. */
export function namedAwsEvent({ kind, event = '', data, isCorrupt }: StreamFrame): Buffer {
  const isError = kind === 'error';
  const message = encodeMessage(
    {
      [isError ? ':exception-type' : ':event-type']: event,
      ':content-type': 'application/json',
      ':message-type': isError ? 'exception' : 'event',
    },
    data,
  );
  if (isCorrupt === true) message.writeUInt8(message.readUInt8(message.length - 1) ^ 1, message.length - 1);
  return message;
}
