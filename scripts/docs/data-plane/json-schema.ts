/** Plain JSON Schema from the checkers' own schemas, with what the checkers look at one by one put in its place. */

export type JsonSchema = { readonly [member: string]: unknown };

export const plain = (schema: object): JsonSchema => JSON.parse(JSON.stringify(schema)) as JsonSchema;

export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** One of a table of schemas by tag; tables whose schemas leave the tag out get it here. */
export const byTag = (tag: string, table: Readonly<Record<string, object>>): JsonSchema => ({
  anyOf: Object.entries(table).map(([name, schema]) => withTag(tag, name, plain(schema))),
});

const withTag = (tag: string, name: string, schema: JsonSchema): JsonSchema => {
  const properties = (schema['properties'] ?? {}) as JsonSchema;
  if (tag in properties) return { title: name, ...schema };
  const required = (schema['required'] ?? []) as readonly string[];
  return {
    title: name,
    ...schema,
    required: [tag, ...required],
    properties: { [tag]: { const: name }, ...properties },
  };
};

/** Further alternatives of a union. */
export const orElse = (union: JsonSchema, ...more: readonly JsonSchema[]): JsonSchema => ({
  anyOf: [...(union['anyOf'] as readonly JsonSchema[]), ...more],
});

/** What is of another type is left out with a loss. */
export const otherTyped = (known: readonly string[]): JsonSchema => ({
  title: 'other',
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string', not: { enum: known } } },
  description: 'Other types are left out where the host does not have them, and reported as a loss.',
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The nodes a step leads to, through unions. */
const stepInto = (node: unknown, step: string): Record<string, unknown>[] => {
  if (!isObject(node)) return [];
  const branches = Array.isArray(node['anyOf']) ? node['anyOf'].flatMap((branch) => stepInto(branch, step)) : [];
  const holder = step === '[]' ? node : node['properties'];
  const name = step === '[]' ? 'items' : step;
  return isObject(holder) && name in holder ? [holder, ...branches] : branches;
};

const nodesAt = (root: unknown, steps: readonly string[]): readonly unknown[] =>
  steps.reduce<readonly unknown[]>(
    (nodes, step) =>
      nodes.flatMap((node) => stepInto(node, step).map((holder) => holder[step === '[]' ? 'items' : step])),
    [root],
  );

/**
 * Replaces the schema at a path such as `messages.[]` in every branch that has it; where null is allowed, it stays so.
 * Throws where there is no such path: then the checker's schema has changed, and so must the document.
 */
export const fill = (schema: JsonSchema, path: string, replacement: JsonSchema): JsonSchema => {
  const copy = structuredClone(schema);
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  const holders = nodesAt(copy, steps).flatMap((node) => stepInto(node, last));
  if (holders.length === 0) throw new Error(`the schema has no ${path}`);
  for (const holder of holders) {
    const name = last === '[]' ? 'items' : last;
    const before = holder[name];
    const allowsNull = isObject(before) && Array.isArray(before['anyOf']) && before['anyOf'].some(isNull);
    holder[name] = allowsNull ? { anyOf: [replacement, { type: 'null' }] } : replacement;
  }
  return copy;
};

/** What is put right before the check: the member at the end of the path may be absent. */
export const optional = (schema: JsonSchema, path: string): JsonSchema => {
  const copy = structuredClone(schema);
  const steps = path.split('.');
  const name = steps.pop() ?? '';
  const owners = nodesAt(copy, steps)
    .filter(isObject)
    .filter(({ required }) => Array.isArray(required) && required.includes(name));
  if (owners.length === 0) throw new Error(`the schema does not require ${path}`);
  for (const owner of owners) owner['required'] = (owner['required'] as string[]).filter((one) => one !== name);
  return copy;
};

const isNull = (branch: unknown): boolean => isObject(branch) && branch['type'] === 'null';
