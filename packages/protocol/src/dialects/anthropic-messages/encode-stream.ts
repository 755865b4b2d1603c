/**
 * Events → the events of a messages stream for a caller: one block at a time, every block with a delta, usage in both
 * places.
 */

import type { BlockNote, Event, Finish, OpenBlock } from '../../canonical/events.ts';
import type { Fault } from '../../canonical/fault.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { inputTokens, mergeUsage, type Usage } from '../../canonical/usage.ts';
import { argumentsObject } from '../../passes/exact-json.ts';
import { loseBlocked, loseFinish, loseNotes } from '../../passes/untold-notes.ts';
import type { Machine } from '../../stream/machine.ts';
import { sequence } from '../../stream/sequence.ts';
import type { AnswerContext, Frame } from '../dialect.ts';
import { AnswerWriter, isOwnServerTool } from './answer-blocks.ts';
import { BAD_TOOL_CALL, messageId } from './encode-answer.ts';
import { streamError } from './faults.ts';
import { UNFIT, writeFinish } from './finish.ts';
import { writeUsage } from './usage.ts';

const NOTHING: readonly Frame[] = [];
/** Parallel blocks wait in memory; more than this is an attack, not an answer. */
const MAX_HELD_CHARACTERS = 8_000_000;

export const frameOf = (data: { readonly type: string } & { readonly [name: string]: Json }): Frame => ({
  event: data.type,
  data: JSON.stringify(data),
});

export function eventEncoder(context: AnswerContext): Machine<Event, Frame> {
  return new MessagesEncoder(context);
}

/** Delta types by block; blocks not listed here are complete when they start. */
const EMPTY_DELTAS: Readonly<Record<string, JsonObject>> = {
  text: { type: 'text_delta', text: '' },
  thinking: { type: 'thinking_delta', thinking: '' },
  tool_use: { type: 'input_json_delta', partial_json: '' },
  server_tool_use: { type: 'input_json_delta', partial_json: '' },
};

type Live = {
  readonly block: OpenBlock;
  readonly wireType: string;
  deltas: number;
  seal?: Sealed;
  /** The first frame of a call, until it is known whether a seal precedes it. */
  shell?: JsonObject | undefined;
  /** Arguments of a call whose seal, which covers them, is sent first. */
  held?: string;
  extras?: BlockNote['extras'];
};

