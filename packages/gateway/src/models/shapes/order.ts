/** The order of the events of a stream, by kinds that are the same in every format. */
import { type ShapeDifference, wireWord } from './differences.ts';

type Values = Readonly<Record<string, unknown>>;
const objectAt = (value: unknown, name: string): Values | undefined => {
  const member = typeof value === 'object' && value !== null ? (value as Values)[name] : undefined;
  return typeof member === 'object' && member !== null ? (member as Values) : undefined;
};
const firstAt = (value: unknown, name: string): unknown => {
  const list = objectAt(value, name);
  return Array.isArray(list) ? list[0] : undefined;
};
const textAt = (value: unknown, name: string): string | undefined => {
  const member = typeof value === 'object' && value !== null ? (value as Values)[name] : undefined;
  return typeof member === 'string' ? member : undefined;
};

/** Sent between any others. */
const ANYWHERE: ReadonlySet<string> = new Set(['ping', 'keepalive']);

/** The part of an event that matters to the order of events; undefined for those that may stand anywhere. */
export function eventKind(event: string | undefined, data: unknown): string | undefined {
  if (data === '[DONE]') return 'done';
  const type = textAt(data, 'type') ?? event;
  if (type !== undefined && ANYWHERE.has(type)) return undefined;
  if (type !== undefined) {
    const inner = textAt(objectAt(data, 'content_block'), 'type') ?? textAt(objectAt(data, 'delta'), 'type');
    return inner === undefined ? wireWord(type) : `${wireWord(type)}/${wireWord(inner)}`;
  }
  if (objectAt(data, 'error') !== undefined || textAt(data, 'error') !== undefined) return 'error';
  if (objectAt(data, 'candidates') !== undefined)
    return textAt(firstAt(data, 'candidates'), 'finishReason') === undefined ? 'part' : 'finish';
  const choice = firstAt(data, 'choices');
  if (choice === undefined) return 'usage';
  return textAt(choice, 'finish_reason') === undefined ? 'part' : 'finish';
}

export const pairsOf = (kinds: readonly string[]): string[] =>
  ['^', ...kinds].map((kind, index) => `${kind}>${kinds[index] ?? '$'}`);

export function orderDifferences(kinds: readonly string[], known: ReadonlySet<string>): ShapeDifference[] {
  const strange = new Set(pairsOf(kinds).filter((pair) => !known.has(pair)));
  return [...strange].map((pair) => {
    const [one = '', next = ''] = pair.split('>');
    const seen = one === '^' ? `begins with ${next}` : next === '$' ? `ends after ${one}` : `${next} after ${one}`;
    return { kind: 'order', at: 'stream', seen };
  });
}
