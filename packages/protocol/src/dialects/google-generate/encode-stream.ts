/**
 * Events → chunks for a caller: each a response of its own, calls complete, the last chunk with everything known by
 * then.
 */
import type { Block, Citation, TokenLogprob } from '../../canonical/content.ts';
import type { BlockNote, Event, Finish, OpenBlock } from '../../canonical/events.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { type Loss, PathLosses } from '../../canonical/loss.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { mergeUsage, type Usage } from '../../canonical/usage.ts';
import type { Machine } from '../../stream/machine.ts';
import type { AnswerContext, Frame } from '../dialect.ts';
import { byteOffset, writeCitation } from './citations.ts';
import { finishOf, tellsSources, writeFeedback } from './encode-answer.ts';
import { answerTail, EMPTY_PART, partsOf, signature, unwrapped } from './encode-parts.ts';
import { encodeFault } from './faults.ts';
import { finishMessage, writeFinish } from './finish.ts';
import { writeLogprobs } from './logprobs.ts';
import { writeUsage } from './usage.ts';

const NOTHING: readonly Frame[] = [];

type Open = {
  readonly block: OpenBlock;
  readonly candidate: number;
  text: string;
  bytes: string;
  /** Written when the text is complete: a citation without a range applies to all of it. */
  readonly citations: Citation[];
  seal?: Sealed;
  extras?: NonNullable<BlockNote['extras']>;
};
/** Collected for the last chunk of a candidate. */
type Collected = {
  notes: JsonObject;
  citations: JsonObject[];
  /** Wait for their text. */
  logprobs: readonly TokenLogprob[];
  textBytes: number;
  badCall: boolean;
  refused: boolean;
};

export function eventEncoder(context: AnswerContext): Machine<Event, Frame> {
  return new GenerateEncoder(context);
}

