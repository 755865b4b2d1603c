/** Maps finish reasons between this dialect, with and without their prefix, and the canonical form. */
import type { Finish, FinishReason } from '../../canonical/events.ts';
import { type JsonObject, stringAt } from '../../canonical/json.ts';
import type { ResponseOptions } from '../dialect.ts';

const PREFIX = 'FINISH_REASON_';
const UNSPECIFIED = 'FINISH_REASON_UNSPECIFIED';

const READ: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries<FinishReason>({
    STOP: 'stop',
    MAX_TOKENS: 'length',
    SAFETY: 'filter',
    BLOCKLIST: 'filter',
    PROHIBITED_CONTENT: 'filter',
    SPII: 'filter',
    MODEL_ARMOR: 'filter',
    IMAGE_SAFETY: 'filter',
    IMAGE_PROHIBITED_CONTENT: 'filter',
    RECITATION: 'recitation',
    IMAGE_RECITATION: 'recitation',
    CONTINUATION: 'pause',
    MALFORMED_FUNCTION_CALL: 'bad-tool-call',
    UNEXPECTED_TOOL_CALL: 'bad-tool-call',
    TOO_MANY_TOOL_CALLS: 'bad-tool-call',
    NO_IMAGE: 'no-image',
    IMAGE_OTHER: 'no-image',
    LANGUAGE: 'other',
    OTHER: 'other',
    [UNSPECIFIED]: 'other',
  }),
);

/** Host-specific values that callers do not know: they get the common value for the same reason. */
const HOST_WORDS: ReadonlySet<string> = new Set(['MODEL_ARMOR']);

const WRITE: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  length: 'MAX_TOKENS',
  'context-full': 'MAX_TOKENS',
  'tool-call': 'STOP',
  filter: 'SAFETY',
  refusal: 'SAFETY',
  recitation: 'RECITATION',
  pause: 'OTHER',
  'bad-tool-call': 'MALFORMED_FUNCTION_CALL',
  'no-image': 'NO_IMAGE',
  other: 'OTHER',
};

const MESSAGES: Readonly<Record<FinishReason, string>> = {
  stop: 'The answer is complete.',
  'stop-sequence': 'A stop sequence was reached.',
  length: 'The limit of output tokens was reached.',
  'context-full': 'The context window is full.',
  'tool-call': 'The answer is complete.',
  filter: 'The answer was blocked by a safety filter.',
  refusal: 'The model refused to answer.',
  recitation: 'The answer was stopped because it recited known text.',
  pause: 'The model paused before its answer was complete.',
  'bad-tool-call': 'The model made a function call that cannot be read.',
  'no-image': 'The model was to make an image and made none.',
  other: 'The answer ended for another reason.',
};

const bare = (word: string): string =>
  word.startsWith(PREFIX) && word !== UNSPECIFIED ? word.slice(PREFIX.length) : word;

/**
 * Does this value end the answer? In a complete answer every non-empty value does; in a stream an unspecified one does
 * not, because some servers send it with every chunk.
 */
export const isEnd = (raw: string | undefined, isWhole = false): raw is string =>
  raw !== undefined && raw !== '' && (isWhole || bare(raw) !== UNSPECIFIED);

/** Does this chunk end the candidate? */
export const hasEnded = (candidate: JsonObject): boolean => isEnd(stringAt(candidate, 'finishReason'));

/** This dialect also sends STOP after function calls; a truncated or filtered answer keeps its reason. */
export function readFinish(raw: string, sawToolCall: boolean): FinishReason {
  const reason = READ.get(bare(raw)) ?? 'other';
  return reason === 'stop' && sawToolCall ? 'tool-call' : reason;
}

/** The finish reason for a caller. A more specific value of this dialect is kept, an unknown one becomes OTHER. */
export function writeFinish(finish: Finish, responseOptions: ResponseOptions): string {
  const own = bare(finish.raw ?? '');
  const kept =
    (READ.get(own) === finish.reason && !HOST_WORDS.has(own)) || (READ.has(own) && own === WRITE[finish.reason]);
  return spell(kept ? own : WRITE[finish.reason], responseOptions);
}

/** An upstream's value in the caller's spelling. */
export function respell(raw: string, responseOptions: ResponseOptions): string {
  const own = bare(raw);
  return spell(READ.has(own) && !HOST_WORDS.has(own) ? own : WRITE[READ.get(own) ?? 'other'], responseOptions);
}

const spell = (word: string, { bareEnums }: ResponseOptions): string =>
  bareEnums === true || word === UNSPECIFIED ? word : `${PREFIX}${word}`;

export const finishMessage = ({ reason, message }: Finish): string =>
  message === undefined || message === '' ? MESSAGES[reason] : message;
