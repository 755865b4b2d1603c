/**
 * Validates schemas in this dialect's own language, keyword by keyword, and JSON Schemas that must not be recursive.
 */
import { arrayAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { withoutReferences } from '../../passes/json-schema.ts';
import { checkWith, compile, malformed } from '../checking.ts';
import { checkComplexity } from './schema-bounds.ts';
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
