/** The items of one answer while they grow: each knows its place, its id and what it looks like now. */
import type { Citation, TokenLogprob } from '../../canonical/content.ts';
import type { BlockNote } from '../../canonical/events.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { writeLogprobs } from '../token-logprobs.ts';

type Place = { readonly index: number; id: string; announced: boolean; done: boolean };

export type MessagePart = {
  readonly kind: 'text' | 'refusal';
  contentIndex: number;
  /** It has its place in the message; a later part gets one only when it has something to say. */
  placed: boolean;
  text: string;
  readonly annotations: JsonObject[];
  /** Citations without a range stand for the whole text: told when it is whole. */
  readonly unplaced: Citation[];
  readonly logprobs: TokenLogprob[];
  /** How many of them have gone out beside the text. */
  toldLogprobs: number;
};
export type MessageItem = Place & {
  readonly kind: 'message';
  readonly parts: MessagePart[];
  openParts: number;
  /** Something else has begun: no more parts for this one. */
  closing: boolean;
};
export type CallItem = Place & {
  readonly kind: 'call';
  readonly form: 'function' | 'custom';
  readonly callId: string;
  readonly name: string;
  text: string;
};
export type ReasoningItem = Place & {
  readonly kind: 'reasoning';
  readonly form: 'full' | 'summary';
  text: string;
  sealed: string | undefined;
};
/** Of the dialect itself, or made at once. */
export type WholeItem = Place & {
  readonly kind: 'whole';
  wire: JsonObject;
  text: string;
  /** What a search came back with. */
  result?: NonNullable<BlockNote['result']>;
};
export type EmittedItem = MessageItem | CallItem | ReasoningItem | WholeItem;

export const partWire = (part: MessagePart): JsonObject =>
  part.kind === 'refusal'
    ? { type: 'refusal', refusal: part.text }
    : {
        type: 'output_text',
        text: part.text,
        annotations: part.annotations,
        logprobs: writeLogprobs(part.logprobs, []),
      };

export function itemWire(item: EmittedItem, status: 'in_progress' | 'completed' | 'incomplete'): JsonObject {
  switch (item.kind) {
    case 'message':
      return { id: item.id, type: 'message', status, role: 'assistant', content: item.parts.map(partWire) };
    case 'call':
      return item.form === 'function'
        ? { id: item.id, type: 'function_call', status, call_id: item.callId, name: item.name, arguments: item.text }
        : { id: item.id, type: 'custom_tool_call', status, call_id: item.callId, name: item.name, input: item.text };
    case 'reasoning':
      return {
        id: item.id,
        type: 'reasoning',
        status,
        summary: item.form === 'summary' && item.text !== '' ? [{ type: 'summary_text', text: item.text }] : [],
        ...(item.form === 'full' && item.text !== '' && { content: [{ type: 'reasoning_text', text: item.text }] }),
        ...(item.sealed !== undefined && { encrypted_content: item.sealed }),
      };
    case 'whole':
      return item.wire;
  }
}

/** The members that say which item an event speaks of. */
export const placeOf = (item: EmittedItem): { readonly item_id: Json; readonly output_index: Json } => ({
  item_id: item.id,
  output_index: item.index,
});
