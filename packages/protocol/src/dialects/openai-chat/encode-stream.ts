/** Events → chat chunks for a caller. */

import type { Citation } from '../../canonical/content.ts';
import type { BlockNote, Event, OpenBlock } from '../../canonical/events.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { type Loss, PathLosses } from '../../canonical/loss.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { mergeUsage, type Usage } from '../../canonical/usage.ts';
import { loseBlocked, loseFinish, loseNotes } from '../../passes/untold-notes.ts';
import type { Machine } from '../../stream/machine.ts';
import type { AnswerContext, Frame } from '../dialect.ts';
import { writeLogprobs } from '../upstream-answers.ts';
import { writeAnnotation } from './citations.ts';
import { BAD_TOOL_CALL, carriedDetail, chatId } from './encode-answer.ts';
import { encodeFault } from './faults.ts';
import { UNFIT, writeFinish } from './finish.ts';
import { writeDetail } from './reasoning.ts';
import { sealMarks, sealText } from './seals.ts';
import { withCost, writeUsage } from './usage.ts';

export const DONE: Frame = { data: '[DONE]' };
const NOTHING: readonly Frame[] = [];

type Open = {
  readonly block: OpenBlock;
  readonly toolIndex: number;
  readonly textFrom: number;
  /** Sent when the text is complete: a citation without a range applies to all of it. */
  readonly citations: Citation[];
};

export function eventEncoder(context: AnswerContext): Machine<Event, Frame> {
  return new ChatEncoder(context);
}

