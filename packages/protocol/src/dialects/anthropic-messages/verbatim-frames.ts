/** The events of a messages upstream, read for metering and edited according to the table in `verbatim-answer.ts`. */
import type { Fault } from '../../canonical/fault.ts';
import { tooManyOf } from '../../canonical/gateway-error.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';
import { mergeUsage, type Usage } from '../../canonical/usage.ts';
import type { AnswerContext, Edit, Frame, Reading, TargetFacts, VerbatimFrames } from '../dialect.ts';
import { ENDED_EARLY, FaultyFrame } from '../upstream-answers.ts';
import { MAX_OPEN_BLOCKS, parseEvent, SPLICED, usageOfDelta } from './decode-stream.ts';
import { frameOf } from './encode-stream.ts';
import { tidyFinish } from './finish.ts';
import { unsignedText } from './seals.ts';
import { readEndUsage, readStartUsage } from './usage.ts';
import {
  completeUsage,
  enveloped,
  envelopedCitation,
  envelopesFor,
  headMembers,
  SECOND_CALL,
  type WrapSeal,
} from './verbatim-answer.ts';

const DROP: Reading = { patch: { kind: 'drop' } };

/** Delta types of the blocks that must have one. */
const EMPTY_DELTAS: Readonly<Record<string, JsonObject>> = {
  text: { type: 'text_delta', text: '' },
  tool_use: { type: 'input_json_delta', partial_json: '' },
  server_tool_use: { type: 'input_json_delta', partial_json: '' },
  thinking: { type: 'thinking_delta', thinking: '' },
};

export function verbatimFrames(context: AnswerContext, target: TargetFacts): VerbatimFrames {
  return new MessagesFrames(context, target);
}

type Open = { readonly type: string; readonly index: number; deltas: boolean; signed: boolean };

class MessagesFrames implements VerbatimFrames {
  readonly #context: AnswerContext;
  readonly #envelope: WrapSeal | undefined;
  readonly #open = new Map<number, Open>();
  #next = 0;
  #usage: Usage = {};
  #id = '';
  #startUsage: JsonObject | undefined;
  /** Sent at the start only, and required again at the end. */
  #tier = '';
  #toolCalls = 0;
  #started = false;
  #finished = false;
  #stopped = false;

  constructor(context: AnswerContext, target: TargetFacts) {
    this.#context = context;
    this.#envelope = envelopesFor(target.sealOwner, context.sealing);
  }

  read(frame: Frame): Reading {
    const event = parseEvent(frame);
    if (event === undefined) return DROP;
    if (event instanceof FaultyFrame) return { ...DROP, fault: event.fault };
    const type = stringAt(event, 'type') ?? frame.event ?? '';
    const reading = this.#event(type, event);
    const unnamed = frame.event === undefined || frame.event === '';
    return unnamed && type !== '' ? { ...reading, event: type } : reading;
  }

  end(): { readonly frames: readonly Frame[]; readonly fault?: Fault } {
    if (this.#stopped) return { frames: [] };
    return this.#finished ? { frames: [frameOf({ type: 'message_stop' })] } : { frames: [], fault: ENDED_EARLY };
  }

  #event(type: string, event: JsonObject): Reading {
    switch (type) {
      case 'message_start':
        return this.#messageStart(objectAt(event, 'message') ?? {});
      case 'content_block_start':
        return this.#blockStart(event, objectAt(event, 'content_block') ?? {});
      case 'content_block_delta':
        return this.#blockDelta(event, objectAt(event, 'delta') ?? {});
      case 'content_block_stop':
        return this.#blockStop(event);
      case 'message_delta':
        return this.#messageDelta(event, objectAt(event, 'delta') ?? {});
      case 'message_stop':
        this.#stopped = this.#finished;
        return this.#finished
          ? { patch: { kind: 'pass', edits: onlyMembers(event, ['type']) }, last: true }
          : { patch: { kind: 'drop' }, fault: ENDED_EARLY };
      default:
        return { patch: { kind: 'pass', edits: [] }, quiet: true };
    }
  }

  #messageStart(message: JsonObject): Reading {
    const id = stringAt(message, 'id') ?? '';
    if (this.#started) return id !== '' && this.#id !== '' && id !== this.#id ? { ...DROP, fault: SPLICED } : DROP;
    this.#started = true;
    this.#id = id;
    const given = objectAt(message, 'usage') ?? {};
    const usage = readStartUsage(given);
    this.#usage = usage;
    this.#startUsage = given;
    this.#tier = stringAt(given, 'service_tier') ?? '';
    const value = {
      ...message,
      ...headMembers(this.#context),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...completeUsage(given), output_tokens: 0 },
    };
    return pass([{ name: 'message', value: JSON.stringify(value) }], usage);
  }

  #blockStart(event: JsonObject, block: JsonObject): Reading {
    const given = numberAt(event, 'index') ?? 0;
    const further =
      block['type'] === 'tool_use' && this.#context.responseOptions.oneToolCall === true && this.#toolCalls > 0;
    if (further) return { ...DROP, losses: SECOND_CALL };
    const shown = this.#shown(block);
    if (shown === undefined) return DROP;
    if (this.#open.size >= MAX_OPEN_BLOCKS) throw tooManyOf(MAX_OPEN_BLOCKS, 'blocks side by side');
    const index = this.#next++;
    const type = stringAt(block, 'type') ?? '';
    const initial = stringAt(block, 'signature') ?? '';
    this.#open.set(given, { type, index, deltas: false, signed: initial !== '' });
    const edits: Edit[] = index === given ? [] : [{ name: 'index', value: String(index) }];
    if (shown !== block) edits.push({ name: 'content_block', value: JSON.stringify(shown) });
    const initialLength = textLengthIn(block);
    return initialLength === 0 ? pass(edits) : { ...pass(edits), producedCharacters: initialLength };
  }

  /** Undefined: not sent to the caller. */
  #shown(block: JsonObject): JsonObject | undefined {
    if (block['type'] === 'tool_use') this.#toolCalls++;
    const sealed = this.#envelope === undefined ? block : enveloped(block, this.#envelope);
    if (sealed?.['type'] !== 'thinking') return sealed;
    if (typeof sealed['thinking'] === 'string' && typeof sealed['signature'] === 'string') return sealed;
    return { ...sealed, thinking: sealed['thinking'] ?? '', signature: sealed['signature'] ?? '' };
  }

