import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../canonical/json.ts';
import { fromOpenApi, toOpenApi, withoutReferences } from './json-schema.ts';

describe('from OpenAPI', () => {
  test('every keyword is converted', () => {
    const own: JsonObject = {
      type: 'OBJECT',
      title: 't',
      description: 'd',
      properties: {
        b: { type: 'STRING', format: 'date', pattern: 'x', minLength: 1, maxLength: 2, nullable: true },
        a: { type: 'ARRAY', items: { type: 'INTEGER', minimum: 0, maximum: 9 }, minItems: 1, maxItems: 2 },
        c: { type: 'STRING', enum: ['x', 'y'] },
      },
      required: ['a'],
      propertyOrdering: ['a', 'b'],
    };
    const schema = fromOpenApi(own);
    expect(schema).toEqual({
      type: 'object',
      title: 't',
      description: 'd',
      properties: {
        a: { type: 'array', items: { type: 'integer', minimum: 0, maximum: 9 }, minItems: 1, maxItems: 2 },
        b: { type: ['string', 'null'], format: 'date', pattern: 'x', minLength: 1, maxLength: 2 },
        c: { type: 'string', enum: ['x', 'y'] },
      },
      required: ['a'],
    });
    expect(Object.keys(schema['properties'] as JsonObject)).toEqual(['a', 'b', 'c']);
  });
  test('numbers of properties that came as text become numbers', () => {
    const own = { type: 'OBJECT', properties: { a: { type: 'OBJECT', minProperties: '1' } }, maxProperties: '12' };
    expect(fromOpenApi(own)).toEqual({
      type: 'object',
      properties: { a: { type: 'object', minProperties: 1 } },
      maxProperties: 12,
    });
  });
  test('values of a numeric enum, which are text, become numbers if all of them are', () => {
    const converted = (type: string, ...values: string[]) => fromOpenApi({ enum: values, type })['enum'];
    expect(converted('INTEGER', '1', '-2')).toEqual([1, -2]);
    expect(converted('NUMBER', '0.5', '1e3')).toEqual([0.5, 1000]);
    for (const values of [['1', 'two'], ['1', ''], ['1.5'], ['9007199254740993']])
      expect(converted('INTEGER', ...values)).toEqual(values);
    expect(converted('STRING', '1')).toEqual(['1']);
    expect(fromOpenApi({ type: 'INTEGER', enum: ['1'], nullable: true })['enum']).toEqual([1, null]);
  });
  test('the schema of further properties is converted, too', () => {
    const map = (additionalProperties: Json) => fromOpenApi({ type: 'OBJECT', additionalProperties });
    expect(map({ type: 'ARRAY', items: { type: 'STRING' } })).toEqual({
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    });
    expect(map(false)).toEqual({ type: 'object', additionalProperties: false });
  });
  test('oneOf becomes anyOf, and a nullable choice has null among its options', () => {
    expect(fromOpenApi({ oneOf: [{ type: 'STRING' }], nullable: true })).toEqual({
      anyOf: [{ type: 'string' }, { type: 'null' }],
    });
    expect(fromOpenApi({ type: 'STRING', enum: ['a'], nullable: true })['enum']).toEqual(['a', null]);
  });
});

describe('references', () => {
  test('are inlined, with the keywords beside them', () => {
    const schema = { $defs: { a: { type: 'string' } }, properties: { x: { $ref: '#/$defs/a', description: 'd' } } };
    expect(withoutReferences(schema)).toEqual({ properties: { x: { type: 'string', description: 'd' } } });
  });
  test('properties may have the names of keywords', () => {
    const properties = { definitions: { type: 'string' }, $defs: { type: 'number' }, $ref: { type: 'boolean' } };
    const schema = { type: 'object', properties, required: ['definitions'], definitions: { a: {} } };
    expect(withoutReferences(schema)).toEqual({ type: 'object', properties, required: ['definitions'] });
  });
  test('to itself, to nothing, or beyond the node limit give no schema', () => {
    expect(withoutReferences({ properties: { x: { $ref: '#' } } })).toBeUndefined();
    expect(withoutReferences({ $ref: '#/$defs/none' })).toBeUndefined();
    expect(withoutReferences({ $ref: '#/__proto__' })).toBeUndefined();
    expect(withoutReferences({ $ref: 'https://x' })).toBeUndefined();
    const bomb: Record<string, JsonObject> = { d0: { type: 'string' } };
    for (let level = 1; level < 30; level++)
      bomb[`d${level}`] = { anyOf: [{ $ref: `#/$defs/d${level - 1}` }, { $ref: `#/$defs/d${level - 1}` }] };
    expect(withoutReferences({ $defs: bomb, $ref: '#/$defs/d29' })).toBeUndefined();
  });
});

describe('to OpenAPI', () => {
  test('words beside a choice of one win over those inside it, in any order', () => {
    const anyOf = [{ type: 'string', description: 'inner', title: 'inner' }, { type: 'null' }];
    const expected = { type: 'STRING', nullable: true, description: 'outer', title: 'inner' };
    expect(toOpenApi({ description: 'outer', anyOf })?.schema).toEqual(expected);
    expect(toOpenApi({ anyOf, description: 'outer' })?.schema).toEqual(expected);
  });
  test('a keyword the smaller language lacks is approximated', () => {
    const lowered = toOpenApi({
      $schema: 'x',
      type: 'object',
      additionalProperties: false,
      properties: {
        kind: { const: 'a' },
        size: { enum: [1, 2] },
        maybe: { type: ['string', 'null'] },
        either: { oneOf: [{ type: 'string' }, { type: 'number' }] },
        some: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        count: { type: 'integer', exclusiveMinimum: 0 },
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
        any: true,
      },
    });
    expect(lowered?.schema['properties']).toEqual({
      kind: { type: 'STRING', enum: ['a'] },
      size: { type: 'STRING', enum: ['1', '2'] },
      maybe: { type: 'STRING', nullable: true },
      either: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] },
      some: { type: 'INTEGER', nullable: true },
      count: { type: 'INTEGER', minimum: 1 },
      pair: { type: 'ARRAY', items: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] } },
      any: {},
    });
    expect(lowered?.loosened).toBe(true);
  });
  test('a schema that came from OpenAPI loses nothing', () => {
    const leaf = fc.constantFrom<JsonObject>(
      { type: 'STRING', minLength: 1 },
      { type: 'INTEGER', maximum: 3, nullable: true },
      { type: 'STRING', enum: ['a', 'b'] },
      { type: 'BOOLEAN' },
    );
    const schema = fc.oneof(
      leaf,
      leaf.map((items): JsonObject => ({ type: 'ARRAY', items })),
      fc
        .dictionary(fc.constantFrom('a', 'b', 'c'), leaf, { minKeys: 1 })
        .map((properties): JsonObject => ({ type: 'OBJECT', properties, propertyOrdering: Object.keys(properties) })),
    );
    fc.assert(
      fc.property(schema, (own) => {
        expect(toOpenApi(fromOpenApi(own))).toEqual({ schema: own, loosened: false });
      }),
    );
  });
});
