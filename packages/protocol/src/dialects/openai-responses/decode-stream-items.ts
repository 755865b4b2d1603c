/** The output items of one stream: their deltas become blocks, and an item's final form completes them. */
import type { Citation } from '../../canonical/content.ts';
import type { Event, OpenBlock } from '../../canonical/events.ts';
import { tooManyOf } from '../../canonical/gateway-error.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, stringAt } from '../../canonical/json.ts';
import type { SealOwner } from '../../canonical/sealed.ts';
import type { BlockWriter } from '../../stream/block-writer.ts';
import { readLogprobs } from '../upstream-answers.ts';
import {
  annotationsOf,
  callOf,
  callText,
  isSearch,
  NEW_MESSAGE,
  ownMembersOf,
  sealOf,
  searchText,
  textsOf,
} from './decode-answer.ts';
import { ID } from './decode-items.ts';
import type { SeenItems } from './finish.ts';

type ItemState = {
  id: string;
  type: string;
  call: Extract<OpenBlock, { kind: 'tool-call' }> | undefined;
  /** Characters emitted, by part; -1 is the item's own text. */
  readonly emitted: Map<number, number>;
  /** Parts whose citations were streamed. */
  readonly cited: Set<number>;
  /** It had a citation for which no text was open; the finished item may repeat it. */
  uncited: boolean;
  form: 'full' | 'summary' | undefined;
  part: number;
  /** Members that only callers of this dialect can read. */
  own: JsonObject;
  ownEmitted: boolean;
  done: boolean;
};

/** More items than any model sends; a bound against a hostile stream. */
const MAX_ITEMS = 4096;
const OWN_TEXT = -1;

export class ItemReader {
  readonly #blocks: BlockWriter;
  readonly #owner: SealOwner;
  readonly #items = new Map<number, ItemState>();
  #toolCall = false;
  #refusal = false;
  #searches = 0;
  /** The index of the message whose text was the last block to start. */
  #message: number | undefined;

  constructor(blocks: BlockWriter, owner: SealOwner) {
    this.#blocks = blocks;
    this.#owner = owner;
  }

