/**
 * Finds the top-level members of a JSON object in its text and limits its depth before it is parsed; with a tally it
 * also limits the other counts, but not the length of strings. It proves structure, not validity: `JSON.parse` on the
 * same text must follow before the text is trusted.
 */
import { type JsonBounds, JsonShapeError, JsonTally } from './json-bounds.ts';

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

/**
 * Runs over every body and every answer. White space is rare between the parts of a JSON text, so the scan tests for it
 * before skipping it.
 */
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

/** Up to this many members are compared pairwise; only beyond that a set pays off. */
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

/** Skips any value except a string. */
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

/** `maxDepth` does not count the enclosing object, although the bound does. */
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

// Replaces, adds, renames or removes top-level members of a JSON object's text; every other character stays unchanged.

/** `value` is JSON text; undefined removes the member. A rename keeps the value's own text. */
export type Edit =
  | { readonly name: string; readonly value: string | undefined }
  | { readonly name: string; readonly renameTo: string };

export function splice(text: string, members: readonly JsonMember[], edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  let out = '';
  // Everything before `from` has been written; members without an edit are copied in long runs.
  let from = 0;
  let keptAny = false;
  const table = edits.length > FEW ? new Map(edits.toReversed().map((edit) => [edit.name, edit])) : undefined;
  for (let position = 0; position < members.length; position++) {
    const member = members[position]!;
    let edit = table?.get(member.name);
    if (table === undefined)
      for (const each of edits)
        if (each.name === member.name) {
          edit = each;
          break;
        }
    if (edit === undefined) {
      keptAny = true;
    } else if ('renameTo' in edit) {
      out += text.slice(from, member.start) + JSON.stringify(edit.renameTo);
      from = stringEnd(text, member.start);
      keptAny = true;
    } else if (edit.value !== undefined) {
      out += text.slice(from, member.valueStart) + edit.value;
      from = member.valueEnd;
      keptAny = true;
    } else if (keptAny) {
      // Removed together with the separator before it.
      out += text.slice(from, members[position - 1]!.valueEnd);
      from = member.valueEnd;
    } else {
      // No member before it remains, so it is removed together with the separator after it.
      out += text.slice(from, member.start);
      from = members[position + 1]?.start ?? member.valueEnd;
    }
  }
  const end = members[members.length - 1]?.valueEnd ?? text.indexOf('{') + 1;
  out += text.slice(from, end);
  for (const edit of edits) {
    if (!('value' in edit) || edit.value === undefined || isMember(edit.name, members)) continue;
    out += `${keptAny ? ',' : ''}${JSON.stringify(edit.name)}:${edit.value}`;
    keptAny = true;
  }
  return out + text.slice(Math.max(from, end));
}

/**
 * A linear search through a few edits is faster than building a map per request. Callers who send many unknown members
 * exceed it.
 */
const FEW = 16;

function isMember(wanted: string, members: readonly JsonMember[]): boolean {
  for (const { name } of members) if (name === wanted) return true;
  return false;
}

// The only parser for JSON text from a caller: it checks depth, counts and duplicates on the text, then parses it, then
// refuses keys that could reach a prototype. Returns the value and the positions of its members in the text.

export type UntrustedObject = {
  readonly value: Readonly<Record<string, unknown>>;
  readonly members: readonly JsonMember[];
};

export function parseUntrustedObject(text: string, bounds: JsonBounds): UntrustedObject {
  const members = scanMembers(text, bounds.depth, tallyFor(text, bounds));
  refuseDuplicates(members);
  const value = parse(text);
  if (!isRecord(value)) throw new JsonShapeError('not-an-object');
  // A key can be written with escapes, so the cheap text search only decides whether the walk is needed.
  if (text.includes('__proto__') || text.includes('\\u00')) refuseProto(value);
  return { value, members };
}

/** A text has fewer values than characters: a short one is within every bound except depth and needs no counting. */
function tallyFor(text: string, bounds: JsonBounds): JsonTally | undefined {
  const { membersPerObject, elementsPerArray, values } = bounds;
  return text.length > Math.min(membersPerObject, elementsPerArray, values) ? new JsonTally(bounds) : undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw Object.assign(new JsonShapeError('not-json'), { cause });
  }
}

function refuseProto(root: object): void {
  const queue: object[] = [root];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (Object.hasOwn(next, '__proto__')) throw new JsonShapeError('forbidden-member', '__proto__');
    for (const child of Object.values(next)) if (typeof child === 'object' && child !== null) queue.push(child);
  }
}
