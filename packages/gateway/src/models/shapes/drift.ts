/** What an answer has that is not known of its format: for a sample of what hosts send while they are called. */
import type { Json } from '@trivium/protocol/canonical';
import { SseReader } from '@trivium/protocol/framing';
import { differencesIn, differenceText, type ShapeDifference, wireWord } from './differences.ts';
import { type KnownShapes, knownEvent } from './known.ts';
import { masked } from './mask.ts';

export type Drift = {
  readonly difference: ShapeDifference;
  /** Of the answer or the event that has it, without content. */
  readonly skeleton: Json;
};

const MAX_EVENT_LENGTH = 1 << 20;
const MAX_DRIFTS = 32;
const OK = 200;

/** Those that hosts and what stands before them answer calls with. */
const KNOWN_STATUSES: ReadonlySet<number> = new Set([
  OK,
  ...[400, 401, 402, 403, 404, 405, 408, 409, 410, 411, 413, 415, 421, 422, 424, 425, 429, 431, 451, 498, 499],
  ...[500, 501, 502, 503, 504, 507, 508, 509, 520, 521, 522, 523, 524, 525, 526, 529, 530],
]);

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
};

/**
 * What is missing, or in another order, is not among them: an answer may end early. What is no JSON is not either: calls
 * fail at it, or it is the page of something between the host and here.
 */
export function driftsIn(status: number, text: string, shapes: KnownShapes): readonly Drift[] {
  if (!KNOWN_STATUSES.has(status))
    return [{ difference: { kind: 'status', at: 'status', seen: String(status) }, skeleton: null }];
  const found = new Map<string, Drift>();
  const add = (difference: ShapeDifference, skeleton: () => Json): void => {
    const name = differenceText(difference);
    if (found.size < MAX_DRIFTS && !found.has(name)) found.set(name, { difference, skeleton: skeleton() });
  };
  if (status !== OK || /^\s*["[{]/.test(text)) {
    const root = status === OK ? 'answer' : 'error';
    const known = shapes.roots[root];
    const body = parsed(text);
    if (known === undefined || body === undefined) return [...found.values()];
    for (const difference of differencesIn(body, known, root)) add(difference, () => masked(body, known));
    return [...found.values()];
  }
  const reader = new SseReader(MAX_EVENT_LENGTH);
  // Without an end: the last event may not be complete.
  reader.push(text, ({ event, data }) => {
    const body = parsed(data);
    if (body === undefined) return;
    const known = knownEvent(shapes, event, body);
    const skeleton = (): Json => ({
      ...(event !== undefined && { event: wireWord(event) }),
      data: masked(body, known),
    });
    if (known === undefined) add({ kind: 'new event', at: 'stream', seen: wireWord(event ?? '') }, skeleton);
    else for (const difference of differencesIn(body, known, 'event')) add(difference, skeleton);
  });
  return [...found.values()];
}