  get seen(): SeenItems {
    return { toolCall: this.#toolCall, refusal: this.#refusal };
  }

  get searches(): number {
    return this.#searches;
  }

  /** Did it cite text that had already ended? */
  get losesCitations(): boolean {
    return [...this.#items.values()].some(({ uncited }) => uncited);
  }

  /**
   * The index in the stream of each item of the finished response, whose positions may differ: either may omit items.
   * Those without the same id match by position if the types of all streamed items do, and otherwise by order and type.
   */
  indexesOf(items: readonly JsonObject[]): number[] {
    const free = new Map(this.#items);
    const take = (fits: (state: ItemState, index: number) => boolean): number | undefined => {
      for (const [index, state] of free) if (fits(state, index)) return free.delete(index) ? index : undefined;
      return undefined;
    };
    const ids = items.map((item) => stringAt(item, 'id') ?? '');
    const byId = ids.map((id) => (id === '' ? undefined : take((state) => state.id === id)));
    const inPlace = [...this.#items].every(([index, { type }]) => type === '' || items[index]?.['type'] === type);
    let fresh = Math.max(-1, ...this.#items.keys()) + 1;
    return items.map(({ type }, place) => {
      // Some hosts change an item's id when they repeat it; at another position it is another item.
      const fits = (state: ItemState, index: number): boolean =>
        index === place
          ? inPlace || state.type === type
          : !inPlace && state.type === type && (ids[place] === '' || state.id === '');
      return byId[place] ?? take(fits) ?? fresh++;
    });
  }

  added(index: number, item: JsonObject, out: Event[]): void {
    const state = this.#stateOf(index, item);
    if (state.done) return;
    if (item['type'] !== 'function_call' && item['type'] !== 'custom_tool_call') return;
    this.#toolCall = true;
    state.call = { kind: 'tool-call', ...callOf(item) };
    this.#start(key(index), state.call, out);
    this.#noteOwn(key(index), state, out);
    this.called(index, callText(item), out);
  }

  said(
    index: number,
    part: number,
    kind: 'text' | 'refusal',
    text: string,
    logprobs: readonly Json[],
    out: Event[],
  ): void {
    const state = this.#state(index);
    if (state.done) return;
    if (state.type === '') state.type = 'message';
    if (kind === 'refusal') this.#refusal = true;
    const at = key(index, part);
    const read = readLogprobs(logprobs);
    if (text === '' && read.length === 0) return;
    this.#start(at, { kind }, out, index);
    this.#noteOwn(at, state, out);
    if (read.length > 0) this.#blocks.note(at, { logprobs: read }, out);
    if (text === '') return;
    this.#blocks.delta(at, { kind }, text, out);
    tell(state, part, text);
  }

  cited(index: number, part: number, citation: Citation, out: Event[]): void {
    const state = this.#state(index);
    if (state.done) return;
    if (state.emitted.size === 0) this.#start(key(index, part), { kind: 'text' }, out, index);
    if (this.#cite(index, part, citation, out)) state.cited.add(part);
    else state.uncited = true;
  }

  #cite(index: number, part: number, citation: Citation, out: Event[]): boolean {
    if (!this.#blocks.isOpen(key(index, part))) return false;
    this.#blocks.note(key(index, part), { citation }, out);
    return true;
  }

  /** An item's full text and its summary have the same content: the one that comes first is emitted. */
  thought(index: number, form: 'full' | 'summary', part: number, text: string, out: Event[]): void {
    const state = this.#state(index);
    if (state.done || text === '') return;
    if (state.type === '') state.type = 'reasoning';
    state.form ??= form;
    if (state.form !== form) return;
    const isFirst = !state.emitted.has(OWN_TEXT);
    const joint = !isFirst && part !== state.part ? '\n\n' : '';
    state.part = part;
    const block: OpenBlock = { kind: 'thinking', form };
    this.#start(key(index), block, out);
    if (isFirst && state.id !== '') this.#blocks.note(key(index), { extras: { [ID]: { itemId: state.id } } }, out);
    this.#blocks.delta(key(index), block, joint + text, out);
    tell(state, OWN_TEXT, joint + text);
  }

  called(index: number, text: string, out: Event[]): void {
    const state = this.#items.get(index);
    if (state?.call === undefined || state.done || text === '') return;
    this.#blocks.delta(key(index), state.call, text, out);
    tell(state, OWN_TEXT, text);
  }

  done(index: number, item: JsonObject, out: Event[]): void {
    const state = this.#stateOf(index, item);
    if (state.done) return;
    switch (item['type']) {
      case 'message':
        this.#finishMessage(index, state, item, out);
        break;
      case 'function_call':
      case 'custom_tool_call':
        if (state.call === undefined) this.added(index, { ...item, arguments: '', input: '' }, out);
        this.called(index, callText(item).slice(emittedLength(state, OWN_TEXT)), out);
        break;
      case 'reasoning':
        this.#reasoning(index, state, item, out);
        break;
      case 'web_search_call':
        this.#search(index, item, out);
        break;
      default:
        this.#start(key(index), { kind: 'foreign', dialect: ID, wire: item }, out);
    }
    this.#noteOwn(key(index), state, out);
    this.#blocks.end(key(index), out);
    state.done = true;
  }

  #finishMessage(index: number, state: ItemState, item: JsonObject, out: Event[]): void {
    const contents = arrayAt(item, 'content').filter(isJsonObject);
    const parts = emittedParts(state, contents.map(wholeText));
    const repeated: boolean[] = [];
    for (const [position, content] of contents.entries()) {
      const part = parts[position] ?? position;
      const isRefusal = content['type'] === 'refusal';
      const rest = wholeText(content).slice(emittedLength(state, part));
      const logprobs = rest !== '' && emittedLength(state, part) === 0 ? arrayAt(content, 'logprobs') : [];
      this.said(index, part, isRefusal ? 'refusal' : 'text', rest, logprobs, out);
      const citations = state.cited.has(part) ? [] : annotationsOf(content);
      for (const citation of citations) repeated.push(this.#cite(index, part, citation, out));
      this.#noteOwn(key(index, part), state, out);
      this.#blocks.end(key(index, part), out);
    }
    if (repeated.length > 0) state.uncited = repeated.includes(false);
  }

  #reasoning(index: number, state: ItemState, item: JsonObject, out: Event[]): void {
    if (!state.emitted.has(OWN_TEXT)) {
      const form = textsOf(item, 'content').length > 0 ? 'full' : 'summary';
      const texts = textsOf(item, form === 'full' ? 'content' : 'summary');
      for (const [part, text] of texts.entries()) this.thought(index, form, part, text, out);
    }
    const seal = sealOf(item, this.#owner);
    if (seal === undefined) return;
    if (this.#blocks.isOpen(key(index))) this.#blocks.seal(key(index), seal, out);
    else this.#start(key(index), { kind: 'redacted', seal }, out);
  }

  #search(index: number, item: JsonObject, out: Event[]): void {
    const block: OpenBlock = { kind: 'server-tool', id: stringAt(item, 'id') ?? '', name: 'web_search' };
    if (isSearch(item)) this.#searches++;
    this.#start(key(index), block, out);
    this.#blocks.delta(key(index), block, searchText(item), out);
  }

  #start(at: string, block: OpenBlock, out: Event[], message?: number): void {
    if (this.#blocks.isOpen(at)) return;
    this.#blocks.start(at, block, out);
    const followsMessage = message !== undefined && this.#message !== undefined && this.#message !== message;
    if (followsMessage) this.#blocks.note(at, { extras: { [ID]: NEW_MESSAGE } }, out);
    this.#message = message;
  }

  #noteOwn(at: string, state: ItemState, out: Event[]): void {
    if (state.ownEmitted || Object.keys(state.own).length === 0 || !this.#blocks.isOpen(at)) return;
    this.#blocks.note(at, { extras: { [ID]: state.own } }, out);
    state.ownEmitted = true;
  }

  #stateOf(index: number, item: JsonObject): ItemState {
    const state = this.#state(index);
    // Another item under the same index: hosts may number none.
    if (state.done) return state;
    if (state.id === '') state.id = stringAt(item, 'id') ?? '';
    state.type = stringAt(item, 'type') ?? state.type;
    state.own = ownMembersOf(item);
    return state;
  }

  #state(index: number): ItemState {
    const known = this.#items.get(index);
    if (known !== undefined) return known;
    if (this.#items.size >= MAX_ITEMS) throw tooManyOf(MAX_ITEMS, 'output items');
    const state: ItemState = {
      id: '',
      type: '',
      call: undefined,
      emitted: new Map(),
      cited: new Set(),
      uncited: false,
      form: undefined,
      part: 0,
      own: {},
      ownEmitted: false,
      done: false,
    };
    this.#items.set(index, state);
    return state;
  }
}

const wholeText = (content: JsonObject): string =>
  stringAt(content, content['type'] === 'refusal' ? 'refusal' : 'text') ?? '';

/**
 * Maps each content of a finished message to its part in the stream. Hosts may number them differently while they
 * stream: if the numbers do not match what was emitted, the non-empty contents are those parts in their order.
 */
function emittedParts(state: ItemState, wholes: readonly string[]): number[] {
  const emitted = [...state.emitted.keys()]
    .filter((part) => part !== OWN_TEXT && emittedLength(state, part) > 0)
    .sort((a, b) => a - b);
  const fits = emitted.every((part) => (wholes[part]?.length ?? 0) >= emittedLength(state, part));
  if (fits) return wholes.map((_, position) => position);
  let fresh = Math.max(wholes.length, ...emitted) + 1;
  return wholes.map((whole) => (whole === '' ? fresh++ : (emitted.shift() ?? fresh++)));
}

const key = (index: number, part?: number): string => (part === undefined ? `${index}` : `${index}.${part}`);
const emittedLength = (state: ItemState, part: number): number => state.emitted.get(part) ?? 0;
const tell = (state: ItemState, part: number, text: string): void =>
  void state.emitted.set(part, emittedLength(state, part) + text.length);
