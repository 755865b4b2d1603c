/** Limits on the complexity of a schema, in either language: upstreams refuse more, each with its own error. */
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { malformed } from '../checking.ts';

/** Nesting depth, the outermost schema counted. */
const MAX_SCHEMA_DEPTH = 32;
const MAX_PROPERTY_NAME_LENGTH = 256;
/** Per list. */
const MAX_ENUM_VALUES = 1000;

const ONE = ['items', 'additionalProperties', 'not'] as const;
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions'] as const;

/** The error names the path of the whole schema; its message says which limit was exceeded. */
export function checkComplexity(schema: JsonObject, path: string): void {
  const problem = excess(schema, 1);
  if (problem !== undefined) throw malformed(path, `is too complex: ${problem}`);
}

function excess(schema: Json | undefined, depth: number): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (depth > MAX_SCHEMA_DEPTH) return `schemas may be nested ${MAX_SCHEMA_DEPTH} deep`;
  const values = schema['enum'];
  if (isJsonArray(values) && values.length > MAX_ENUM_VALUES) return `an enum may have ${MAX_ENUM_VALUES} values`;
  for (const keyword of ONE) {
    const found = excess(schema[keyword], depth + 1);
    if (found !== undefined) return found;
  }
  for (const keyword of LISTS) {
    const found = excessAmong(schema[keyword], depth + 1);
    if (found !== undefined) return found;
  }
  for (const keyword of MAPS) {
    const named = schema[keyword];
    if (!isJsonObject(named)) continue;
    if (Object.keys(named).some((name) => name.length > MAX_PROPERTY_NAME_LENGTH))
      return `a property's name may have ${MAX_PROPERTY_NAME_LENGTH} characters`;
    const found = excessAmong(Object.values(named), depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function excessAmong(schemas: Json | undefined, depth: number): string | undefined {
  if (!isJsonArray(schemas)) return undefined;
  for (const schema of schemas) {
    const found = excess(schema, depth);
    if (found !== undefined) return found;
  }
  return undefined;
}
