import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../canonical/gateway-error.ts';
import type { JsonObject } from '../canonical/json.ts';
import {
  checkWith,
  compile,
  isGiven,
  malformed,
  type PathStyle,
  refuseUnpriced,
  tagOf,
  unsupported,
} from './checking.ts';
import { fieldOf } from './dialect.fixture.ts';

const schema = compile(
  Type.Object({
    list: Type.Optional(Type.Array(Type.Object({ word: Type.String() }))),
    one: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
    some: Type.Optional(Type.Enum(['x', 'y'])),
    either: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
    orNull: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    count: Type.Optional(Type.Integer({ minimum: 1 })),
    named: Type.Optional(Type.Record(Type.String(), Type.Number())),
  }),
);

function problemOf(value: unknown, path = '', style?: PathStyle): { field: string | undefined; message: string } {
  try {
    checkWith(schema, value, path, style);
  } catch (error) {
    if (error instanceof GatewayError) return { field: error.fault.field, message: error.fault.message };
    throw error;
  }
  throw new Error('nothing was wrong');
}

describe('errors name the path of the problem', () => {
  test('valid values are returned unchanged', () => {
    const value = { list: [{ word: 'w' }], one: 'a' };
    expect(checkWith(schema, value, '')).toBe(value);
  });
  test.each<[unknown, string, PathStyle, string | undefined, string]>([
    [{ list: [{}] }, '', 'brackets', 'list[0].word', 'is required'],
    [{ list: [{}] }, '', 'dots', 'list.0.word', 'is required'],
    [{ list: [{}] }, 'top', 'brackets', 'top.list[0].word', 'is required'],
    [{ list: [{ word: 1 }] }, 'top[2]', 'brackets', 'top[2].list[0].word', 'must be string'],
    [{ one: 'c' }, '', 'brackets', 'one', 'must be one of a, b'],
    [{ some: 'z' }, '', 'brackets', 'some', 'must be one of x, y'],
    [{ either: true }, '', 'brackets', 'either', 'must be one of: string, number'],
    [{ orNull: 1 }, '', 'brackets', 'orNull', 'must be string'],
    [{ count: 0 }, '', 'brackets', 'count', 'must be >= 1'],
    [{ named: { 'a/b~c': 'x' } }, '', 'brackets', 'named.a/b~c', 'must be number'],
    [1, '', 'brackets', undefined, 'The request body must be object'],
    [1, 'top', 'brackets', 'top', 'must be object'],
  ])('%j under %j in %s', (value, path, style, field, words) => {
    const problem = problemOf(value, path, style);
    expect(problem.field).toBe(field);
    expect(problem.message).toContain(words);
  });
  test('brackets are the default path style, and a missing top-level member has its bare name', () => {
    expect(problemOf({ list: [1] }).field).toBe('list[0]');
    const strict = compile(Type.Object({ must: Type.String() }));
    expect(() => checkWith(strict, {}, '')).toThrow("'must' is required.");
  });
});

test('faults name their field if they have one', () => {
  expect(malformed('f', 'is bad', 'c').fault).toEqual({
    kind: 'malformed',
    message: "'f' is bad.",
    field: 'f',
    code: 'c',
  });
  expect(malformed('', 'is bad').fault).toStrictEqual({ kind: 'malformed', message: 'The request body is bad.' });
  expect(unsupported('f', 'is not offered').fault).toStrictEqual({
    kind: 'unsupported',
    message: "'f' is not offered.",
    field: 'f',
  });
  expect(unsupported('', 'is not offered').fault).not.toHaveProperty('field');
});

test('null counts as absent, and nothing else does', () => {
  expect([undefined, null, 0, '', false].map(isGiven)).toEqual([false, false, true, true, true]);
});

test('a tag is the named member of an object, if it is a string', () => {
  expect(tagOf({ type: 'a' }, 'type', 'p')).toBe('a');
  expect(tagOf({ type: 1 }, 'type', 'p')).toBeUndefined();
  for (const value of [null, 'x', [], undefined])
    expect(() => tagOf(value, 'type', 'p')).toThrow("'p' must be an object");
});

test('a member without a price is refused, except in the value that costs nothing extra', () => {
  const refusedIn = (body: JsonObject): string | undefined =>
    fieldOf(() => refuseUnpriced(body, ['box', 'region'], { region: 'anywhere' }), ['unsupported']);
  expect(refusedIn({ box: 'b' })).toBe('box');
  expect(refusedIn({ region: 'here' })).toBe('region');
  for (const body of [{}, { other: 1 }, { box: null, region: null }, { region: 'anywhere' }])
    expect(refusedIn(body)).toBeUndefined();
});
