// The examples are checked by an independent validator.
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { exampleFor } from './schema-example.ts';

const schemas: readonly object[] = [
  {
    type: 'object',
    properties: { a: { type: 'string', minLength: 12 }, b: { type: 'number', minimum: 7 } },
    required: ['a', 'b'],
  },
  { type: 'array', items: { type: 'integer', exclusiveMinimum: 4, multipleOf: 5 }, minItems: 3 },
  { enum: ['red', 'green'] },
  { const: 42 },
  { type: ['null', 'boolean'] },
  { anyOf: [{ type: 'string', maxLength: 2 }, { type: 'null' }] },
  {
    allOf: [
      { type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] },
      { properties: { b: { type: 'null' } } },
    ],
  },
  { type: 'number', maximum: -3 },
  {
    type: 'object',
    properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] }, v: { $ref: '#/$defs/v' } },
    required: ['next', 'v'],
    additionalProperties: false,
    $defs: { v: { type: 'string', format: 'uuid' } },
  },
];

describe('exampleFor', () => {
  test.each(schemas.map((schema) => [JSON.stringify(schema), schema] as const))('conforms to %s', (_text, schema) => {
    expect(Compile(schema).Errors(exampleFor(schema))).toEqual([]);
  });

  test('terminates on a recursive schema', () => {
    const endless = { type: 'object', properties: { again: { $ref: '#' } }, required: ['again'] };
    expect(JSON.stringify(exampleFor(endless)).length).toBeLessThan(1000);
  });
});
