// Fills in a schema's defaults where the data has no value. Data of the wrong form is left as it is, for the checker.

/** The part of a JSON schema that matters here. */
interface SchemaNode {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly anyOf?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fillMembers = (schema: SchemaNode, data: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const each = Object.values(schema.patternProperties ?? {})[0];
  const filled: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(data)) {
    const own = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : each;
    filled[name] = own === undefined ? value : fillDefaults(own, value);
  }
  for (const [name, own] of Object.entries(schema.properties ?? {})) {
    if (filled[name] === undefined && own.default !== undefined) filled[name] = fillDefaults(own, undefined);
  }
  return filled;
};

/** Returns new maps without a prototype, so that a member named `__proto__` is a member like any other. */
export const fillDefaults = (schema: SchemaNode, data: unknown): unknown => {
  const value = data === undefined ? structuredClone(schema.default) : data;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((entry) => fillDefaults(items, entry));
  }
  return isRecord(value) ? fillMembers(schema, value) : value;
};
