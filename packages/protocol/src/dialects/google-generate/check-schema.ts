/**
 * Validates schemas in this dialect's own language, keyword by keyword, and JSON Schemas that must not be recursive.
 */
import {
  arrayAt,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import { withoutReferences } from '../../passes/json-schema.ts';
import { checkWith, compile, malformed } from '../checking.ts';
import { SchemaWire } from './wire.ts';

const node = compile(SchemaWire);

/** `NULL` is only allowed among alternatives. */
const TYPES: ReadonlySet<string> = new Set(['STRING', 'INTEGER', 'NUMBER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL']);

export function checkSchema(schema: JsonObject, path: string): void {
  checkComplexity(schema, path);
  checkKeywords(schema, path);
}

function checkKeywords(schema: JsonObject, path: string): void {
  checkWith(node, schema, path);
  const type = stringAt(schema, 'type');
  const alternatives = [...arrayAt(schema, 'anyOf'), ...arrayAt(schema, 'oneOf')].filter(isJsonObject);
  if (type === undefined ? alternatives.length === 0 : !TYPES.has(type.toUpperCase()))
    throw malformed(`${path}.type`, 'must be one of STRING, INTEGER, NUMBER, BOOLEAN, ARRAY, OBJECT');
  for (const [position, alternative] of alternatives.entries())
    checkKeywords(alternative, `${path}.anyOf[${position}]`);
  const items = objectAt(schema, 'items');
  if (items !== undefined) checkKeywords(items, `${path}.items`);
  for (const [name, property] of Object.entries(objectAt(schema, 'properties') ?? {}))
    if (isJsonObject(property)) checkKeywords(property, `${path}.properties.${name}`);
}

export function checkJsonSchema(schema: JsonObject, path: string): void {
  checkComplexity(schema, path);
  if (JSON.stringify(schema).includes('"$ref"') && withoutReferences(schema) === undefined)
    throw malformed(path, 'refers to itself, to nowhere, or is too large');
}

// Limits on the complexity of a schema, in either language: upstreams refuse more, each with its own error.

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