class GenerateEncoder implements Machine<Event, Frame> {
  readonly #context: AnswerContext;
  readonly #tail: JsonObject;
  readonly #open = new Map<number, Open>();
  readonly #collected = new Map<number, Collected>();
  readonly #losses = new PathLosses();
  #usage: Usage = {};

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#tail = answerTail(context);
  }

  losses(): readonly Loss[] {
    return this.#losses.all;
  }

  push(event: Event): readonly Frame[] {
    switch (event.type) {
      case 'answer-start':
        return NOTHING;
      case 'block-start':
        this.#open.set(event.index, {
          block: event.block,
          candidate: event.candidate,
          text: '',
          bytes: '',
          citations: [],
        });
        return NOTHING;
      case 'block-delta':
        return this.#delta(event.index, event.text);
      case 'block-note':
        this.#note(event.index, event.note);
        return NOTHING;
      case 'block-seal':
        return this.#seal(event.index, event.seal);
      case 'block-end':
        return this.#end(event.index);
      case 'usage-update':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return NOTHING;
      case 'answer-note':
        this.#collectedFor(event.candidate).notes = {
          ...this.#collectedFor(event.candidate).notes,
          ...event.extras['google-generate'],
        };
        return NOTHING;
      case 'answer-end':
        return [this.#last(event.candidate, event.finish)];
      case 'prompt-blocked': {
        const promptFeedback = writeFeedback(event);
        return [frame({ promptFeedback, usageMetadata: writeUsage(this.#usage), ...this.#tail })];
      }
      case 'answer-fault':
        return [frame(encodeFault(event.fault).body)];
    }
  }

  end(): readonly Frame[] {
    return NOTHING;
  }

  #collectedFor(candidate: number): Collected {
    const known = this.#collected.get(candidate);
    if (known !== undefined) return known;
    const collected: Collected = {
      notes: {},
      citations: [],
      logprobs: [],
      textBytes: 0,
      badCall: false,
      refused: false,
    };
    this.#collected.set(candidate, collected);
    return collected;
  }

  #delta(index: number, text: string): readonly Frame[] {
    const open = this.#open.get(index);
    if (open === undefined) return NOTHING;
    open.text += text;
    switch (open.block.kind) {
      case 'text':
      case 'refusal':
        // An enum value may come wrapped, which is only visible once it is complete.
        return this.#context.responseOptions.enumValues === undefined ? [this.#text(open, text)] : NOTHING;
      case 'thinking':
        return this.#context.responseOptions.hideReasoning
          ? NOTHING
          : [this.#chunk(open.candidate, { text, thought: true })];
      case 'tool-call':
      case 'redacted':
      case 'media':
      case 'server-tool':
      case 'foreign':
        return NOTHING;
    }
  }

  #text(open: Open, text: string): Frame {
    const part = { ...open.extras?.['google-generate'], text };
    return this.#chunk(open.candidate, part, this.#takeLogprobs(open.candidate));
  }

  #takeLogprobs(candidate: number): JsonObject {
    const collected = this.#collectedFor(candidate);
    const { logprobs } = collected;
    collected.logprobs = [];
    return logprobs.length > 0 ? { logprobsResult: writeLogprobs(logprobs) } : {};
  }

  #note(index: number, note: BlockNote): void {
    const open = this.#open.get(index);
    if (open === undefined) return;
    if (note.bytes !== undefined) open.bytes += note.bytes;
    if (note.extras !== undefined) open.extras = { ...open.extras, ...note.extras };
    if (note.logprobs !== undefined && this.#context.responseOptions.logprobs) {
      const collected = this.#collectedFor(open.candidate);
      collected.logprobs = [...collected.logprobs, ...note.logprobs];
    }
    if (note.citation !== undefined) open.citations.push(note.citation);
  }

  #cite({ candidate, citations, text }: Open): void {
    const collected = this.#collectedFor(candidate);
    for (const citation of citations) {
      const written = writeCitation(citation, text, collected.textBytes);
      if (written === undefined) this.#losses.add(`candidates[${candidate}].citationMetadata`);
      else collected.citations.push(written);
    }
    collected.textBytes += byteOffset(text, text.length);
  }

  /** The text was already sent, so its signature follows in a part of its own; blocks sent whole include it. */
  #seal(index: number, seal: Sealed): readonly Frame[] {
    const open = this.#open.get(index);
    if (open === undefined) return NOTHING;
    open.seal = seal;
    const { kind } = open.block;
    if (kind !== 'text' && kind !== 'thinking') return NOTHING;
    if (kind === 'thinking' && this.#context.responseOptions.hideReasoning) return NOTHING;
    const sealed = signature(seal, this.#context);
    if (sealed.thoughtSignature === undefined) return NOTHING;
    return [this.#chunk(open.candidate, { text: '', ...(kind === 'thinking' && { thought: true }), ...sealed })];
  }

  #end(index: number): readonly Frame[] {
    const open = this.#open.get(index);
    if (open === undefined) return NOTHING;
    this.#open.delete(index);
    const { block, candidate } = open;
    if (block.kind === 'text' || block.kind === 'refusal') {
      this.#cite(open);
      if (block.kind === 'refusal') this.#collectedFor(candidate).refused = true;
      const { enumValues } = this.#context.responseOptions;
      return enumValues === undefined || open.text === ''
        ? NOTHING
        : [this.#text(open, unwrapped(open.text, enumValues))];
    }
    if (block.kind === 'thinking') return NOTHING;
    const parts = partsOf(wholeBlock(block, open), this.#context);
    if (parts === undefined) {
      if (block.kind === 'tool-call') this.#collectedFor(candidate).badCall = true;
      this.#losses.add(`candidates[${candidate}].content`);
    }
    return (parts ?? []).map((part) => this.#chunk(candidate, part));
  }

  #last(candidate: number, finish: Finish): Frame {
    const { notes, citations, badCall, refused } = this.#collectedFor(candidate);
    const ending = finishOf(finish, { badCall, refused });
    const more: JsonObject = {
      finishReason: writeFinish(ending, this.#context.responseOptions),
      finishMessage: finishMessage(ending),
      ...this.#takeLogprobs(candidate),
      ...(citations.length > 0 && !tellsSources(notes) && { citationMetadata: { citations } }),
      ...notes,
    };
    return this.#chunk(candidate, EMPTY_PART, more, { usageMetadata: writeUsage(this.#usage) });
  }

  #chunk(index: number, part: JsonObject, more: JsonObject = {}, beside: JsonObject = {}): Frame {
    const candidate = { content: { role: 'model', parts: [part] }, ...more, index };
    return frame({ candidates: [candidate], ...beside, ...this.#tail });
  }
}

const frame = (body: { readonly [name: string]: Json }): Frame => ({ data: JSON.stringify(body) });

/** A keep-alive in the form of an ordinary chunk: clients of this dialect accept nothing else. */
export const keepAlive = (context: AnswerContext): string => {
  const candidate = { content: { role: 'model', parts: [EMPTY_PART] }, index: 0 };
  return `data: ${JSON.stringify({ candidates: [candidate], ...answerTail(context) })}\n\n`;
};

function wholeBlock(block: Exclude<OpenBlock, { kind: 'text' | 'refusal' | 'thinking' }>, open: Open): Block {
  const more = {
    ...(open.seal !== undefined && { seal: open.seal }),
    ...(open.extras !== undefined && { extras: open.extras }),
  };
  switch (block.kind) {
    case 'tool-call':
    case 'server-tool':
      return { ...block, ...more, argumentsJson: open.text };
    case 'media': {
      const { url, ...rest } = block;
      return {
        ...rest,
        ...more,
        source: url === undefined ? { via: 'inline', base64: open.bytes } : { via: 'url', url },
      };
    }
    case 'redacted':
    case 'foreign':
      return block;
  }
}
