// Frames to text: server-sent events, plain or in the legal but rare forms that parsers get wrong, a JSON array, or a
// cloud's binary messages.
import { awsEvent, namedAwsEvent } from '../cloud/aws-events.ts';
import type { Framing, StreamFrame } from '../wire.ts';
import type { FaultName } from './fault-names.ts';

export interface Framer {
  readonly text: (frame: StreamFrame) => string | Buffer;
  /** What closes the body after the last frame. */
  readonly end: string;
}

export function makeFramer(framing: Framing, faults: readonly FaultName[]): Framer {
  if (framing === 'aws-events') return { text: awsEvent, end: '' };
  if (framing === 'aws-named-events') return { text: namedAwsEvent, end: '' };
  if (framing === 'events') return { text: (frame) => frameText(frame, faults), end: '' };
  const lineEnd = faults.includes('crlf') ? '\r\n' : '\n';
  let isFirst = true;
  const text = (frame: StreamFrame) => {
    const lead = isFirst ? '[' : `,${lineEnd}`;
    isFirst = false;
    return `${lead}${faults.includes('multi-line') ? jsonLines(frame.data).join(lineEnd) : frame.data}`;
  };
  return { text, end: `${lineEnd}]` };
}

function frameText(frame: StreamFrame, faults: readonly FaultName[]): string {
  const lineEnd = faults.includes('crlf') ? '\r\n' : '\n';
  const comment = faults.includes('comments') ? `: keep-alive${lineEnd}${lineEnd}` : '';
  const event = frame.event === undefined ? '' : `event: ${frame.event}${lineEnd}`;
  const lines = faults.includes('multi-line') ? jsonLines(frame.data) : [frame.data];
  return `${comment}${event}${lines.map((line) => `data: ${line}${lineEnd}`).join('')}${lineEnd}`;
}

/** Line breaks are only allowed between the tokens of JSON, so the value is printed again with indentation. */
function jsonLines(data: string): readonly string[] {
  if (!data.startsWith('{')) return [data];
  try {
    return JSON.stringify(JSON.parse(data), undefined, 1).split('\n');
  } catch {
    return [data];
  }
}
