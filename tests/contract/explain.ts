/** Says in words why a body is not of its type: of a union, the alternative that its own tags allow and that comes closest. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
};
export type Definitions = Readonly<Record<string, Schema>>;

const TAGS = ['type', 'role', 'object'];

export function explain(schema: Schema, value: unknown, definitions: Definitions, place = '', type = ''): string[] {
  const go = (next: Schema, at: unknown, where = place, name = type): string[] =>
    explain(next, at, definitions, where, name);
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return go(definitions[name] ?? {}, value, place, name);
  }
  if (schema.anyOf !== undefined) {
    const tries = schema.anyOf.map((one) => ({ wrong: go(one, value), meant: isMeant(one, value, definitions) }));
    const best = [...tries].sort((a, b) => Number(b.meant) - Number(a.meant) || a.wrong.length - b.wrong.length)[0];
    return tries.some(({ wrong }) => wrong.length === 0) ? [] : (best?.wrong ?? []);
  }
  const says = (what: string): string => `${place || '/'} ${what} (${type})`;
  if ('const' in schema && value !== schema.const) return [says(`is not ${JSON.stringify(schema.const)}`)];
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [says(`has no value ${JSON.stringify(value)}`)];
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.includes(typeOf(value)) && !(types.includes('number') && typeOf(value) === 'integer'))
    return [says(`is ${typeOf(value)}, not ${types.join(' or ')}`)];
  if (Array.isArray(value)) return value.flatMap((one, at) => go(schema.items ?? {}, one, `${place}/${at}`));
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {}, required = [], additionalProperties = {} } = schema;
  return [
    ...required.filter((name) => !(name in value)).map((name) => says(`lacks ${name}`)),
    ...Object.entries(value).flatMap(([name, inner]) => {
      const own = properties[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
      if (own !== undefined) return go(own, inner, `${place}/${name}`);
      return additionalProperties === false ? [says(`has a member ${name}`)] : [];
    }),
  ];
}

const nameOf = (ref: string): string => decodeURIComponent(ref.slice(ref.lastIndexOf('/') + 1));

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;

/** Whether the value's tags are those of the alternative. */
function isMeant(schema: Schema, value: unknown, definitions: Definitions): boolean {
  if (schema.$ref !== undefined) return isMeant(definitions[nameOf(schema.$ref)] ?? {}, value, definitions);
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => isMeant(one, value, definitions));
  if (typeof value !== 'object' || value === null) return schema.type === typeOf(value);
  if (Array.isArray(value)) return schema.type === 'array';
  return (
    schema.type === 'object' &&
    TAGS.every((tag) => {
      const own = schema.properties?.[tag];
      return own === undefined || explain(own, (value as Record<string, unknown>)[tag], definitions).length === 0;
    })
  );
}
