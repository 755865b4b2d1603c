/**
 * Blocks of an answer → output items, emitting every step as an event of the stream. Complete answers are built by the
 * same steps without a listener, so both always agree.
 */
import type { Citation } from '../../canonical/content.ts';
import type { BlockNote, Event, OpenBlock } from '../../canonical/events.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, stringAt } from '../../canonical/json.ts';
import { PathLosses } from '../../canonical/loss.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { argumentsObject } from '../../passes/exact-json.ts';
import type { AnswerContext } from '../dialect.ts';
import { writeAnnotation } from './citations.ts';
import { ID } from './decode-items.ts';
import type { SeenItems } from './finish.ts';
import {
  callDelta,
  callDone,
  type Emit,
  inPart,
  partDelta,
  partDone,
  searchDone,
  searchStarted,
  thoughtAdded,
  thoughtDelta,
  thoughtDone,
} from './output-events.ts';
import {
  type CallItem,
  type EmittedItem,
  itemWire,
  type MessageItem,
  type MessagePart,
  partWire,
  type ReasoningItem,
  type WholeItem,
} from './output-items.ts';
import { sealText } from './seals.ts';

type Open = (
  | { readonly of: 'part'; readonly item: MessageItem; readonly part: MessagePart }
  | { readonly of: 'item'; readonly item: CallItem | ReasoningItem | WholeItem }
) & { seal?: Sealed };

type BlockEvent = Extract<Event, { readonly index: number }>;

export class OutputBuilder {
  readonly losses = new PathLosses();
  readonly #context: AnswerContext;
  readonly #listener: Emit | undefined;
  readonly #emit: Emit = (type, members) => this.#listener?.(type, members);
  readonly #items: EmittedItem[] = [];
  readonly #open = new Map<number, Open>();
  readonly #wantsSummary: boolean;
  #message: MessageItem | undefined;
  #calls = 0;
  #refusal = false;

  constructor(context: AnswerContext, listener: Emit | undefined) {
    this.#context = context;
    this.#listener = listener;
    const reasoning = context.responseOptions.echo?.['reasoning'];
    this.#wantsSummary = isJsonObject(reasoning) && typeof reasoning['summary'] === 'string';
  }

  get seen(): SeenItems {
    return { toolCall: this.#calls > 0, refusal: this.#refusal };
  }

  /** The items so far; those still growing are marked as incomplete if the answer ends without them. */
  output(): JsonObject[] {
    return this.#items.map((item) => itemWire(item, item.done ? 'completed' : 'incomplete'));
  }

  push(event: BlockEvent): void {
    switch (event.type) {
      case 'block-start':
        this.#start(event.index, event.block);
        return;
      case 'block-delta':
        this.#delta(event.index, event.text);
        return;
      case 'block-note':
        this.#note(event.index, event.note);
        return;
      case 'block-seal':
        this.#seal(event.index, event.seal);
        return;
      case 'block-end':
        this.#end(event.index);
        return;
    }
  }

  /** Ends the message that waits for more parts. */
  finish(): void {
    this.#leaveMessage();
  }

  #place(prefix: string): { index: number; id: string; announced: boolean; done: boolean } {
    const index = this.#items.length;
    return { index, id: `${prefix}_${this.#context.requestId}_${index}`, announced: false, done: false };
  }

  /** From here on its id is fixed; without a listener it may still change. */
  #announce(item: EmittedItem): void {
    if (item.announced || this.#listener === undefined) return;
    item.announced = true;
    this.#emit('response.output_item.added', { output_index: item.index, item: itemWire(item, 'in_progress') });
  }

