/** What a caller reads in a stream besides the answer: keep-alives and errors. */
import type { Fault } from '@trivium/protocol/canonical';
import type { AnswerContext } from '@trivium/protocol/dialects';
import type { Received } from '../request.ts';

/** Undefined if the format has no keep-alive. */
export function keepAliveText({ dialect, head }: Received, context: AnswerContext): string | undefined {
  if (dialect.operation === 'image') return dialect.server.streaming?.keepAlive;
  return dialect.operation === 'text' && head.asArray !== true ? dialect.server.keepAlive(context) : undefined;
}

/** Whether a stream may be opened before its first content, so that the caller gets keep-alives. */
export const opensEarly = ({ dialect, head }: Received): boolean =>
  dialect.operation === 'text' && head.asArray !== true;

/** The error of a stream in the caller's format; an array is left open after it. */
export function faultText({ dialect, head, id }: Received, fault: Fault, isSound = false): string {
  // An error in words cannot stand among the bytes of a sound: it ends without a proper end.
  if (isSound) return '';
  if (dialect.operation === 'speech' || dialect.operation === 'transcription') return dialect.server.streamFault(fault);
  if (dialect.operation === 'image') return dialect.server.streaming?.streamFault(fault) ?? '';
  if (dialect.operation !== 'text') return '';
  if (head.asArray !== true) return dialect.server.streamFault(fault, id);
  return `,${JSON.stringify(dialect.server.encodeFault(fault, id).body)}`;
}