  #blockDelta(event: JsonObject, delta: JsonObject): Reading {
    const given = numberAt(event, 'index') ?? 0;
    const open = this.#open.get(given);
    // The model produced it, although it is not sent to the caller.
    if (open === undefined) return { ...DROP, producedCharacters: textLengthIn(delta) };
    const edits: Edit[] = open.index === given ? [] : [{ name: 'index', value: String(open.index) }];
    const signature = stringAt(delta, 'signature');
    if (signature !== undefined) return this.#signature(open, delta, signature, edits);
    open.deltas = true;
    const citation = delta['citation'];
    if (citation !== undefined && this.#envelope !== undefined)
      edits.push({
        name: 'delta',
        value: JSON.stringify({ ...delta, citation: envelopedCitation(citation, this.#envelope) }),
      });
    const text = stringAt(delta, 'text') ?? stringAt(delta, 'thinking');
    const plain = text !== undefined && Object.keys(delta).length === 2;
    const length = textLengthIn(delta);
    const quiet = length === 0 && citation === undefined && { quiet: true as const };
    return { ...pass(edits), producedCharacters: length, ...quiet, ...(plain && { hole: { text, copies: 1 } }) };
  }

  /** One signature per block. */
  #signature(open: Open, delta: JsonObject, signature: string, edits: Edit[]): Reading {
    if (open.signed || signature === '') return DROP;
    open.signed = true;
    if (this.#envelope !== undefined)
      edits.push({
        name: 'delta',
        value: JSON.stringify({ ...delta, signature: this.#envelope(signature, 'signature') }),
      });
    const before = open.deltas ? undefined : this.#emptyDelta(open);
    open.deltas = true;
    return { ...pass(edits), ...(before !== undefined && { before: [before] }) };
  }

  #emptyDelta(open: Open): Frame | undefined {
    const delta = EMPTY_DELTAS[open.type];
    return delta === undefined ? undefined : frameOf({ type: 'content_block_delta', index: open.index, delta });
  }

  #blockStop(event: JsonObject): Reading {
    const given = numberAt(event, 'index') ?? 0;
    const open = this.#open.get(given);
    if (open === undefined) return DROP;
    this.#open.delete(given);
    const before: Frame[] = [];
    const empty = open.deltas ? undefined : this.#emptyDelta(open);
    if (empty !== undefined) before.push(empty);
    if (open.type === 'thinking' && !open.signed) {
      const delta = { type: 'signature_delta', signature: unsignedText(this.#context.sealing) };
      before.push(frameOf({ type: 'content_block_delta', index: open.index, delta }));
    }
    const edits = onlyMembers(event, ['type', 'index']);
    if (open.index !== given) edits.push({ name: 'index', value: String(open.index) });
    return { ...pass(edits), ...(before.length > 0 && { before }) };
  }

  #messageDelta(event: JsonObject, delta: JsonObject): Reading {
    const raw = stringAt(delta, 'stop_reason');
    if (raw !== undefined) this.#finished = true;
    const reported = usageOfDelta(event);
    const usage = readEndUsage(reported, this.#startUsage);
    this.#usage = mergeUsage(this.#usage, usage);
    const outer = completeUsage({ ...(this.#tier !== '' && { service_tier: this.#tier }), ...reported }, this.#usage);
    const reason = raw === undefined ? null : tidyFinish(raw, { toolCall: this.#toolCalls > 0 });
    const value = {
      ...delta,
      stop_reason: reason,
      stop_sequence: reason === 'stop_sequence' ? (delta['stop_sequence'] ?? null) : null,
      usage: { output_tokens: outer['output_tokens'] ?? 0 },
    };
    const edits = [
      { name: 'delta', value: JSON.stringify(value) },
      { name: 'usage', value: JSON.stringify(outer) },
    ];
    return pass(edits, Object.keys(usage).length > 0 ? usage : undefined);
  }
}

const pass = (edits: readonly Edit[], usage?: Usage): Reading => ({
  patch: { kind: 'pass', edits },
  ...(usage !== undefined && { usage }),
});

const onlyMembers = (event: JsonObject, names: readonly string[]): Edit[] =>
  Object.keys(event)
    .filter((name) => !names.includes(name))
    .map((name) => ({ name, value: undefined }));

/** Text length of a block's start, or of a delta. */
function textLengthIn(piece: JsonObject): number {
  const text = stringAt(piece, 'text') ?? stringAt(piece, 'thinking') ?? stringAt(piece, 'partial_json');
  if (text !== undefined) return text.length;
  const input = objectAt(piece, 'input');
  return input === undefined || Object.keys(input).length === 0 ? 0 : JSON.stringify(input).length;
}