class MessagesEncoder implements Machine<Event, Frame> {
  readonly #context: AnswerContext;
  readonly #writer: AnswerWriter;
  readonly #sequence = sequence(MAX_HELD_CHARACTERS);
  #usage: Usage = {};
  #started: 'no' | 'waiting' | 'yes' = 'no';
  #over = false;
  #wireIndex = -1;
  #live: Live | undefined;
  #refusal = false;

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#writer = new AnswerWriter(context);
  }

  losses(): readonly Loss[] {
    return this.#writer.losses.all;
  }

  push(event: Event): readonly Frame[] {
    if (this.#over) return NOTHING;
    const events = this.#sequence.push(event);
    const only = events[0];
    if (events.length === 1 && only !== undefined) return this.#one(only);
    return events.flatMap((each) => this.#one(each));
  }

  end(): readonly Frame[] {
    return NOTHING;
  }

  #one(event: Event): readonly Frame[] {
    if (event.type === 'answer-start') {
      // The usage often follows right after: the first event of another kind releases both.
      this.#started = 'waiting';
      return NOTHING;
    }
    if (event.type === 'usage-update') {
      this.#usage = mergeUsage(this.#usage, event.usage);
      return NOTHING;
    }
    const frames = this.#event(event);
    if (this.#started !== 'waiting') return frames;
    this.#started = 'yes';
    return [this.#messageStart(), ...frames];
  }

  #event(event: Exclude<Event, { type: 'answer-start' | 'usage-update' }>): readonly Frame[] {
    switch (event.type) {
      case 'block-start':
        return event.candidate === 0 ? this.#start(event.block) : NOTHING;
      case 'block-delta':
        return this.#live === undefined ? NOTHING : this.#delta(this.#live, event.text);
      case 'block-note':
        return this.#live === undefined ? NOTHING : this.#note(this.#live, event.note);
      case 'block-seal':
        if (this.#live !== undefined) this.#live.seal = event.seal;
        return NOTHING;
      case 'block-end':
        return this.#live === undefined ? NOTHING : this.#stop(this.#live);
      case 'answer-note':
        if (event.candidate === 0) loseNotes(event.extras, this.#writer.losses);
        return NOTHING;
      case 'answer-end':
        return event.candidate === 0 ? this.#finish(event.finish) : NOTHING;
      case 'prompt-blocked':
        loseBlocked(event, this.#writer.losses);
        return this.#close('refusal', null);
      case 'answer-fault':
        return this.#fail(event.fault);
    }
  }

  #messageStart(): Frame {
    const { requestId, model } = this.#context;
    return frameOf({
      type: 'message_start',
      message: {
        id: messageId(requestId),
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...writeUsage(this.#inputSoFar()), output_tokens: 0 },
      },
    });
  }

  /** Callers show the figure while they wait; the last event corrects it. */
  #inputSoFar(): Usage {
    if (inputTokens(this.#usage) > 0) return this.#usage;
    return { prompt: this.#context.estimateInput?.() ?? 0 };
  }

  #start(block: OpenBlock): readonly Frame[] {
    const shell = this.#shell(block);
    if (shell === undefined) {
      this.#live = undefined;
      return NOTHING;
    }
    const wireType = typeof shell['type'] === 'string' ? shell['type'] : '';
    this.#live = { block, wireType, deltas: 0 };
    // An empty text that only carries a signature is never sent, so texts wait for their first piece.
    if (block.kind === 'text') return NOTHING;
    if (block.kind === 'tool-call') {
      this.#live.shell = shell;
      return NOTHING;
    }
    return [this.#blockStart(shell)];
  }

  #shell(block: OpenBlock): JsonObject | undefined {
    switch (block.kind) {
      case 'refusal':
        this.#refusal = true;
        return { type: 'text', text: '' };
      case 'text':
        return { type: 'text', text: '' };
      case 'thinking':
        return { type: 'thinking', thinking: '', signature: '' };
      case 'redacted':
        return this.#writer.redacted(block.seal)[0];
      case 'tool-call':
        if (!this.#writer.takesToolCall()) return undefined;
        return { type: 'tool_use', id: this.#writer.toolId(block.id), name: block.name, input: {} };
      case 'server-tool':
        if (isOwnServerTool(block.id)) return { type: 'server_tool_use', id: block.id, name: block.name, input: {} };
        this.#writer.losses.add('content.server-tool');
        return undefined;
      case 'foreign':
        return this.#writer.block(block)[0];
      case 'media':
        this.#writer.losses.add('content.media');
        return undefined;
    }
  }

  #openText(delta: JsonObject): readonly Frame[] {
    return [this.#blockStart({ type: 'text', text: '' }), this.#blockDelta(delta)];
  }

  #blockStart(content_block: JsonObject): Frame {
    this.#wireIndex++;
    return frameOf({ type: 'content_block_start', index: this.#wireIndex, content_block });
  }

  #blockDelta(delta: JsonObject): Frame {
    return frameOf({ type: 'content_block_delta', index: this.#wireIndex, delta });
  }

  #blockStop(): Frame {
    return frameOf({ type: 'content_block_stop', index: this.#wireIndex });
  }

  #delta(live: Live, text: string): readonly Frame[] {
    const empty = EMPTY_DELTAS[live.wireType];
    if (empty === undefined) return NOTHING;
    if (live.shell !== undefined) {
      if (live.seal === undefined) return [...this.#openCall(live), ...this.#delta(live, text)];
      live.held = (live.held ?? '') + text;
      return live.held.length > MAX_HELD_CHARACTERS ? this.#openCall(live) : NOTHING;
    }
    if (live.block.kind === 'text') {
      if (text === '' && live.deltas === 0) return NOTHING;
      const delta = { type: 'text_delta', text };
      return live.deltas++ === 0 ? this.#openText(delta) : [this.#blockDelta(delta)];
    }
    live.deltas++;
    switch (live.wireType) {
      case 'text':
        return [this.#blockDelta({ type: 'text_delta', text })];
      case 'thinking':
        return [this.#blockDelta({ type: 'thinking_delta', thinking: text })];
      default:
        // A free-form call has text as arguments; here it is one member of an object.
        if (live.block.kind === 'tool-call' && live.block.form === 'custom') return [this.#freeForm(live, text)];
        return [this.#blockDelta({ type: 'input_json_delta', partial_json: text })];
    }
  }

  #freeForm(live: Live, text: string): Frame {
    const piece = JSON.stringify(text).slice(1, -1);
    return this.#blockDelta({
      type: 'input_json_delta',
      partial_json: live.deltas === 1 ? `{"input":"${piece}` : piece,
    });
  }

  #note(live: Live, note: BlockNote): readonly Frame[] {
    if (note.extras !== undefined) live.extras = note.extras;
    if (note.citation !== undefined && live.wireType === 'text') {
      const delta = { type: 'citations_delta', citation: this.#writer.citation(note.citation) };
      return live.deltas++ === 0 && live.block.kind === 'text' ? this.#openText(delta) : [this.#blockDelta(delta)];
    }
    if (note.result === undefined || live.block.kind !== 'server-tool') return NOTHING;
    const { id, name } = live.block;
    const result = this.#writer.serverResult(id, name, note.result.content, note.extras ?? live.extras);
    const frames = [...this.#needed(live), this.#blockStop(), this.#blockStart(result)];
    this.#live = { ...live, wireType: 'result' };
    return frames;
  }

  /** Deltas that a block must have before it stops. */
  #needed(live: Live): readonly Frame[] {
    const frames: Frame[] = [];
    const empty = EMPTY_DELTAS[live.wireType];
    if (live.deltas === 0 && empty !== undefined) frames.push(this.#blockDelta(empty));
    if (live.block.kind === 'tool-call' && live.block.form === 'custom' && live.deltas > 0)
      frames.push(this.#blockDelta({ type: 'input_json_delta', partial_json: '"}' }));
    if (live.wireType === 'thinking')
      frames.push(this.#blockDelta({ type: 'signature_delta', signature: this.#writer.signature(live.seal) }));
    return frames;
  }

  /** The seal of a call, the call itself, and the arguments that waited. */
  #openCall(live: Live): readonly Frame[] {
    const { shell, seal, held = '', block } = live;
    if (shell === undefined) return NOTHING;
    live.shell = undefined;
    const frames: Frame[] = [];
    if (seal !== undefined && typeof shell['id'] === 'string') {
      const isFreeForm = block.kind === 'tool-call' && block.form === 'custom';
      const input = isFreeForm ? { input: held } : argumentsObject(held);
      const isWhole = held.length <= MAX_HELD_CHARACTERS;
      for (const sealed of this.#writer.sealOfCall(seal, shell['id'], isWhole ? input : undefined))
        frames.push(this.#blockStart(sealed), this.#blockStop());
      delete live.seal;
    }
    frames.push(this.#blockStart(shell));
    if (held !== '') frames.push(...this.#delta(live, held));
    return frames;
  }

  #stop(live: Live): readonly Frame[] {
    this.#live = undefined;
    if (live.block.kind === 'text') return this.#stopText(live);
    const frames = [...this.#openCall(live), ...this.#needed(live), this.#blockStop()];
    if (live.block.kind === 'tool-call' && live.seal !== undefined) {
      for (const block of this.#writer.sealOfCall(live.seal, this.#writer.toolId(live.block.id)))
        frames.push(this.#blockStart(block), this.#blockStop());
      return frames;
    }
    if (live.seal === undefined || live.wireType === 'thinking') return frames;
    for (const block of this.#writer.redacted(live.seal)) frames.push(this.#blockStart(block), this.#blockStop());
    return frames;
  }

  #stopText({ seal, deltas }: Live): readonly Frame[] {
    if (deltas > 0) return [this.#blockStop()];
    return seal === undefined ? [...this.#openText({ type: 'text_delta', text: '' }), this.#blockStop()] : NOTHING;
  }

  #finish(finish: Finish): readonly Frame[] {
    if (finish.reason === 'bad-tool-call') return this.#fail(BAD_TOOL_CALL);
    loseFinish(finish, 'stop_reason', UNFIT, this.#writer.losses);
    const reason = writeFinish(finish.reason, { toolCall: this.#writer.sawToolCall, refusal: this.#refusal });
    return this.#close(reason, reason === 'stop_sequence' ? (finish.stopMatched ?? null) : null);
  }

  #close(stop_reason: string, stop_sequence: string | null): readonly Frame[] {
    this.#over = true;
    const usage = writeUsage(this.#usage);
    const delta = { stop_reason, stop_sequence, usage: { output_tokens: usage['output_tokens'] ?? 0 } };
    return [frameOf({ type: 'message_delta', delta, usage }), frameOf({ type: 'message_stop' })];
  }

  #fail(fault: Fault): readonly Frame[] {
    this.#over = true;
    return [frameOf({ type: 'error', ...streamError(fault) })];
  }
}
