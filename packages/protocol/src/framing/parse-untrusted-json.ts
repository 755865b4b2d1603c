/**
 * The one door for JSON text that came from a caller: depth, counts and duplicates are judged on the text, then it is parsed,
 * then keys that could reach a prototype are refused. Gives both the value and where its members stand in the text.
 */
import { type JsonBounds, JsonTally } from './json-bounds.ts';
import { type JsonMember, refuseDuplicates, scanMembers } from './json-scan.ts';
import { JsonShapeError } from './json-shape-error.ts';

export type UntrustedObject = {
  readonly value: Readonly<Record<string, unknown>>;
  readonly members: readonly JsonMember[];
};

export function parseUntrustedObject(text: string, bounds: JsonBounds): UntrustedObject {
  const members = scanMembers(text, bounds.depth, tallyFor(text, bounds));
  refuseDuplicates(members);
  const value = parse(text);
  if (!isRecord(value)) throw new JsonShapeError('not-an-object');
  // A key can be spelt with escapes, so the cheap look at the text only decides whether the walk is needed.
  if (text.includes('__proto__') || text.includes('\\u00')) refuseProto(value);
  return { value, members };
}

/** A text has fewer values than characters: a short one is within every bound but that of depth, and need not be counted. */
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
