/**
 * The older form at hosts that have it as well: the caller's own text goes to them with few edits, and their answers come
 * back with the gateway's id, time and model. What the host charges is read as it passes, else counted.
 */
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { estimateOutputTokens } from '../../passes/estimate-tokens.ts';
import type {
  AnswerContext,
  Edit,
  Frame,
  Reading,
  TargetFacts,
  VerbatimFrames,
  VerbatimLane,
  VerbatimRequest,
} from '../dialect.ts';
import { ENDED_EARLY, FAILED_MIDWAY, FaultyFrame } from '../upstream-answers.ts';
import { broken } from '../upstream-errors.ts';
import { parseChunk, usageOf } from './decode-stream.ts';
import { DONE } from './encode-stream.ts';
import { isFailure } from './finish.ts';
import { type ChatQuirks, quirksOf } from './quirks.ts';
import { readUsage, withCost } from './usage.ts';

/** Members that mean something else in chat requests, or are not there. */
const OTHERWISE_IN_CHAT: ReadonlySet<string> = new Set(['messages', 'logprobs', 'top_logprobs']);
/** May be lowered, and has no other name here. */
const CAP = 'max_tokens';
/** Added where the caller has none. */
const ADDED: ReadonlySet<string> = new Set(['model', 'stream_options']);

/** Of the edits to the same request as chat, those that a prompt needs as well. */
export function nativeRequest(asChat: VerbatimRequest, body: JsonObject): VerbatimRequest {
  if ('why' in asChat) return asChat;
  const edits = asChat.edits.filter(
    ({ name, ...edit }) =>
      'value' in edit &&
      !OTHERWISE_IN_CHAT.has(name) &&
      !(name === CAP && edit.value === undefined) &&
      (ADDED.has(name) || Object.hasOwn(body, name)),
  );
  return { ...asChat, edits };
}

/** What both answers and chunks are called. */
export type CompletionHead = (context: AnswerContext) => JsonObject;

const editsOf = (head: JsonObject): Edit[] =>
  Object.entries(head).map(([name, value]) => ({ name, value: JSON.stringify(value) }));

export const nativeLane = (headOf: CompletionHead): VerbatimLane => ({
  answer: (body, context, target) => readAnswer(body, headOf(context), context, quirksOf(target)),
  frames: (context, target) => new NativeFrames(headOf(context), context, target),
});

const textIn = (choice: Json | undefined): string | undefined =>
  isJsonObject(choice) ? stringAt(choice, 'text') : undefined;

function readAnswer(body: Json, head: JsonObject, context: AnswerContext, quirks: ChatQuirks): Reading {
  const wire = isJsonObject(body) ? body : {};
  const text = textIn(arrayAt(wire, 'choices')[0]);
  if (text === undefined) throw broken('The upstream provider sent an answer without a text.');
  const edits = editsOf(head);
  const told = objectAt(wire, 'usage');
  const usage = told === undefined ? {} : readUsage(told, quirks);
  if (told === undefined || usage.completion === undefined) {
    const completion = estimateOutputTokens({ producedCharacters: text.length, producedPieces: 1 });
    return { patch: { kind: 'pass', edits }, usage: { ...usage, completion }, usageEstimated: true };
  }
  const shown = withCost(told, usage, context);
  if (shown !== told) edits.push({ name: 'usage', value: JSON.stringify(shown) });
  return { patch: { kind: 'pass', edits }, usage };
}

const DROP: Reading = { patch: { kind: 'drop' } };

class NativeFrames implements VerbatimFrames {
  readonly #head: JsonObject;
  readonly #edits: readonly Edit[];
  readonly #context: AnswerContext;
  readonly #quirks: ChatQuirks;
  #ended = false;
  #usage: JsonObject | undefined;

  constructor(head: JsonObject, context: AnswerContext, target: TargetFacts) {
    this.#head = head;
    this.#edits = editsOf(head);
    this.#context = context;
    this.#quirks = quirksOf(target);
  }

  read({ data }: Frame): Reading {
    if (data === '[DONE]') return { ...DROP, last: true };
    const chunk = parseChunk(data);
    if (chunk === undefined) return DROP;
    if (chunk instanceof FaultyFrame) return { ...DROP, fault: chunk.fault };
    const choice = arrayAt(chunk, 'choices')[0];
    const told = usageOf(chunk, isJsonObject(choice) ? choice : undefined, this.#quirks);
    this.#usage = told ?? this.#usage;
    const usage = told && { usage: readUsage(told, this.#quirks) };
    if (!isJsonObject(choice)) return { ...DROP, ...usage };
    const finish = stringAt(choice, 'finish_reason');
    if (finish !== undefined && isFailure(finish)) return { ...DROP, ...usage, fault: FAILED_MIDWAY };
    if (finish !== undefined && finish !== '') this.#ended = true;
    const text = textIn(choice) ?? '';
    const edits = isJsonObject(chunk['usage']) ? [...this.#edits, { name: 'usage', value: undefined }] : this.#edits;
    return { patch: { kind: 'pass', edits }, producedCharacters: text.length, ...usage };
  }

  end(): ReturnType<VerbatimFrames['end']> {
    if (!this.#ended) return { frames: [], fault: ENDED_EARLY };
    if (!this.#context.responseOptions.usageInStream || this.#usage === undefined) return { frames: [DONE] };
    const usage = withCost(this.#usage, readUsage(this.#usage, this.#quirks), this.#context);
    return { frames: [{ data: JSON.stringify({ ...this.#head, choices: [], usage }) }, DONE] };
  }
}
