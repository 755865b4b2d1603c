/** Events of a messages upstream → canonical events, one for one. Unknown events and pings are ignored. */
import type { Event, OpenBlock } from '../../canonical/events.ts';
import type { Fault } from '../../canonical/fault.ts';
import { tooManyOf } from '../../canonical/gateway-error.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { EMIT_TOOL } from '../../passes/bind-output.ts';
import { type Machine, NO_LOSSES } from '../../stream/machine.ts';
import type { Frame, TargetFacts } from '../dialect.ts';
import { ENDED_EARLY, FaultyFrame, LOST_CITATIONS, readObject } from '../upstream-answers.ts';
import { type IndexReader, readCitation } from './citations.ts';
import { upstreamReading } from './decode-answer.ts';
import { type BlockReading, resultOf } from './decode-blocks.ts';
import { faultInside } from './faults.ts';
import { readFinish } from './finish.ts';
import { readEndUsage, readStartUsage } from './usage.ts';

/** The event in a frame; undefined for records without content. */
export const parseEvent = ({ data, event }: Frame): JsonObject | FaultyFrame | undefined =>
  readObject(data, (object) => faultInside(event === 'error' ? { ...object, type: 'error' } : object));

export const usageOfDelta = (event: JsonObject): JsonObject => ({
  ...objectAt(objectAt(event, 'delta'), 'usage'),
  ...objectAt(event, 'usage'),
});

/** More parallel blocks, and more data of an unknown block, than any model sends: bounds against a hostile stream. */
export const MAX_OPEN_BLOCKS = 512;
const MAX_UNKNOWN_CHARACTERS = 1_000_000;

export const SPLICED: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider began another answer in the middle of its stream.',
};

export function eventDecoder(target: TargetFacts): Machine<Frame, Event> {
  return new MessagesDecoder(target);
}

/** `held`: an unknown block, buffered until it is complete. */
type Open = {
  readonly index: number;
  readonly kind: OpenBlock['kind'];
  seal?: string;
  held?: JsonObject;
  heldLength?: number;
  input?: string;
};

class MessagesDecoder implements Machine<Frame, Event> {
  readonly #reading: BlockReading;
  readonly #open = new Map<number, Open>();
  /** Calls of server tools, by id, until their result arrives or a block of another type starts. */
  readonly #serverTools = new Map<string, number>();
  #next = 0;
  #started = false;
  #id = '';
  #startUsage: JsonObject | undefined;
  #over = false;
  #toolCall = false;
  #emitted = false;
  /** It contained a citation that cannot be emitted. */
  #unread = false;
  #finish: { readonly raw: string; readonly stopMatched?: string } | undefined;

  constructor(target: TargetFacts) {
    this.#reading = upstreamReading(target.sealOwner);
  }

