/** The events that open, extend and close parts of items, in the order and under the names of the format. */
import type { JsonObject } from '../../canonical/json.ts';
import { writeLogprobs } from '../upstream-answers.ts';
import {
  type CallItem,
  type MessageItem,
  type MessagePart,
  partWire,
  placeOf,
  type ReasoningItem,
  type WholeItem,
} from './output-items.ts';

export type Emit = (type: string, members: JsonObject) => void;

export const inPart = (item: MessageItem, part: MessagePart): JsonObject => ({
  ...placeOf(item),
  content_index: part.contentIndex,
});

const inThought = (item: ReasoningItem): JsonObject => ({
  ...placeOf(item),
  ...(item.form === 'summary' ? { summary_index: 0 } : { content_index: 0 }),
});

export function partDelta(item: MessageItem, part: MessagePart, text: string, emit: Emit): void {
  const members = { ...inPart(item, part), delta: text };
  if (part.kind === 'refusal') emit('response.refusal.delta', members);
  else emit('response.output_text.delta', { ...members, logprobs: unsentLogprobs(part) });
}

/** Each log probability is sent once, with the first text that follows it. */
function unsentLogprobs(part: MessagePart): JsonObject[] {
  const fresh = part.logprobs.slice(part.sentLogprobs);
  part.sentLogprobs = part.logprobs.length;
  return writeLogprobs(fresh, []);
}

export function partDone(item: MessageItem, part: MessagePart, emit: Emit): void {
  const place = inPart(item, part);
  if (part.kind === 'refusal') emit('response.refusal.done', { ...place, refusal: part.text });
  else emit('response.output_text.done', { ...place, text: part.text, logprobs: writeLogprobs(part.logprobs, []) });
  emit('response.content_part.done', { ...place, part: partWire(part) });
}

type ThoughtNames = { readonly part: string; readonly text: string; readonly partType: string };
const THOUGHTS: Readonly<Record<ReasoningItem['form'], ThoughtNames>> = {
  summary: {
    part: 'response.reasoning_summary_part',
    text: 'response.reasoning_summary_text',
    partType: 'summary_text',
  },
  full: { part: 'response.content_part', text: 'response.reasoning_text', partType: 'reasoning_text' },
};

export function thoughtAdded(item: ReasoningItem, emit: Emit): void {
  const { part, partType } = THOUGHTS[item.form];
  emit(`${part}.added`, { ...inThought(item), part: { type: partType, text: '' } });
}

export const thoughtDelta = (item: ReasoningItem, text: string, emit: Emit): void =>
  emit(`${THOUGHTS[item.form].text}.delta`, { ...inThought(item), delta: text });

export function thoughtDone(item: ReasoningItem, emit: Emit): void {
  const { part, text, partType } = THOUGHTS[item.form];
  emit(`${text}.done`, { ...inThought(item), text: item.text });
  emit(`${part}.done`, { ...inThought(item), part: { type: partType, text: item.text } });
}

const callEvents = ({ form }: CallItem): string =>
  form === 'function' ? 'response.function_call_arguments' : 'response.custom_tool_call_input';

export const callDelta = (item: CallItem, text: string, emit: Emit): void =>
  emit(`${callEvents(item)}.delta`, { ...placeOf(item), delta: text });

export function callDone(item: CallItem, emit: Emit): void {
  const text = item.form === 'function' ? { arguments: item.text } : { input: item.text };
  emit(`${callEvents(item)}.done`, { ...placeOf(item), ...text });
}

export const searchStarted = (item: WholeItem, emit: Emit): void =>
  emit('response.web_search_call.in_progress', placeOf(item));

export function searchDone(item: WholeItem, emit: Emit): void {
  emit('response.web_search_call.searching', placeOf(item));
  emit('response.web_search_call.completed', placeOf(item));
}
