/** Puts together what is known of a shape: from schemas of the makers' types, and from samples. */
import { type Known, letterOf } from '../../packages/gateway/src/models/shapes/known.ts';

export type Schema = Readonly<Record<string, unknown>>;
export type Definitions = Readonly<Record<string, Schema>>;

export class Node {
  readonly types = new Set<string>();
  readonly members = new Map<string, Node>();
  readonly variants = new Map<string, Node>();
  required: Set<string> | undefined;
  items: Node | undefined;
  /** Undefined: any word. */
  words: Set<string> | undefined = new Set();
  isContent = false;
}

/** Members whose value is content, or the caller's own: nothing below them is the format's. */
const CONTENT: ReadonlySet<string> = new Set([
  'input',
  'args',
  'arguments',
  'metadata',
  'tools',
  'schema',
  'parameters',
  'labels',
  'instructions',
  'embedding',
  'values',
  'document',
  'toolSpec',
  'json',
  'logit_bias',
  'additionalModelResponseFields',
  'structuredContent',
]);
/** Of samples: their values are words of the format. */
const WORDS: ReadonlySet<string> = new Set([
  'type',
  'object',
  'role',
  'status',
  'finish_reason',
  'stop_reason',
  'stopReason',
  'finishReason',
  'modality',
]);
const LETTERS: Readonly<Record<string, string>> = {
  string: 's',
  number: 'n',
  integer: 'n',
  boolean: 'b',
  null: 'z',
  object: 'o',
  array: 'a',
};
const ALL = 'snbzoa';
const MAX_DEPTH = 14;

const memberOf = (node: Node, name: string): Node => {
  const found = node.members.get(name) ?? new Node();
  node.members.set(name, found);
  return found;
};
const narrow = (node: Node, names: readonly string[]): void => {
  node.required = new Set(node.required === undefined ? names : names.filter((name) => node.required?.has(name)));
};
function anything(node: Node): void {
  for (const letter of ALL) node.types.add(letter);
  node.isContent = true;
}

const constType = (schema: Schema): string | undefined => {
  const type = (schema['properties'] as Record<string, Schema> | undefined)?.['type'];
  return typeof type?.['const'] === 'string' ? type['const'] : undefined;
};

export function learnSchema(node: Node, schema: Schema, definitions: Definitions, stack: readonly string[] = []): void {
  const { $ref, anyOf, oneOf, allOf, type, enum: words, properties, items } = schema;
  if (typeof $ref === 'string') {
    const name = decodeURIComponent($ref.replace('#/definitions/', ''));
    const inner = definitions[name];
    // A shape within itself, as a tool's result within a turn within a result.
    if (inner === undefined || stack.filter((one) => one === name).length > 1 || stack.length > MAX_DEPTH)
      anything(node);
    else learnSchema(node, inner, definitions, [...stack, name]);
    return;
  }
  for (const part of [anyOf, oneOf, allOf])
    if (Array.isArray(part)) for (const one of part) learnSchema(node, one as Schema, definitions, stack);
  if (typeof schema['const'] === 'string') {
    node.types.add('s');
    node.words?.add(schema['const']);
    return;
  }
  if (Array.isArray(words)) {
    for (const word of words) {
      node.types.add(letterOf(word));
      if (typeof word === 'string') node.words?.add(word);
    }
    return;
  }
  const types = Array.isArray(type) ? (type as string[]) : typeof type === 'string' ? [type] : [];
  for (const one of types) node.types.add(LETTERS[one] ?? 's');
  if (types.includes('string')) node.words = undefined;
  if (types.length === 0 && anyOf === undefined && oneOf === undefined && allOf === undefined) anything(node);
  if (items !== undefined && !Array.isArray(items)) {
    node.items ??= new Node();
    learnSchema(node.items, items as Schema, definitions, stack);
  }
  if (!types.includes('object')) return;
  if (properties === undefined) {
    node.isContent = true;
    return;
  }
  const tag = constType(schema);
  const own = tag === undefined ? node : (node.variants.get(tag) ?? new Node());
  if (tag !== undefined) node.variants.set(tag, own);
  own.types.add('o');
  for (const [name, inner] of Object.entries(properties as Record<string, Schema>)) {
    const member = memberOf(own, name);
    if (CONTENT.has(name)) anything(member);
    else learnSchema(member, inner, definitions, stack);
  }
  narrow(own, (schema['required'] as string[] | undefined) ?? []);
}

/** `isFirst`: no schema is known, so that the words of samples are the words that are known. */
export function learnSample(node: Node, value: unknown, name = ''): void {
  const isNew = node.types.size === 0;
  const letter = letterOf(value);
  node.types.add(letter);
  if (node.isContent) return;
  if (letter === 's') {
    if (isNew && !WORDS.has(name)) node.words = undefined;
    node.words?.add(value as string);
  } else if (letter === 'a') {
    node.items ??= new Node();
    // Runs of numbers end in a sentence that counts them.
    for (const item of value as unknown[])
      if (typeof item !== 'string' || !item.startsWith('…')) learnSample(node.items, item);
  } else if (letter === 'o') learnObject(node, value as Record<string, unknown>, isNew, name);
}

function learnObject(node: Node, value: Record<string, unknown>, isNew: boolean, name: string): void {
  const tag = value['type'];
  const isTagged = typeof tag === 'string' && name !== 'error' && (isNew || node.variants.size > 0);
  const own = isTagged ? (node.variants.get(tag) ?? new Node()) : node;
  if (isTagged) node.variants.set(tag, own);
  own.types.add('o');
  const present = Object.entries(value).filter(([inner]) => !inner.startsWith('<'));
  for (const [inner, member] of present) {
    const known = memberOf(own, inner);
    if (CONTENT.has(inner)) anything(known);
    else learnSample(known, member, inner);
  }
  narrow(
    own,
    present.map(([inner]) => inner),
  );
}

export function knownOf(node: Node): Known {
  if (node.isContent) return { t: ALL, x: 1 };
  const named = (nodes: ReadonlyMap<string, Node>): Record<string, Known> =>
    Object.fromEntries(
      [...nodes].sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, one]) => [key, knownOf(one)]),
    );
  const { items, required, words } = node;
  return {
    t: [...ALL].filter((letter) => node.types.has(letter)).join(''),
    ...(node.members.size > 0 && { m: named(node.members) }),
    ...(required !== undefined && required.size > 0 && { r: [...required].sort() }),
    ...(items !== undefined && items.types.size > 0 && { i: knownOf(items) }),
    ...(node.variants.size > 0 && { v: named(node.variants) }),
    ...(words !== undefined && words.size > 0 && { w: [...words].sort() }),
  };
}
