/** The chunks of a chat upstream, read for metering and edited according to the table in `verbatim-answer.ts`. */
import type { Fault } from '../../canonical/fault.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { AnswerContext, Edit, Frame, Reading, TargetFacts, VerbatimFrames } from '../dialect.ts';
import { ENDED_EARLY, FAILED_MIDWAY, FaultyFrame } from '../upstream-answers.ts';
import { parseChunk, usageOf } from './decode-stream.ts';
import { chatId } from './encode-answer.ts';
import { DONE } from './encode-stream.ts';
import { impliedFinish, isFailure } from './finish.ts';
import { type ChatQuirks, quirksOf } from './quirks.ts';
import { readUsage, withCost } from './usage.ts';
import { headEdits, tidyFinish, tidyReasoning, unaskedLogprobs, withTextContent } from './verbatim-answer.ts';
import { VerbatimCalls } from './verbatim-calls.ts';

const DROP: Reading = { patch: { kind: 'drop' } };

export function verbatimFrames(context: AnswerContext, target: TargetFacts): VerbatimFrames {
  return new ChatFrames(context, quirksOf(target));
}

class ChatFrames implements VerbatimFrames {
  readonly #context: AnswerContext;
  readonly #quirks: ChatQuirks;
  readonly #head: readonly Edit[];
  readonly #calls = new VerbatimCalls();
  #started = false;
  #finished = false;
  #done = false;
  #usage: JsonObject | undefined;

  constructor(context: AnswerContext, quirks: ChatQuirks) {
    this.#context = context;
    this.#quirks = quirks;
    this.#head = headEdits(context, 'chat.completion.chunk');
  }

  read(frame: Frame): Reading {
    if (frame.data === '[DONE]') this.#done = true;
    const chunk = parseChunk(frame.data);
    if (chunk === undefined) return frame.data === '[DONE]' ? { ...DROP, last: true } : DROP;
    if (chunk instanceof FaultyFrame) return { ...DROP, ...this.#usageIn(chunk.wire), fault: chunk.fault };
    const choice = arrayAt(chunk, 'choices')[0];
    const usage = this.#usageIn(chunk, isJsonObject(choice) ? choice : undefined);
    return isJsonObject(choice) ? { ...this.#choice(chunk, choice), ...usage } : { ...DROP, ...usage };
  }

  end(): { readonly frames: readonly Frame[]; readonly fault?: Fault } {
    if (!this.#finished && !(this.#done && this.#started)) return { frames: [], fault: ENDED_EARLY };
    const finish = this.#finished ? [] : [this.#impliedFinish()];
    if (!this.#context.responseOptions.usageInStream || this.#usage === undefined) return { frames: [...finish, DONE] };
    const { requestId, createdAtSeconds, model } = this.#context;
    const usageChunk = {
      id: chatId(requestId),
      object: 'chat.completion.chunk',
      created: createdAtSeconds,
      model,
      choices: [],
      usage: withCost(this.#usage, readUsage(this.#usage, this.#quirks), this.#context),
    };
    return { frames: [...finish, { data: JSON.stringify(usageChunk) }, DONE] };
  }

  #usageIn(chunk: JsonObject | undefined, choice?: JsonObject): Pick<Reading, 'usage'> {
    const wire = chunk === undefined ? undefined : usageOf(chunk, choice, this.#quirks);
    if (wire === undefined) return {};
    this.#usage = wire;
    return { usage: readUsage(wire, this.#quirks) };
  }

  /** The host sent the end marker without a finish reason. */
  #impliedFinish(): Frame {
    const { requestId, createdAtSeconds: created, model } = this.#context;
    const finish_reason = impliedFinish(this.#calls.seen);
    const choices = [{ index: 0, delta: {}, logprobs: null, finish_reason }];
    return {
      data: JSON.stringify({ id: chatId(requestId), object: 'chat.completion.chunk', created, model, choices }),
    };
  }

  #choice(chunk: JsonObject, choice: JsonObject): Reading {
    const delta = objectAt(choice, 'delta') ?? {};
    const raw = stringAt(choice, 'finish_reason');
    if (raw !== undefined && isFailure(raw)) return { ...DROP, fault: FAILED_MIDWAY };
    const text = withTextContent(tidyReasoning(delta, this.#context, this.#quirks));
    const tidied = this.#calls.tidy(this.#first(text));
    const finish = raw === undefined || raw === '' ? null : this.#finish(raw);
    const hidden = tidied !== delta && Object.keys(tidied).length === 0 && typeof finish !== 'string';
    if (hidden) return { ...DROP, producedCharacters: producedIn(delta) };
    const edits: Edit[] = [...this.#head];
    if (chunk['usage'] !== undefined && chunk['usage'] !== null) edits.push({ name: 'usage', value: undefined });
    if (
      tidied !== delta ||
      finish !== choice['finish_reason'] ||
      choice['index'] !== 0 ||
      choice['usage'] !== undefined ||
      unaskedLogprobs(choice, this.#context)
    ) {
      const { usage: _, ...rest } = unaskedLogprobs(choice, this.#context) ? { ...choice, logprobs: null } : choice;
      edits.push({
        name: 'choices',
        value: JSON.stringify([{ ...rest, index: 0, delta: tidied, finish_reason: finish }]),
      });
    }
    // Only a role, and members without a value.
    const quiet = typeof finish !== 'string' &&
      Object.entries(delta).every(([name, value]) => name === 'role' || value === '' || value === null) && {
        quiet: true as const,
      };
    return {
      patch: { kind: 'pass', edits },
      producedCharacters: producedIn(text),
      ...quiet,
      ...holeOf(tidied, finish),
    };
  }

  #first(delta: JsonObject): JsonObject {
    if (this.#started) return delta;
    this.#started = true;
    return delta['role'] === 'assistant' ? delta : { role: 'assistant', ...delta };
  }

  /** Only the first finish reason counts; some servers repeat it with the usage. */
  #finish(raw: string): string | null {
    if (this.#finished) return null;
    this.#finished = true;
    return tidyFinish(raw, this.#calls.seen);
  }
}

function producedIn(delta: JsonObject): number {
  let characters =
    (stringAt(delta, 'content') ?? stringAt(delta, 'refusal') ?? '').length +
    (stringAt(delta, 'reasoning_content') ?? stringAt(delta, 'reasoning') ?? '').length;
  for (const call of arrayAt(delta, 'tool_calls'))
    if (isJsonObject(call))
      characters += (
        stringAt(objectAt(call, 'function'), 'arguments') ??
        stringAt(objectAt(call, 'custom'), 'input') ??
        ''
      ).length;
  return characters;
}

/** A chunk with only a piece of text can be recognised by everything around that text. */
function holeOf(delta: JsonObject, finish: unknown): Pick<Reading, 'hole'> {
  if (typeof finish === 'string') return {};
  const names = Object.keys(delta);
  const text = delta['content'];
  if (names.length === 1 && typeof text === 'string') return { hole: { text, copies: 1 } };
  const reasoning = delta['reasoning'];
  if (names.length === 2 && typeof reasoning === 'string' && delta['reasoning_content'] === reasoning)
    return { hole: { text: reasoning, copies: 2 } };
  return {};
}
