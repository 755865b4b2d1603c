/** The items of one answer while they grow: each knows its index, its id and its current form. */
import type { Citation, TokenLogprob } from '../../canonical/content.ts';
import type { BlockNote } from '../../canonical/events.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { writeLogprobs } from '../upstream-answers.ts';

type Place = { readonly index: number; id: string; announced: boolean; done: boolean };

export type MessagePart = {
  readonly kind: 'text' | 'refusal';
  contentIndex: number;
  /** It has its position in the message; a later part gets one only when it has content. */
  placed: boolean;
  text: string;
  readonly annotations: JsonObject[];
  /** Citations without a range apply to the whole text: sent when it is complete. */
  readonly unplaced: Citation[];
  readonly logprobs: TokenLogprob[];
  /** How many of them have been sent with the text. */
  sentLogprobs: number;
};
export type MessageItem = Place & {
  readonly kind: 'message';
  readonly parts: MessagePart[];
  openParts: number;
  /** Another item has started: no more parts for this one. */
  closing: boolean;
  phase?: string;
};
export type CallItem = Place & {
  readonly kind: 'call';
  readonly form: 'function' | 'custom';
  readonly callId: string;
  readonly name: string;
  namespace?: string;
  text: string;
};
export type ReasoningItem = Place & {
  readonly kind: 'reasoning';
  readonly form: 'full' | 'summary';
  text: string;
  sealed: string | undefined;
};
/** An item of the dialect itself, or one emitted at once. */
export type WholeItem = Place & {
  readonly kind: 'whole';
  wire: JsonObject;
  text: string;
  /** What an upstream of this dialect says of its search. */
  own?: JsonObject;
  /** The result of a search. */
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
      return {
        id: item.id,
        type: 'message',
        status,
        role: 'assistant',
        content: item.parts.map(partWire),
        ...(item.phase !== undefined && { phase: item.phase }),
      };
    case 'call':
      return {
        id: item.id,
        type: item.form === 'function' ? 'function_call' : 'custom_tool_call',
        status,
        call_id: item.callId,
        name: item.name,
        ...(item.form === 'function' ? { arguments: item.text } : { input: item.text }),
        ...(item.namespace !== undefined && { namespace: item.namespace }),
      };
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

/** The members that identify the item of an event. */
export const placeOf = (item: EmittedItem): { readonly item_id: Json; readonly output_index: Json } => ({
  item_id: item.id,
  output_index: item.index,
});
