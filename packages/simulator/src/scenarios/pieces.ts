// Small builders that scenarios are written with.
import type { CallFacts } from './ask.ts';
import { exampleFor } from './schema-example.ts';
import type { Piece } from './script.ts';

const ARGUMENT_FRAGMENTS = 4;

/** One piece per word. */
export function say(text: string, kind: 'text' | 'reasoning' | 'refusal' = 'text'): readonly Piece[] {
  const words = text.match(/\s*\S+|\s+$/gu) ?? [];
  return words.map((word) => ({ kind, text: word }));
}

export const think = (text: string): readonly Piece[] => say(text, 'reasoning');

export interface PlannedCall {
  readonly name: string;
  readonly argumentsText: string;
}

export function callPieces({ turn, tools }: CallFacts, call: number, planned: PlannedCall): readonly Piece[] {
  const { name, argumentsText } = planned;
  const isFree = tools.some((tool) => tool.name === name && tool.isFree === true);
  const pieces: Piece[] = [
    { kind: 'call-start', call, id: `call_sim_${turn}_${call}`, name, ...(isFree && { isFree }) },
  ];
  const points = Array.from(argumentsText);
  const size = Math.max(1, Math.ceil(points.length / ARGUMENT_FRAGMENTS));
  for (let at = 0; at < points.length; at += size)
    pieces.push({ kind: 'call-arguments', call, text: points.slice(at, at + size).join('') });
  return pieces;
}

/** Not JSON, and with characters that JSON would escape. */
const FREE_TEXT = 'ls "three roads"\n# café';

const UNDECLARED_CALLS: readonly PlannedCall[] = [
  { name: 'get_weather', argumentsText: '{"city":"Paris","unit":"celsius"}' },
  { name: 'get_time', argumentsText: '{"zone":"Europe/Paris"}' },
  { name: 'search', argumentsText: '{"query":"three roads","limit":3}' },
];

/** The n-th call of an answer: declared tools in turn, or well-known ones if the request declares none. */
export function plannedCall(ask: CallFacts, position: number): PlannedCall {
  const choice = ask.toolChoice;
  const named = typeof choice === 'object' ? ask.tools.find((tool) => tool.name === choice.name) : undefined;
  const tool = named ?? ask.tools[position % Math.max(1, ask.tools.length)];
  if (tool?.isFree === true) return { name: tool.name, argumentsText: FREE_TEXT };
  if (tool !== undefined) return { name: tool.name, argumentsText: JSON.stringify(exampleFor(tool.schema)) };
  return UNDECLARED_CALLS[position % UNDECLARED_CALLS.length] ?? { name: 'get_weather', argumentsText: '{}' };
}

/** 0,1,2,0,1,2 …: a stream of a host that writes several calls at once. */
export function interleave(lists: readonly (readonly Piece[])[]): readonly Piece[] {
  const mixed: Piece[] = [];
  const longest = Math.max(0, ...lists.map((list) => list.length));
  for (let row = 0; row < longest; row += 1) for (const list of lists) mixed.push(...list.slice(row, row + 1));
  return mixed;
}