class ChatEncoder implements Machine<Event, Frame> {
  readonly #context: AnswerContext;
  readonly #head: JsonObject;
  readonly #open = new Map<number, Open>();
  readonly #losses = new PathLosses();
  #toolCount = 0;
  #refused = false;
  #textLength = 0;
  /** Waits for its text. */
  #logprobs: JsonObject | undefined;
  #usage: Usage = {};

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#head = {
      id: chatId(context.requestId),
      object: 'chat.completion.chunk',
      created: context.createdAtSeconds,
      model: context.model,
    };
  }

  losses(): readonly Loss[] {
    return this.#losses.all;
  }

  push(event: Event): readonly Frame[] {
    switch (event.type) {
      case 'answer-start':
        return [this.#chunk({ role: 'assistant', content: '' })];
      case 'block-start':
        return this.#start(event.index, event.block);
      case 'block-delta':
        return this.#delta(event.index, event.text);
      case 'block-note':
        return this.#note(event.index, event.note);
      case 'block-seal':
        return this.#seal(event.index, event.seal);
      case 'block-end':
        return this.#end(event.index);
      case 'usage-update':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return NOTHING;
      case 'answer-note':
        if (event.candidate === 0) loseNotes(event.extras, this.#losses);
        return NOTHING;
      case 'answer-end':
        if (event.finish.reason === 'bad-tool-call') return [{ data: JSON.stringify(encodeFault(BAD_TOOL_CALL).body) }];
        loseFinish(event.finish, 'choices[0].finish_reason', UNFIT, this.#losses);
        return this.#finish(writeFinish(event.finish.reason, this.#refused));
      case 'prompt-blocked':
        loseBlocked(event, this.#losses);
        return this.#finish('content_filter');
      case 'answer-fault':
        return [{ data: JSON.stringify(encodeFault(event.fault).body) }];
    }
  }

  end(): readonly Frame[] {
    return NOTHING;
  }

  #start(index: number, block: OpenBlock): readonly Frame[] {
    if (block.kind === 'tool-call' && this.#toolCount > 0 && this.#context.responseOptions.oneToolCall === true) {
      if (this.#toolCount++ === 1) this.#losses.add('choices[0].delta.tool_calls');
      return NOTHING;
    }
    const toolIndex = block.kind === 'tool-call' ? this.#toolCount++ : -1;
    this.#open.set(index, { block, toolIndex, textFrom: this.#textLength, citations: [] });
    if (block.kind === 'tool-call') {
      const called =
        block.form === 'function'
          ? { function: { name: block.name, arguments: '' } }
          : { custom: { name: block.name, input: '' } };
      return [this.#chunk({ tool_calls: [{ index: toolIndex, id: block.id, type: block.form, ...called }] })];
    }
    if (block.kind === 'redacted') return this.#redacted(block.seal, index);
    if (block.kind === 'refusal') this.#refused = true;
    if (block.kind === 'media' || block.kind === 'server-tool' || block.kind === 'foreign')
      this.#losses.add(`choices[0].delta.${block.kind}`);
    return NOTHING;
  }

  #redacted(seal: Sealed, index: number): readonly Frame[] {
    if (this.#context.responseOptions.hideReasoning) return NOTHING;
    const data = sealText(seal, this.#context.sealing);
    if (data === undefined) {
      this.#losses.add('choices[0].delta.reasoning_details', 'foreign-seal');
      return NOTHING;
    }
    return [this.#chunk({ reasoning_details: [writeDetail({ kind: 'redacted', seal }, data, index)] })];
  }

  #delta(index: number, text: string): readonly Frame[] {
    const open = this.#open.get(index);
    switch (open?.block.kind) {
      case 'text':
        this.#textLength += text.length;
        return [this.#chunk({ content: text }, null, this.#takeLogprobs())];
      case 'refusal':
        return [this.#chunk({ refusal: text }, null, this.#takeLogprobs())];
      case 'thinking': {
        if (this.#context.responseOptions.hideReasoning) return NOTHING;
        const detail =
          open.block.form === 'summary'
            ? { type: 'reasoning.summary', summary: text }
            : { type: 'reasoning.text', text };
        return [
          this.#chunk({
            reasoning: text,
            reasoning_content: text,
            // No format yet: clients keep the first one they get, and only the seal shows the owner of the reasoning.
            reasoning_details: [{ ...detail, index }],
          }),
        ];
      }
      case 'tool-call': {
        const called = open.block.form === 'function' ? { function: { arguments: text } } : { custom: { input: text } };
        return [this.#chunk({ tool_calls: [{ index: open.toolIndex, ...called }] })];
      }
      case 'redacted':
      case 'media':
      case 'server-tool':
      case 'foreign':
      case undefined:
        return NOTHING;
    }
  }

  #note(index: number, note: BlockNote): readonly Frame[] {
    const open = this.#open.get(index);
    const kind = open?.block.kind;
    if (note.citation !== undefined) open?.citations.push(note.citation);
    if (note.logprobs === undefined || (kind !== 'text' && kind !== 'refusal')) return NOTHING;
    if (!this.#context.responseOptions.logprobs) return NOTHING;
    const pending = this.#flushLogprobs();
    const field = kind === 'text' ? 'content' : 'refusal';
    this.#logprobs = { content: null, refusal: null, [field]: writeLogprobs(note.logprobs, null) };
    return pending;
  }

  #end(index: number): readonly Frame[] {
    const open = this.#open.get(index);
    this.#open.delete(index);
    const pending = this.#flushLogprobs();
    if (open === undefined || open.citations.length === 0) return pending;
    const length = this.#textLength - open.textFrom;
    const annotations = open.citations.flatMap((citation) => writeAnnotation(citation, length, open.textFrom) ?? []);
    if (annotations.length < open.citations.length) this.#losses.add('choices[0].delta.annotations');
    return annotations.length === 0 ? pending : [...pending, this.#chunk({ annotations })];
  }

  #takeLogprobs(): { readonly logprobs?: JsonObject } {
    const logprobs = this.#logprobs;
    this.#logprobs = undefined;
    return logprobs === undefined ? {} : { logprobs };
  }

  /** Log probabilities that no text followed. */
  #flushLogprobs(): readonly Frame[] {
    return this.#logprobs === undefined ? NOTHING : [this.#chunk({}, null, this.#takeLogprobs())];
  }

  #seal(index: number, seal: Sealed): readonly Frame[] {
    const open = this.#open.get(index);
    const block = open?.block;
    if (this.#context.responseOptions.hideReasoning) return NOTHING;
    const { sealing } = this.#context;
    if (block?.kind === 'text' || block?.kind === 'tool-call') {
      const details = carriedDetail(block, seal, index, this.#textLength === open?.textFrom, sealing);
      return details.length === 0 ? NOTHING : [this.#chunk({ reasoning_details: details })];
    }
    const signature = sealText(seal, sealing);
    if (block?.kind !== 'thinking' || signature === undefined) return NOTHING;
    const type = block.form === 'summary' ? 'reasoning.summary' : 'reasoning.text';
    return [this.#chunk({ reasoning_details: [{ type, signature, ...sealMarks(seal), index }] })];
  }

  #finish(reason: string): readonly Frame[] {
    const frames = [this.#chunk({}, reason)];
    if (this.#context.responseOptions.usageInStream)
      frames.push({
        data: JSON.stringify({
          ...this.#head,
          choices: [],
          usage: withCost(writeUsage(this.#usage), this.#usage, this.#context),
        }),
      });
    frames.push(DONE);
    return frames;
  }

  #chunk(delta: JsonObject, finishReason: string | null = null, more: { readonly [name: string]: Json } = {}): Frame {
    return {
      data: JSON.stringify({ ...this.#head, choices: [{ index: 0, delta, finish_reason: finishReason, ...more }] }),
    };
  }
}
