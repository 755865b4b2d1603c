/**
 * The events of a Responses upstream, read for metering and edited according to the table in `verbatim-answer.ts`. They
 * do not use frame templates: each has its own `sequence_number`, so no two of them differ only in their text.
 */
import type { Fault } from '../../canonical/fault.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { AnswerContext, Edit, Frame, Reading, TargetFacts, VerbatimFrames } from '../dialect.ts';
import { ENDED_EARLY, FaultyFrame } from '../upstream-answers.ts';
import { isSearch, usageOf } from './decode-answer.ts';
import { parseEvent } from './decode-stream.ts';
import { OneCall, SECOND_CALL } from './one-call.ts';
import { envelopeFor, ownMembers, type WrapItemSeal } from './verbatim-answer.ts';

const DROP: Reading = { patch: { kind: 'drop' } };

export const verbatimFrames = (context: AnswerContext, target: TargetFacts): VerbatimFrames =>
  new ResponseFrames(context, target);

class ResponseFrames implements VerbatimFrames {
  readonly #context: AnswerContext;
  readonly #target: TargetFacts;
  readonly #envelope: WrapItemSeal | undefined;
  readonly #oneCall: OneCall | undefined;
  #finished = false;
  #produced = 0;
  #searches = 0;

  constructor(context: AnswerContext, target: TargetFacts) {
    this.#context = context;
    this.#target = target;
    this.#envelope = envelopeFor(target.sealOwner, context.sealing);
    this.#oneCall = context.responseOptions.oneToolCall === true ? new OneCall() : undefined;
  }

  read(frame: Frame): Reading {
    if (this.#finished) return DROP;
    const event = parseEvent(frame);
    if (event === undefined) return DROP;
    if (event instanceof FaultyFrame) {
      const usage = usageOf(objectAt(event.wire, 'response') ?? {}, this.#target);
      return { ...DROP, ...(Object.keys(usage).length > 0 && { usage }), fault: event.fault };
    }
    const type = stringAt(event, 'type') ?? frame.event ?? '';
    const moved = this.#oneCall === undefined ? [] : this.#oneCall.edits(event);
    // The model produced it, although it is not sent to the caller.
    if (moved === undefined) return { ...DROP, losses: SECOND_CALL, ...this.#produce(stringAt(event, 'delta')) };
    const reading = withEdits(this.#event(type, event), moved);
    return frame.event === undefined || frame.event === '' ? { ...reading, event: type } : reading;
  }

  end(): { readonly frames: readonly Frame[]; readonly fault?: Fault } {
    return this.#finished ? { frames: [] } : { frames: [], fault: ENDED_EARLY };
  }

  #event(type: string, event: JsonObject): Reading {
    const response = objectAt(event, 'response');
    if (response !== undefined) return this.#lifecycle(type, response);
    const item = objectAt(event, 'item');
    if (type === 'response.output_item.done' && item !== undefined && isSearch(item)) this.#searches++;
    if (item !== undefined && this.#envelope !== undefined) {
      const shown = this.#envelope(item);
      return pass(shown === item ? [] : [{ name: 'item', value: JSON.stringify(shown) }]);
    }
    const delta = stringAt(event, 'delta');
    if (delta === undefined) return CONTENT.some((name) => event[name] !== undefined) ? pass([]) : QUIET;
    return delta === '' ? QUIET : { ...pass([]), ...this.#produce(delta) };
  }

  #produce(delta: string | undefined): Pick<Reading, 'producedCharacters'> {
    if (delta === undefined) return {};
    this.#produced += delta.length;
    return { producedCharacters: delta.length };
  }

  /** Items that arrived whole, without deltas. */
  #unstreamed(response: JsonObject): Pick<Reading, 'producedCharacters'> {
    const missing = textLengthIn(response) - this.#produced;
    return missing > 0 ? { producedCharacters: missing } : {};
  }

  #lifecycle(type: string, response: JsonObject): Reading {
    const shown = { ...response, ...ownMembers(response, this.#context, this.#envelope) };
    const reading = pass([{ name: 'response', value: JSON.stringify(shown) }]);
    if (type !== 'response.completed' && type !== 'response.incomplete') return { ...reading, quiet: true };
    this.#finished = true;
    const usage = usageOf(response, this.#target, this.#searches);
    return { ...reading, last: true, ...this.#unstreamed(response), ...(Object.keys(usage).length > 0 && { usage }) };
  }
}

/** Members of events that carry a piece of the answer. */
const CONTENT = ['item', 'part', 'annotation', 'text', 'arguments', 'input', 'refusal', 'partial_image_b64', 'code'];

const withEdits = (reading: Reading, edits: readonly Edit[]): Reading =>
  edits.length === 0 || reading.patch.kind !== 'pass'
    ? reading
    : { ...reading, patch: { kind: 'pass', edits: [...reading.patch.edits, ...edits] } };

const pass = (edits: readonly Edit[]): Reading => ({ patch: { kind: 'pass', edits } });

const QUIET: Reading = { patch: { kind: 'pass', edits: [] }, quiet: true };

/** Of all items of a response: text, refusals, and tool arguments. */
function textLengthIn(response: JsonObject): number {
  let characters = 0;
  for (const item of arrayAt(response, 'output')) {
    if (!isJsonObject(item)) continue;
    characters += (stringAt(item, 'arguments') ?? stringAt(item, 'input') ?? '').length;
    for (const part of arrayAt(item, 'content'))
      if (isJsonObject(part)) characters += (stringAt(part, 'text') ?? stringAt(part, 'refusal') ?? '').length;
  }
  return characters;
}
