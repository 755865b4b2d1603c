/** Events → the complete answer. The inverse of `unfold`. */
import type { Candidate, TextAnswer } from '../canonical/answer.ts';
import type { Block, Citation, TokenLogprob } from '../canonical/content.ts';
import type { Extras } from '../canonical/dialect-id.ts';
import type { BlockNote, Event, Finish, OpenBlock } from '../canonical/events.ts';
import type { Fault } from '../canonical/fault.ts';
import type { Sealed } from '../canonical/sealed.ts';
import { mergeUsage, type Usage } from '../canonical/usage.ts';

type Building = {
  readonly candidate: number;
  readonly block: OpenBlock;
  text: string;
  bytes: string;
  citations: Citation[];
  logprobs: TokenLogprob[];
  seal?: Sealed;
  extras?: Extras;
  result?: NonNullable<BlockNote['result']>;
};

export class Fold {
  readonly #blocks: Building[] = [];
  readonly #finishes = new Map<number, Finish>();
  readonly #notes = new Map<number, Extras>();
  #start: { readonly id: string; readonly model: string; readonly createdAtSeconds?: number } = { id: '', model: '' };
  #blocked: TextAnswer['promptBlocked'];
  #usage: Usage = {};
  #fault: Fault | undefined;

  push(event: Event): void {
    switch (event.type) {
      case 'answer-start': {
        const { type: _, ...start } = event;
        this.#start = start;
        return;
      }
      case 'block-start':
        this.#blocks[event.index] = {
          candidate: event.candidate,
          block: event.block,
          text: '',
          bytes: '',
          citations: [],
          logprobs: [],
        };
        return;
      case 'block-delta':
        this.#at(event.index).text += event.text;
        return;
      case 'block-note':
        takeNote(this.#at(event.index), event.note);
        return;
      case 'block-seal':
        this.#at(event.index).seal = event.seal;
        return;
      case 'block-end':
        return;
      case 'usage-update':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return;
      case 'answer-note':
        this.#notes.set(event.candidate, mergeExtras(this.#notes.get(event.candidate), event.extras));
        return;
      case 'answer-end':
        this.#finishes.set(event.candidate, event.finish);
        return;
      case 'prompt-blocked': {
        const { type: _, ...blocked } = event;
        this.#blocked = blocked;
        return;
      }
      case 'answer-fault':
        this.#fault = event.fault;
        return;
    }
  }

  /** The fault that ended the stream, if one did. */
  get fault(): Fault | undefined {
    return this.#fault;
  }

  answer(): TextAnswer {
    const candidates = [...this.#finishes]
      .sort(([a], [b]) => a - b)
      .map(([candidate, finish]) => this.#candidate(candidate, finish));
    return {
      ...this.#start,
      candidates,
      ...(this.#blocked !== undefined && { promptBlocked: this.#blocked }),
      usage: this.#usage,
    };
  }

  #candidate(candidate: number, finish: Finish): Candidate {
    const blocks = this.#blocks.filter((building) => building.candidate === candidate).map(finished);
    const extras = this.#notes.get(candidate);
    return { blocks, finish, ...(extras !== undefined && { extras }) };
  }

  #at(index: number): Building {
    const building = this.#blocks[index];
    if (building === undefined) throw new Error(`no block ${index}`);
    return building;
  }
}

function takeNote(building: Building, note: BlockNote): void {
  if (note.citation !== undefined) building.citations.push(note.citation);
  for (const logprob of note.logprobs ?? []) building.logprobs.push(logprob);
  if (note.bytes !== undefined) building.bytes += note.bytes;
  if (note.result !== undefined) building.result = note.result;
  if (note.extras !== undefined) building.extras = mergeExtras(building.extras, note.extras);
}

const mergeExtras = (earlier: Extras | undefined, later: Extras): Extras => {
  const merged: Record<string, unknown> = { ...earlier };
  for (const [dialect, fields] of Object.entries(later)) merged[dialect] = { ...(merged[dialect] ?? {}), ...fields };
  return merged as Extras;
};

function finished(building: Building): Block {
  const { block, text } = building;
  const seal = building.seal === undefined ? {} : { seal: building.seal };
  const extras = building.extras === undefined ? {} : { extras: building.extras };
  const logprobs = building.logprobs.length === 0 ? {} : { logprobs: building.logprobs };
  switch (block.kind) {
    case 'text':
      return {
        kind: 'text',
        text,
        ...(building.citations.length > 0 && { citations: building.citations }),
        ...logprobs,
        ...seal,
        ...extras,
      };
    case 'refusal':
      return { kind: 'refusal', text, ...logprobs, ...extras };
    case 'thinking':
      return { kind: 'thinking', text, form: block.form, ...seal, ...extras };
    case 'redacted':
      return { kind: 'redacted', seal: block.seal, ...extras };
    case 'media': {
      const { url, ...open } = block;
      return {
        ...open,
        source: url === undefined ? { via: 'inline', base64: building.bytes } : { via: 'url', url },
        ...seal,
        ...extras,
      };
    }
    case 'tool-call':
      return { ...block, argumentsJson: text, ...seal, ...extras };
    case 'server-tool':
      return {
        ...block,
        argumentsJson: text,
        ...(building.result !== undefined && { result: building.result }),
        ...extras,
      };
    case 'foreign':
      return { ...block, ...extras };
  }
}

export function fold(events: readonly Event[]): TextAnswer {
  const folding = new Fold();
  for (const event of events) folding.push(event);
  return folding.answer();
}
