/** Positions in a JSON text, even in a truncated one: its beginning is read as far as it goes. */
export type TextSpan = { readonly start: number; readonly end: number };

export type PlacedMember = { readonly name: string; readonly member: TextSpan; readonly value: TextSpan };

const SPACE = /\s/;
const NONE: readonly PlacedMember[] = [];

class Cut extends Error {}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && SPACE.test(text.charAt(at))) at++;
  return at;
}

/** The position after the closing quote. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') at++;
    else if (character === '"') return at + 1;
  }
  throw new Cut();
}

function valueEnd(text: string, from: number): number {
  const first = text.charAt(from);
  if (first === '"') return stringEnd(text, from);
  if (first !== '{' && first !== '[') {
    let at = from;
    while (at < text.length && !',}] \n\r\t'.includes(text.charAt(at))) at++;
    if (at === text.length) throw new Cut();
    return at;
  }
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') at = stringEnd(text, at) - 1;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth === 0) return at + 1;
  }
  throw new Cut();
}

/** The members of the object at `from`. Of a truncated text, those before the cut. */
export function membersOf(text: string, from = 0): readonly PlacedMember[] {
  let at = skipSpace(text, from);
  if (text.charAt(at) !== '{') return NONE;
  const members: PlacedMember[] = [];
  try {
    for (at = skipSpace(text, at + 1); text.charAt(at) === '"'; at = skipSpace(text, at)) {
      const nameEnd = stringEnd(text, at);
      const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
      const end = valueEnd(text, start);
      members.push({
        name: String(JSON.parse(text.slice(at, nameEnd))),
        member: { start: at, end },
        value: { start, end },
      });
      at = skipSpace(text, end);
      if (text.charAt(at) !== ',') break;
      at = skipSpace(text, at + 1);
    }
  } catch {
    // The rest was truncated.
  }
  return members;
}

/** The elements of the array at `from`. */
function elementsOf(text: string, from: number): readonly TextSpan[] {
  const elements: TextSpan[] = [];
  try {
    let at = skipSpace(text, from + 1);
    while (at < text.length && text.charAt(at) !== ']') {
      const end = valueEnd(text, at);
      elements.push({ start: at, end });
      at = skipSpace(text, end);
      if (text.charAt(at) === ',') at = skipSpace(text, at + 1);
    }
  } catch {
    // The rest was truncated.
  }
  return elements;
}

const PART = /[^.[\]]+|\[\]/g;

/**
 * Finds the member that a path such as `messages[2].name` names, or its nearest existing ancestor; undefined if its
 * first part is missing. Every object and array is read once, however many paths lead through it.
 */
export function placesIn(text: string): (path: string) => TextSpan | undefined {
  const members = new Map<number, ReadonlyMap<string, PlacedMember>>();
  const elements = new Map<number, readonly TextSpan[]>();
  const stepTo = (at: number, part: string): { readonly span: TextSpan; readonly at: number } | undefined => {
    if (text.charAt(at) === '[') {
      const known = elements.get(at) ?? elementsOf(text, at);
      elements.set(at, known);
      const element = known[Number(part)];
      return element && { span: element, at: element.start };
    }
    const known = members.get(at) ?? byName(membersOf(text, at));
    members.set(at, known);
    const member = known.get(part);
    return member && { span: member.member, at: member.value.start };
  };
  return (path) => {
    let found: TextSpan | undefined;
    let at = 0;
    for (const [part] of path.matchAll(PART)) {
      const step = stepTo(skipSpace(text, at), part);
      if (step === undefined) return found;
      found = step.span;
      at = step.at;
    }
    return found;
  };
}

/** The first of each name. */
const byName = (members: readonly PlacedMember[]): ReadonlyMap<string, PlacedMember> =>
  new Map(members.toReversed().map((one) => [one.name, one]));