  push(frame: Frame): readonly Event[] {
    const out: Event[] = [];
    if (this.#over) return out;
    const event = parseEvent(frame);
    if (event === undefined) return out;
    if (event instanceof FaultyFrame) return this.#fail(event.fault, out);
    switch (event['type'] ?? frame.event) {
      case 'message_start': {
        const message = objectAt(event, 'message') ?? {};
        if (this.#isAnother(message)) return this.#fail(SPLICED, out);
        this.#start(message, out);
        break;
      }
      case 'content_block_start':
        this.#start({}, out);
        this.#blockStart(numberAt(event, 'index') ?? 0, objectAt(event, 'content_block') ?? {}, out);
        break;
      case 'content_block_delta':
        this.#delta(numberAt(event, 'index') ?? 0, objectAt(event, 'delta') ?? {}, out);
        break;
      case 'content_block_stop':
        this.#blockStop(numberAt(event, 'index') ?? 0, out);
        break;
      case 'message_delta':
        this.#start({}, out);
        this.#messageDelta(event, out);
        break;
      case 'message_stop':
        this.#close(out);
        break;
    }
    return out;
  }

  end(): readonly Event[] {
    const out: Event[] = [];
    if (!this.#over) this.#close(out);
    return out;
  }

  losses(): readonly Loss[] {
    return this.#unread ? LOST_CITATIONS : NO_LOSSES;
  }

  /** A second start with another id: later events cannot be assigned to one answer. */
  #isAnother(message: JsonObject): boolean {
    const id = stringAt(message, 'id');
    return this.#started && id !== undefined && this.#id !== '' && id !== this.#id;
  }

  #start(message: JsonObject, out: Event[]): void {
    if (this.#started) return;
    this.#started = true;
    this.#id = stringAt(message, 'id') ?? '';
    out.push({ type: 'answer-start', id: stringAt(message, 'id') ?? '', model: stringAt(message, 'model') ?? '' });
    const usage = objectAt(message, 'usage');
    this.#startUsage = usage;
    if (usage !== undefined) out.push({ type: 'usage-update', usage: readStartUsage(usage) });
  }

  #blockStart(wireIndex: number, wire: JsonObject, out: Event[]): void {
    if (this.#open.has(wireIndex)) return;
    if (this.#open.size >= MAX_OPEN_BLOCKS) throw tooManyOf(MAX_OPEN_BLOCKS, 'blocks side by side');
    const callId = stringAt(wire, 'tool_use_id');
    const waiting = callId === undefined ? undefined : this.#serverTools.get(callId);
    if (callId !== undefined && waiting !== undefined) {
      this.#serverTools.delete(callId);
      const { result, extras } = resultOf(wire, this.#reading);
      out.push({ type: 'block-note', index: waiting, note: { result, extras } }, { type: 'block-end', index: waiting });
      return;
    }
    if (wire['type'] !== 'server_tool_use') this.#endServerTools(out);
    const block = openBlock(wire, this.#reading);
    if (block === undefined) {
      this.#open.set(wireIndex, { index: -1, kind: 'foreign', held: wire });
      return;
    }
    const index = this.#next++;
    this.#open.set(wireIndex, { index, kind: block.kind });
    out.push({ type: 'block-start', index, candidate: 0, block });
    if (block.kind === 'tool-call') this.#toolCall = true;
    if (block.kind === 'text' && wire['type'] === 'tool_use') this.#emitted = true;
    if (block.kind === 'server-tool') {
      if (this.#serverTools.size >= MAX_OPEN_BLOCKS) throw tooManyOf(MAX_OPEN_BLOCKS, 'calls of its own tools at once');
      this.#serverTools.set(block.id, index);
    }
    const given = stringAt(wire, 'text') ?? stringAt(wire, 'thinking') ?? '';
    if (given !== '') out.push({ type: 'block-delta', index, text: given });
    if (block.kind === 'text') for (const citation of arrayAt(wire, 'citations')) this.#cite(index, citation, out);
    const signature = stringAt(wire, 'signature');
    if (signature !== undefined && signature !== '') this.#seal(wireIndex, signature);
    const input = objectAt(wire, 'input');
    if (input !== undefined && Object.keys(input).length > 0)
      out.push({ type: 'block-delta', index, text: JSON.stringify(input) });
  }

  #delta(wireIndex: number, delta: JsonObject, out: Event[]): void {
    const open = this.#open.get(wireIndex);
    if (open === undefined) return;
    if (open.held !== undefined) {
      this.#hold(open, open.held, delta);
      return;
    }
    const text = stringAt(delta, 'text') ?? stringAt(delta, 'thinking') ?? stringAt(delta, 'partial_json') ?? '';
    if (text !== '') out.push({ type: 'block-delta', index: open.index, text });
    const signature = stringAt(delta, 'signature');
    if (signature !== undefined && signature !== '') this.#seal(wireIndex, signature);
    const citation = delta['citation'];
    if (citation !== undefined && citation !== null) this.#cite(open.index, citation, out);
  }

  #cite(index: number, wire: Json, out: Event[]): void {
    const read: IndexReader = (encrypted) => this.#reading.seal(encrypted, 'cite');
    const citation = isJsonObject(wire) ? readCitation(wire, read) : undefined;
    if (citation === undefined) this.#unread = true;
    else out.push({ type: 'block-note', index, note: { citation } });
  }

  /** The last one counts, and is emitted when the block ends: nothing may follow a seal. */
  #seal(wireIndex: number, signature: string): void {
    const open = this.#open.get(wireIndex);
    if (open !== undefined) open.seal = signature;
  }

  #hold(open: Open, held: JsonObject, delta: JsonObject): void {
    const { type: _, partial_json: piece, ...texts } = delta;
    const added = { ...held };
    for (const [name, text] of Object.entries(texts))
      if (typeof text === 'string') added[name] = (stringAt(held, name) ?? '') + text;
    open.input = (open.input ?? '') + (typeof piece === 'string' ? piece : '');
    open.held = added;
    open.heldLength = (open.heldLength ?? 0) + JSON.stringify(delta).length;
    if (open.heldLength > MAX_UNKNOWN_CHARACTERS)
      throw tooManyOf(MAX_UNKNOWN_CHARACTERS, 'characters of a block of an unknown type');
  }

  #blockStop(wireIndex: number, out: Event[]): void {
    const open = this.#open.get(wireIndex);
    if (open === undefined) return;
    this.#open.delete(wireIndex);
    if (open.held !== undefined) {
      const wire =
        open.input === undefined || open.input === '' ? open.held : { ...open.held, input: parsed(open.input) };
      const index = this.#next++;
      out.push({
        type: 'block-start',
        index,
        candidate: 0,
        block: { kind: 'foreign', dialect: 'anthropic-messages', wire },
      });
      out.push({ type: 'block-end', index });
      return;
    }
    if (open.kind === 'server-tool') return;
    const seal = open.seal === undefined ? undefined : this.#reading.seal(open.seal, 'signature');
    if (seal !== undefined && open.kind === 'thinking') out.push({ type: 'block-seal', index: open.index, seal });
    out.push({ type: 'block-end', index: open.index });
  }

  #endServerTools(out: Event[]): void {
    for (const index of this.#serverTools.values()) out.push({ type: 'block-end', index });
    this.#serverTools.clear();
  }

  #messageDelta(event: JsonObject, out: Event[]): void {
    const delta = objectAt(event, 'delta');
    const raw = stringAt(delta, 'stop_reason');
    const stopMatched = stringAt(delta, 'stop_sequence');
    if (raw !== undefined) this.#finish = { raw, ...(stopMatched !== undefined && { stopMatched }) };
    const usage = readEndUsage(usageOfDelta(event), this.#startUsage);
    if (Object.keys(usage).length > 0) out.push({ type: 'usage-update', usage });
  }

  #close(out: Event[]): void {
    this.#over = true;
    const finish = this.#finish;
    if (finish === undefined) {
      out.push({ type: 'answer-fault', fault: ENDED_EARLY });
      return;
    }
    for (const wireIndex of [...this.#open.keys()]) this.#blockStop(wireIndex, out);
    this.#endServerTools(out);
    const emitted = this.#emitted && !this.#toolCall && finish.raw === 'tool_use';
    const reason = emitted ? 'stop' : readFinish(finish.raw, { toolCall: this.#toolCall });
    out.push({ type: 'answer-end', candidate: 0, finish: { reason, ...finish } });
  }

  #fail(fault: Fault, out: Event[]): Event[] {
    this.#over = true;
    out.push({ type: 'answer-fault', fault });
    return out;
  }
}

function openBlock(wire: JsonObject, { seal, toolName }: BlockReading): OpenBlock | undefined {
  switch (wire['type']) {
    case 'text':
      return { kind: 'text' };
    case 'thinking':
      return { kind: 'thinking', form: 'full' };
    case 'redacted_thinking': {
      const sealed = seal(stringAt(wire, 'data') ?? '', 'sealed');
      return sealed === undefined ? undefined : { kind: 'redacted', seal: sealed };
    }
    case 'tool_use': {
      const name = stringAt(wire, 'name') ?? '';
      if (name === EMIT_TOOL) return { kind: 'text' };
      return { kind: 'tool-call', id: stringAt(wire, 'id') ?? '', name: toolName(name), form: 'function' };
    }
    case 'server_tool_use':
      return { kind: 'server-tool', id: stringAt(wire, 'id') ?? '', name: stringAt(wire, 'name') ?? '' };
    default:
      return undefined;
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