  #complete(item: EmittedItem): void {
    this.#announce(item);
    item.done = true;
    this.#emit('response.output_item.done', { output_index: item.index, item: itemWire(item, 'completed') });
  }

  #start(index: number, block: OpenBlock): void {
    if (block.kind === 'text' || block.kind === 'refusal') {
      this.#startPart(index, block.kind);
      return;
    }
    this.#leaveMessage();
    switch (block.kind) {
      case 'tool-call':
        this.#startCall(index, block);
        return;
      case 'thinking': {
        const form = this.#wantsSummary ? 'summary' : block.form;
        const item: ReasoningItem = { kind: 'reasoning', ...this.#place('rs'), form, text: '', sealed: undefined };
        this.#items.push(item);
        this.#open.set(index, { of: 'item', item });
        return;
      }
      case 'redacted':
        this.#redacted(block.seal);
        return;
      case 'server-tool':
        if (block.name !== 'web_search') break;
        this.#startSearch(index);
        return;
      case 'foreign':
        if (block.dialect !== ID || !isJsonObject(block.wire)) break;
        this.#whole(block.wire);
        return;
      case 'media':
        break;
    }
    this.losses.add(`output.${block.kind}`);
  }

  #startPart(index: number, kind: 'text' | 'refusal'): void {
    if (kind === 'refusal') this.#refusal = true;
    let item = this.#message;
    if (item === undefined) {
      item = { kind: 'message', ...this.#place('msg'), parts: [], openParts: 0, closing: false };
      this.#items.push(item);
      this.#message = item;
      this.#announce(item);
    }
    const part: MessagePart = {
      kind,
      contentIndex: item.parts.length,
      placed: false,
      text: '',
      annotations: [],
      unplaced: [],
      logprobs: [],
      sentLogprobs: 0,
    };
    item.openParts++;
    this.#open.set(index, { of: 'part', item, part });
    if (item.parts.length === 0) this.#placePart(item, part);
  }

  /** State attached to text may come in an empty part after it, which is not part of the content. */
  #placePart(item: MessageItem, part: MessagePart): void {
    if (part.placed) return;
    part.placed = true;
    part.contentIndex = item.parts.length;
    item.parts.push(part);
    this.#emit('response.content_part.added', { ...inPart(item, part), part: partWire(part) });
  }

  #startCall(index: number, block: Extract<OpenBlock, { kind: 'tool-call' }>): void {
    if (this.#context.responseOptions.oneToolCall === true && this.#calls > 0) {
      this.losses.add('output.function_call');
      return;
    }
    this.#calls++;
    const { form, name } = block;
    const place = this.#place(form === 'function' ? 'fc' : 'ctc');
    const item: CallItem = { kind: 'call', ...place, form, callId: block.id, name, text: '' };
    this.#items.push(item);
    this.#open.set(index, { of: 'item', item });
    this.#announce(item);
  }

  /** Its query is only known once it is complete. */
  #startSearch(index: number): void {
    const place = this.#place('ws');
    const wire = {
      id: place.id,
      type: 'web_search_call',
      status: 'in_progress',
      action: { type: 'search', query: '' },
    };
    const item: WholeItem = { kind: 'whole', ...place, wire, text: '' };
    this.#items.push(item);
    this.#open.set(index, { of: 'item', item });
    this.#announce(item);
    searchStarted(item, this.#emit);
  }

  #whole(wire: JsonObject): void {
    const place = this.#place('item');
    const id = stringAt(wire, 'id') ?? place.id;
    const item: WholeItem = { kind: 'whole', ...place, id, wire: { ...wire, id }, text: '' };
    this.#items.push(item);
    this.#complete(item);
  }

  #redacted(seal: Sealed): void {
    const place = this.#place('rs');
    const id = seal.itemId ?? place.id;
    const sealed = sealText(seal, id, this.#context.sealing);
    if (sealed === undefined) {
      this.losses.add('output.reasoning.encrypted_content', 'foreign-seal');
      return;
    }
    const item: ReasoningItem = { kind: 'reasoning', ...place, id, form: 'summary', text: '', sealed };
    this.#items.push(item);
    this.#complete(item);
  }

  #delta(index: number, text: string): void {
    const open = this.#open.get(index);
    if (open === undefined) return;
    if (open.of === 'part') {
      if (text !== '') this.#placePart(open.item, open.part);
      if (!open.part.placed) return;
      open.part.text += text;
      partDelta(open.item, open.part, text, this.#emit);
      return;
    }
    const { item } = open;
    if (item.kind === 'reasoning') this.#openThought(item);
    item.text += text;
    if (item.kind === 'reasoning') thoughtDelta(item, text, this.#emit);
    else if (item.kind === 'call') callDelta(item, text, this.#emit);
  }

  /** Opened with its first text, because its own id may arrive until then. */
  #openThought(item: ReasoningItem): void {
    if (item.announced) return;
    this.#announce(item);
    thoughtAdded(item, this.#emit);
  }

  #note(index: number, note: BlockNote): void {
    const own = note.extras?.[ID];
    if (own?.['newMessage'] === true) this.#startMessage(index);
    const open = this.#open.get(index);
    if (open === undefined) return;
    if (own !== undefined) takeOwn(open.item, own);
    if (open.of === 'item' && open.item.kind === 'whole' && note.result !== undefined) open.item.result = note.result;
    if (open.of !== 'part') return;
    if (note.logprobs !== undefined || note.citation !== undefined) this.#placePart(open.item, open.part);
    if (note.logprobs !== undefined && this.#context.responseOptions.logprobs) {
      if (open.part.kind === 'refusal') this.losses.add('output.content.logprobs');
      for (const logprob of note.logprobs) open.part.logprobs.push(logprob);
    }
    if (note.citation === undefined) return;
    if (note.citation.kind === 'web' && note.citation.to === undefined) open.part.unplaced.push(note.citation);
    else this.#annotate(open.item, open.part, note.citation);
  }

  /** The part begins a message of its own, unless its content has a place in another. */
  #startMessage(index: number): void {
    const open = this.#open.get(index);
    if (open?.of !== 'part' || open.part.placed) return;
    open.item.openParts--;
    this.#leaveMessage();
    this.#startPart(index, open.part.kind);
  }

  #annotate(item: MessageItem, part: MessagePart, citation: Citation): void {
    const annotation = writeAnnotation(citation, part.text.length);
    if (annotation === undefined) {
      this.losses.add('output.content.annotations');
      return;
    }
    part.annotations.push(annotation);
    const annotation_index = part.annotations.length - 1;
    this.#emit('response.output_text.annotation.added', { ...inPart(item, part), annotation_index, annotation });
  }

  /** State that its block has no field for follows in a reasoning item of its own. */
  #seal(index: number, seal: Sealed): void {
    const open = this.#open.get(index);
    if (open === undefined) return;
    if (open.of === 'part' || open.item.kind !== 'reasoning') {
      open.seal = seal;
      return;
    }
    const { item } = open;
    if (!item.announced && seal.itemId !== undefined) item.id = seal.itemId;
    // Programs send back summaries, but not this text, without which its signature proves nothing.
    const keepsText = seal.kind === 'signature' && item.form === 'full' && item.text !== '';
    item.sealed = sealText(keepsText ? { ...seal, text: item.text } : seal, item.id, this.#context.sealing);
    if (item.sealed === undefined) this.losses.add('output.reasoning.encrypted_content', 'foreign-seal');
  }

  #end(index: number): void {
    const open = this.#open.get(index);
    if (open === undefined) return;
    this.#open.delete(index);
    if (open.of === 'part') this.#endPart(open.item, open.part);
    else this.#endItem(open.item);
    if (open.seal === undefined) return;
    this.#leaveMessage();
    // A seal that came without text signs none, and must not be attached to the text before it when it comes back.
    const isAlone = open.of === 'part' && open.part.text === '' && open.seal.kind === 'carry';
    this.#redacted(isAlone ? { ...open.seal, kind: 'sealed' } : open.seal);
  }

  #endItem(item: CallItem | ReasoningItem | WholeItem): void {
    if (item.kind === 'call') callDone(item, this.#emit);
    else if (item.kind === 'whole') this.#endSearch(item);
    else if (item.text !== '') thoughtDone(item, this.#emit);
    this.#complete(item);
  }

  #endPart(item: MessageItem, part: MessagePart): void {
    for (const citation of part.unplaced) this.#annotate(item, part, citation);
    if (part.placed) partDone(item, part, this.#emit);
    item.openParts--;
    if (item.closing && item.openParts === 0) this.#complete(item);
  }

  #endSearch(item: WholeItem): void {
    const query = stringAt(argumentsObject(item.text), 'query') ?? '';
    const sources = sourcesOf(item.result?.content);
    const action = { type: 'search', query, queries: [query], ...(sources.length > 0 && { sources }) };
    const status = item.result?.error === undefined ? 'completed' : 'failed';
    item.wire = { ...item.wire, status, action, ...item.own };
    searchDone(item, this.#emit);
  }

  #leaveMessage(): void {
    const item = this.#message;
    this.#message = undefined;
    if (item === undefined) return;
    item.closing = true;
    if (item.openParts === 0) this.#complete(item);
  }
}

/** Members that an upstream of this dialect gave its item. */
function takeOwn(item: EmittedItem, own: JsonObject): void {
  const { itemId, phase, namespace } = own;
  if (item.kind === 'reasoning' && typeof itemId === 'string' && !item.announced) item.id = itemId;
  if (item.kind === 'message' && typeof phase === 'string') item.phase = phase;
  if (item.kind === 'call' && typeof namespace === 'string') item.namespace = namespace;
  if (item.kind === 'whole') item.own = own;
}

/** The URL of each page that was found: all that this format includes. */
const sourcesOf = (found: Json | undefined): JsonObject[] =>
  (isJsonArray(found) ? found : []).flatMap((page) => {
    const url = isJsonObject(page) ? stringAt(page, 'url') : undefined;
    return url === undefined ? [] : [{ type: 'url', url }];
  });
