/** What an answer of a host differs in from what is known of its format, and from what it should mean. */
import { GatewayError, type Json, type TextAnswer } from '@trivium/protocol/canonical';
import type { ClientHalf } from '@trivium/protocol/dialects';
import { SseReader } from '@trivium/protocol/framing';
import { fold } from '@trivium/protocol/stream';
import type { Target } from '../../kernel/target.ts';
import { differencesIn, type ShapeDifference, wireWord } from '../../models/shapes/differences.ts';
import { type KnownShapes, knownEvent } from '../../models/shapes/known.ts';
import { masked } from '../../models/shapes/mask.ts';
import { eventKind, orderDifferences } from '../../models/shapes/order.ts';

export type JudgedShape = {
  readonly differences: readonly ShapeDifference[];
  /** Without content. */
  readonly shape: Json;
  readonly answer?: TextAnswer;
};

export const MAX_EVENT_LENGTH = 1 << 22;
const MAX_SHOWN_EVENTS = 64;
const NOT_JSON: ShapeDifference = { kind: 'other type', at: 'answer', seen: 'not JSON', known: 'object' };

export const meaning = (seen: string): ShapeDifference => ({ kind: 'meaning', at: 'answer', seen });

/** The sentences of our codecs name fields; those of hosts may quote content, and are not shown. */
export const whyUnread = (error: unknown): string =>
  error instanceof GatewayError ? `our codec refuses it (${error.fault.kind})` : 'our codec fails at it';

export function parsed(text: string): { readonly value: Json } | undefined {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return undefined;
  }
}

export function judgeWhole(text: string, root: string, shapes: KnownShapes, isWhole = root !== 'error'): JudgedShape {
  const body = parsed(text);
  if (body === undefined) return { differences: [NOT_JSON], shape: '<text>' };
  const known = shapes.roots[root];
  if (known === undefined) return { differences: [], shape: masked(body.value, undefined) };
  const differences = differencesIn(body.value, known, root, { missing: isWhole });
  return { differences, shape: masked(body.value, known) };
}

export function judgeAnswer(text: string, shapes: KnownShapes, client: ClientHalf, target: Target): JudgedShape {
  const judged = judgeWhole(text, 'answer', shapes);
  const body = parsed(text);
  if (body === undefined) return judged;
  try {
    return { ...judged, answer: client.decodeAnswer(body.value, target.facts) };
  } catch (error) {
    return { ...judged, differences: [...judged.differences, meaning(whyUnread(error))] };
  }
}

export function judgeStream(text: string, shapes: KnownShapes, client: ClientHalf, target: Target): JudgedShape {
  const found = new Map<string, ShapeDifference>();
  const add = (difference: ShapeDifference): void => {
    found.set(`${difference.kind} ${difference.at} ${difference.seen}`, difference);
  };
  const kinds: string[] = [];
  const shown: Json[] = [];
  const decoder = client.eventDecoder(target.facts);
  const events: ReturnType<typeof decoder.push>[number][] = [];
  const reader = new SseReader(MAX_EVENT_LENGTH);
  const take = ({ event, data }: { readonly event?: string; readonly data: string }): void => {
    const body = data === '[DONE]' ? undefined : parsed(data);
    const kind = eventKind(event, body === undefined ? data : body.value);
    if (kind !== undefined) kinds.push(kind);
    if (body !== undefined) {
      const known = knownEvent(shapes, event, body.value);
      if (known === undefined) add({ kind: 'new event', at: 'stream', seen: wireWord(event ?? '') });
      else for (const difference of differencesIn(body.value, known, 'event')) add(difference);
      if (shown.length < MAX_SHOWN_EVENTS)
        shown.push({ ...(event !== undefined && { event: wireWord(event) }), data: masked(body.value, known) });
    } else if (data !== '[DONE]') add({ ...NOT_JSON, at: 'event' });
    events.push(...decoder.push({ ...(event !== undefined && { event }), data }));
  };
  let answer: TextAnswer | undefined;
  try {
    reader.push(text, take);
    reader.end(take);
    events.push(...decoder.end());
    const fault = events.find(({ type }) => type === 'answer-fault');
    if (fault !== undefined) add(meaning('our codec reads a failure in the stream'));
    else answer = fold(events);
  } catch (error) {
    add(meaning(whyUnread(error)));
  }
  for (const difference of orderDifferences(kinds, new Set(shapes.order))) add(difference);
  return { differences: [...found.values()], shape: shown, ...(answer !== undefined && { answer }) };
}
