/**
 * Draws that stay the same for a conversation: by the API key and how the conversation begins, since callers send the
 * whole of it with every call.
 */
import { type JsonMember, stringEnd } from '@trivium/protocol/framing';
import type { Understood } from '../request.ts';
import type { DrawPurpose, PlanPorts } from './plan-among.ts';

/** Undefined: the request belongs to no conversation. */
export function stickyDraw(
  understood: Understood,
  purpose: DrawPurpose,
  policy: string,
  { fractionOf }: Pick<PlanPorts, 'fractionOf'>,
): number | undefined {
  const conversation = conversationOf(understood);
  if (conversation === undefined) return undefined;
  const { accountId, keyId } = understood.caller;
  return fractionOf(`${purpose} ${policy}\n${accountId} ${keyId}\n${conversation}`);
}

/** The caller's own name for what belongs together, and the first turn; later calls repeat both. */
function conversationOf({ dialect, text, members, longStrings }: Understood): string | undefined {
  if (!('caching' in dialect.server)) return undefined;
  const { prompt, groupMember } = dialect.server.caching;
  const named = (name: string | undefined): JsonMember | undefined => members.find((one) => one.name === name);
  const turns = named(prompt.at(-1));
  if (turns === undefined) return undefined;
  const group = named(groupMember);
  const first = firstTurn(text, turns);
  // Marks of long strings are random for each request.
  const whole = longStrings?.isIn(first) === true ? longStrings.restore(first) : first;
  return `${group === undefined ? '' : text.slice(group.valueStart, group.valueEnd)}\n${bounded(unmarked(whole))}`;
}

const OPENING = new Set(['[', '{']);
const CLOSING = new Set([']', '}']);
/** Inside a string the quotes would be escaped. */
const INSTRUCTIONS = /"role"\s*:\s*"(?:system|developer)"/;

/** The first element of the list that instructs no model; of a text, the text. */
function firstTurn(text: string, { valueStart, valueEnd }: JsonMember): string {
  if (text[valueStart] !== '[') return text.slice(valueStart, valueEnd);
  let depth = 0;
  let start = valueStart + 1;
  for (let at = start; at < valueEnd; at++) {
    const character = text[at]!;
    if (character === '"') at = stringEnd(text, at) - 1;
    else if (OPENING.has(character)) {
      if (depth++ === 0) start = at;
    } else if (CLOSING.has(character) && --depth === 0) {
      const element = text.slice(start, at + 1);
      if (!INSTRUCTIONS.test(element)) return element;
    }
  }
  return text.slice(start, valueEnd);
}

/** Callers move marks for caching from turn to turn. */
const unmarked = (turn: string): string =>
  turn.replaceAll(/(?:,\s{0,64})?"cache_control"\s*:\s*(?:\{[^{}]*\}|null)/g, '');

/** Enough of both ends to tell conversations apart. */
const END_CHARACTERS = 8192;
const bounded = (turn: string): string =>
  turn.length <= 2 * END_CHARACTERS
    ? turn
    : `${turn.slice(0, END_CHARACTERS)}${turn.length}${turn.slice(-END_CHARACTERS)}`;
