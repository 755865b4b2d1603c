/** Maps finish reasons between this dialect and the canonical form. */
import type { FinishReason } from '../../canonical/events.ts';

const READ: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  end: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  length: 'length',
  max_tokens: 'length',
  // A host whose model ran out of context says so; others call this `length`, too.
  model_length: 'context-full',
  tool_calls: 'tool-call',
  function_call: 'tool-call',
  content_filter: 'filter',
  sensitive: 'filter',
};

const WRITE: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  'context-full': 'length',
  'tool-call': 'tool_calls',
  filter: 'content_filter',
  refusal: 'content_filter',
  recitation: 'content_filter',
  pause: 'length',
  'bad-tool-call': 'stop',
  'no-image': 'content_filter',
  other: 'stop',
};

/** Finish reasons that have only a less specific equivalent here. */
export const UNFIT: ReadonlySet<FinishReason> = new Set(['other', 'pause']);

/** Finish reasons with which an upstream reports a failure. */
const FAILURES: ReadonlySet<string> = new Set(['error', 'network_error', 'insufficient_system_resource']);

export const isFailure = (raw: string): boolean => FAILURES.has(raw);

/**
 * Some servers send `stop` after tool calls; only `stop` is corrected, a truncated or filtered answer keeps its reason.
 */
export function readFinish(raw: string, sawToolCall: boolean): FinishReason {
  const reason = READ[raw] ?? 'other';
  return reason === 'stop' && sawToolCall ? 'tool-call' : reason;
}

/** The finish reason of an answer that ended without one. */
export const impliedFinish = (sawToolCall: boolean): string => (sawToolCall ? 'tool_calls' : 'stop');

/** A refusal in words is a complete answer, which clients read from `refusal`; one without words was filtered. */
export const writeFinish = (reason: FinishReason, sawRefusal: boolean): string =>
  reason === 'refusal' && sawRefusal ? WRITE.stop : WRITE[reason];
