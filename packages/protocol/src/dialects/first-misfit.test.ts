// S1: validation finds the first problem of a large value without listing all problems.
import { type TSchema, Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { anyObject, firstMisfit } from './checking.ts';

const MANY = 20_000;
const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const schema = Type.Object({
  model: Type.String(),
  list: Maybe(Type.Array(Type.Object({ word: Type.String() }), { maxItems: MANY })),
  loose: Maybe(Type.Array(Type.Unknown())),
  either: Maybe(Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: 4 })])),
  figures: Maybe(Type.Record(Type.String(), Type.Number())),
  metadata: Maybe(anyObject({ maxProperties: 16 })),
});
const closed = Type.Object({ known: Type.Optional(Type.Number()) }, { additionalProperties: false });

const many = <T>(make: (index: number) => T): T[] => Array.from({ length: MANY }, (_, index) => make(index));
const members = (value: unknown): Record<string, unknown> => Object.fromEntries(many((index) => [`k${index}`, value]));
const firstError = (of: TSchema, value: unknown): [path: string, keyword: string | undefined] => {
  const { path, errors } = firstMisfit(of, value);
  return [path.join('/'), errors[0]?.keyword];
};

/** The value, and how often its elements or members were read. */
function counted<T extends object>(value: T): { readonly value: T; reads(): number } {
  let reads = 0;
  const get = (target: T, name: string | symbol): unknown => {
    if (typeof name === 'string' && name !== 'length') reads++;
    return Reflect.get(target, name);
  };
  return { value: new Proxy(value, { get }), reads: () => reads };
}

describe('the first problem and its path', () => {
  test.each<[string, unknown, string, string]>([
    ['what is missing', { list: many(() => 1) }, '', 'required'],
    ['an element', { model: 'm', list: [{ word: 'w' }, { word: 1 }] }, 'list/1/word', 'type'],
    ['a missing member of an element', { model: 'm', list: [{ word: 'w' }, {}] }, 'list/1', 'required'],
    ['a member by pattern', { model: 'm', figures: { a: 1, 'b/c': 'x' } }, 'figures/b/c', 'type'],
    ['a list where an object is wanted', { model: 'm', figures: [] }, 'figures', 'type'],
    ['an object where a list is wanted', { model: 'm', list: members(1) }, 'list', 'type'],
    ['the body itself', 1, '', 'type'],
  ])('%s', (_, value, path, keyword) => {
    expect(firstError(schema, value)).toEqual([path, keyword]);
  });
  test.each([
    [5, 'maxItems', 'may hold at most 4 items, and holds 5'],
    [0, 'minItems', 'must hold at least 1 items, and holds 0'],
  ])('a list of %i is validated by the list form of a union', (length, keyword, message) => {
    const misfit = firstMisfit(schema, { model: 'm', either: Array.from({ length }, () => 1) });
    expect(misfit).toMatchObject({ path: ['either'], errors: [{ keyword, message }] });
  });
  test('an invalid item of a list that may also be a single string is reported for the field', () => {
    const message = 'holds an item at index 1 that is not a string';
    expect(firstMisfit(schema, { model: 'm', either: ['a', 1] })).toMatchObject({
      path: ['either'],
      errors: [{ message }],
    });
  });
  test('an unknown member', () => {
    expect(firstMisfit(closed, { known: 1, ...members(1) }).errors).toMatchObject([
      { keyword: 'additionalProperties', params: { additionalProperties: ['k0'] } },
    ]);
  });
});

describe('work is bounded by what must be examined', () => {
  test('members beyond the limit are counted, and none is read', () => {
    const { value, reads } = counted(members('v'));
    expect(firstError(schema, { model: 'm', metadata: value })).toEqual(['metadata', 'maxProperties']);
    expect(reads()).toBe(0);
  });
  test('elements beyond the limit are counted, and their errors are not listed', () => {
    const { value, reads } = counted([...many(() => ({})), {}]);
    expect(firstError(schema, { model: 'm', list: value })).toEqual(['list', 'maxItems']);
    expect(reads()).toBeLessThan(10);
  });
  test('valid members beside a missing one are not read', () => {
    const { value, reads } = counted(many(() => ({ word: 'w' })));
    expect(firstError(schema, { list: value })).toEqual(['', 'required']);
    expect(reads()).toBe(0);
  });
  test('an invalid element is found in at most two passes, and those after it are not read', () => {
    const list = many((index) => ({ word: index < MANY / 2 ? 'w' : index }));
    const { value, reads } = counted(list);
    expect(firstError(schema, { model: 'm', list: value })).toEqual([`list/${MANY / 2}/word`, 'type']);
    expect(reads()).toBeLessThan(MANY * 2);
  });
});
