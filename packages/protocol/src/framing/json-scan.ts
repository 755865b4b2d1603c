/**
 * Finds the top-level members of a JSON object in its text and bounds its depth, before it is parsed; with a tally, every other count as well.
 * It proves structure, not validity: `JSON.parse` on the same text must follow before the text is trusted.
 */
import type { JsonTally } from './json-bounds.ts';
import { JsonShapeError } from './json-shape-error.ts';

export type JsonMember = {
  readonly name: string;
  /** Where the member's name begins (its opening quote). */
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
};

const SPACE = 32;
const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Runs over every body and every answer. White space is rare between the parts of a JSON text: it is looked for before it is skipped. */
export function scanMembers(text: string, maxDepth: number, tally?: JsonTally): JsonMember[] {
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== OPEN_OBJECT) throw new JsonShapeError(at < text.length ? 'not-an-object' : 'not-json');
  tally?.open(OPEN_OBJECT);
  at = skipSpace(text, at + 1);
  const members: JsonMember[] = [];
  if (text.charCodeAt(at) === CLOSE_OBJECT) return members;
  for (;;) {
    const nameEnd = stringEnd(text, at);
    const raw = text.slice(at + 1, nameEnd - 1);
    const name = raw.includes('\\') ? unescaped(text.slice(at, nameEnd)) : raw;
    const colon = text.charCodeAt(nameEnd) > SPACE ? nameEnd : skipSpace(text, nameEnd);
    if (text.charCodeAt(colon) !== COLON) throw new JsonShapeError('not-json');
    const valueStart = text.charCodeAt(colon + 1) > SPACE ? colon + 1 : skipSpace(text, colon + 1);
    const isString = text.charCodeAt(valueStart) === QUOTE;
    const valueEnd = isString ? stringEnd(text, valueStart) : skipValue(text, valueStart, maxDepth - 1, tally);
    members.push({ name, start: at, valueStart, valueEnd });
    const next = text.charCodeAt(valueEnd) > SPACE ? valueEnd : skipSpace(text, valueEnd);
    const code = text.charCodeAt(next);
    if (code === CLOSE_OBJECT) return members;
    if (code !== COMMA) throw new JsonShapeError('not-json');
    tally?.comma();
    at = text.charCodeAt(next + 1) > SPACE ? next + 1 : skipSpace(text, next + 1);
  }
}

/** Up to so many members are compared with each other; a set is only worth its making beyond. */
const FEW_MEMBERS = 24;

export function refuseDuplicates(members: readonly JsonMember[]): void {
  if (members.length > FEW_MEMBERS) {
    refuseRepeats(members);
    return;
  }
  for (let later = 1; later < members.length; later++)
    for (let earlier = 0; earlier < later; earlier++)
      if (members[earlier]!.name === members[later]!.name)
        throw new JsonShapeError('duplicate-member', members[later]!.name);
}

function refuseRepeats(members: readonly JsonMember[]): void {
  const seen = new Set<string>();
  for (const { name } of members) {
    if (seen.has(name)) throw new JsonShapeError('duplicate-member', name);
    seen.add(name);
  }
}

function unescaped(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw new JsonShapeError('not-json');
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at;
    at++;
  }
}

/** The position after the closing quote of the string that begins at `from`. */
export function stringEnd(text: string, from: number): number {
  if (text.charCodeAt(from) !== QUOTE) throw new JsonShapeError('not-json');
  // indexOf jumps over megabytes of base64 at memory speed; stepping by character would not.
  for (let quote = text.indexOf('"', from + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
  throw new JsonShapeError('not-json');
}

/** Of anything but a string. */
function skipValue(text: string, from: number, maxDepth: number, tally: JsonTally | undefined): number {
  const first = text.charCodeAt(from);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY)
    return tally === undefined ? skipNested(text, from, maxDepth) : skipCounted(text, from, tally);
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (
      code === COMMA ||
      code === CLOSE_OBJECT ||
      code === CLOSE_ARRAY ||
      code === 32 ||
      code === 10 ||
      code === 13 ||
      code === 9
    )
      break;
  }
  if (at === from) throw new JsonShapeError('not-json');
  return at;
}

/** `maxDepth`: without the object around it, which the bound counts as well. */
function skipNested(text: string, from: number, maxDepth: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      // Most strings end at the next quote.
      const quote = text.indexOf('"', at + 1);
      at = quote !== -1 && text.charCodeAt(quote - 1) !== BACKSLASH ? quote : stringEnd(text, at) - 1;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++depth > maxDepth) throw new JsonShapeError('too-deep', undefined, maxDepth + 1);
    } else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && --depth === 0) return at + 1;
  }
  throw new JsonShapeError('not-json');
}

function skipCounted(text: string, from: number, tally: JsonTally): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at) - 1;
    else if (code === COMMA) tally.comma();
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      tally.open(code);
      depth++;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      tally.close();
      if (--depth === 0) return at + 1;
    }
  }
  throw new JsonShapeError('not-json');
}
