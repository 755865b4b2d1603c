/**
 * What is in an answer and not in what is known of its format. A difference names places, types and words of the wire;
 * a member that is not known is not looked into, since what is below it may be content.
 */
import { type Known, letterOf, typeNames } from './known.ts';

export type ShapeDifference = {
  readonly kind: 'new member' | 'other type' | 'new word' | 'missing' | 'new event' | 'order' | 'status' | 'meaning';
  /** Such as `answer.choices[].message.content`. */
  readonly at: string;
  readonly seen: string;
  readonly known?: string;
};

export const differenceText = ({ kind, at, seen, known }: ShapeDifference): string =>
  `${kind} at ${at}: ${seen}${known === undefined ? '' : `, known as ${known}`}`;

/** More of one array would say nothing new. */
const MAX_ITEMS = 64;
const MAX_DIFFERENCES = 32;
const MAX_NAME_LENGTH = 48;
const MAX_DIGITS = 6;
const WIRE_WORD = /^[A-Za-z][A-Za-z0-9_.-]*$/;

/** A name of the wire, or only that there is one: content, ids and secrets do not look like names. */
export const wireWord = (text: string): string => {
  const digits = text.replaceAll(/\D/g, '').length;
  return text.length <= MAX_NAME_LENGTH && digits <= MAX_DIGITS && WIRE_WORD.test(text) ? text : '(not a name)';
};

type Values = Readonly<Record<string, unknown>>;

export type Search = {
  /** Also what is always there and is not; for whole answers only. */
  readonly missing?: boolean;
};

export function differencesIn(value: unknown, known: Known, at: string, search: Search = {}): ShapeDifference[] {
  const found: ShapeDifference[] = [];
  walk(value, known, at, search, found);
  return found;
}

function walk(value: unknown, known: Known, at: string, search: Search, found: ShapeDifference[]): void {
  if (known.x !== undefined || found.length >= MAX_DIFFERENCES) return;
  const letter = letterOf(value);
  if (!known.t.includes(letter)) {
    found.push({ kind: 'other type', at, seen: typeNames(letter), known: typeNames(known.t) });
    return;
  }
  if (letter === 's') {
    if (known.w !== undefined && !known.w.includes(value as string))
      found.push({ kind: 'new word', at, seen: wireWord(value as string) });
  } else if (letter === 'a') {
    if (known.i === undefined) return;
    const items = value as readonly unknown[];
    for (let index = 0; index < items.length && index < MAX_ITEMS; index += 1)
      walk(items[index], known.i, `${at}[]`, search, found);
  } else if (letter === 'o') walkObject(value as Values, known, at, search, found);
}

function walkObject(value: Values, known: Known, at: string, search: Search, found: ShapeDifference[]): void {
  let own = known;
  let place = at;
  if (known.v !== undefined) {
    const { type } = value;
    const variant = typeof type === 'string' && Object.hasOwn(known.v, type) ? known.v[type] : undefined;
    if (variant !== undefined) {
      own = variant;
      place = `${at}<${type}>`;
    } else if (typeof type === 'string' || known.m === undefined) {
      const seen = typeof type === 'string' ? wireWord(type) : 'no type';
      found.push({ kind: 'new word', at: `${at}.type`, seen });
      return;
    }
  }
  const members = own.m ?? {};
  for (const name of Object.keys(value)) {
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member !== undefined) walk(value[name], member, `${place}.${name}`, search, found);
    else if (found.length < MAX_DIFFERENCES)
      found.push({ kind: 'new member', at: `${place}.${wireWord(name)}`, seen: typeNames(letterOf(value[name])) });
  }
  if (search.missing !== true) return;
  for (const name of own.r ?? [])
    if (!Object.hasOwn(value, name) && found.length < MAX_DIFFERENCES)
      found.push({ kind: 'missing', at: `${place}.${name}`, seen: 'nothing' });
}
