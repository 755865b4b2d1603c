import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { VerbatimCalls } from './verbatim-calls.ts';

describe('fragments of calls', () => {
  const opening = (index: number, id: string, name: string) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: '' },
  });
  const later = (index: number, text: string) => ({ index, function: { arguments: text } });
  test.each<[string, JsonObject[][], JsonObject[][]]>([
    ['as they should be', [[opening(0, 'a', 'f')], [later(0, '{}')]], [[opening(0, 'a', 'f')], [later(0, '{}')]]],
    [
      'whole in one',
      [[{ ...opening(0, 'a', 'f'), function: { name: 'f', arguments: '{}' } }]],
      [[opening(0, 'a', 'f'), later(0, '{}')]],
    ],
    ['without an index', [[{ ...opening(0, 'a', 'f'), index: null }]], [[opening(0, 'a', 'f')]]],
    ['without a type', [[{ ...opening(0, 'a', 'f'), type: null }]], [[opening(0, 'a', 'f')]]],
    [
      'without an id',
      [[{ index: 0, type: 'function', function: { name: 'f', arguments: '' } }]],
      [[opening(0, 'call_0', 'f')]],
    ],
    ['with an empty id', [[opening(0, '', 'f')]], [[opening(0, 'call_0', 'f')]]],
    ['numbered from one', [[opening(1, 'a', 'f')], [later(1, 'x')]], [[opening(0, 'a', 'f')], [later(0, 'x')]]],
    [
      'repeating the id',
      [[opening(0, 'a', 'f')], [{ ...later(0, 'x'), id: 'a' }]],
      [[opening(0, 'a', 'f')], [later(0, 'x')]],
    ],
    [
      'repeating the type',
      [[opening(0, 'a', 'f')], [{ ...later(0, 'x'), type: 'function' }]],
      [[opening(0, 'a', 'f')], [later(0, 'x')]],
    ],
    [
      'repeating the name',
      [[opening(0, 'a', 'f')], [{ index: 0, function: { name: 'f', arguments: 'x' } }]],
      [[opening(0, 'a', 'f')], [later(0, 'x')]],
    ],
    [
      'arguments as an object',
      [[opening(0, 'a', 'f')], [{ index: 0, function: { arguments: { a: 1 } } }]],
      [[opening(0, 'a', 'f')], [later(0, '{"a":1}')]],
    ],
    [
      'the name after the arguments',
      [[{ index: 0, id: 'a', function: { arguments: '{' } }], [{ index: 0, function: { name: 'f', arguments: '}' } }]],
      [[], [opening(0, 'a', 'f'), later(0, '{}')]],
    ],
    [
      'index 0 for all',
      [[opening(0, 'a', 'f')], [opening(0, 'b', 'g')], [later(0, 'x')]],
      [[opening(0, 'a', 'f')], [opening(1, 'b', 'g')], [later(1, 'x')]],
    ],
    [
      'another id without a name',
      [[opening(0, 'a', 'f')], [{ ...later(0, 'x'), id: 'b' }]],
      [[opening(0, 'a', 'f')], [later(0, 'x')]],
    ],
    [
      'distinguished by ids alone',
      [
        [{ id: 'a', function: { name: 'f' } }],
        [{ id: 'b', function: { name: 'g' } }],
        [{ id: 'a', function: { arguments: 'x' } }],
        [{ function: { arguments: 'y' } }],
      ],
      [[opening(0, 'a', 'f')], [opening(1, 'b', 'g')], [later(0, 'x')], [later(1, 'y')]],
    ],
    [
      'distinguished by names alone',
      [[{ function: { name: 'f' } }], [{ function: { name: 'g' } }]],
      [[opening(0, 'call_0', 'f')], [opening(1, 'call_1', 'g')]],
    ],
    ['of other kinds', [[{ index: 0, custom: { input: 'x' } }]], [[{ index: 0, custom: { input: 'x' } }]]],
  ])('%s', (_name, given, expected) => {
    const calls = new VerbatimCalls();
    const out = given.map((fragments) => calls.tidy({ tool_calls: fragments })['tool_calls'] ?? []);
    expect(out).toEqual(expected);
  });
  test('that need no change leave the delta itself', () => {
    const calls = new VerbatimCalls();
    expect(calls.seen).toBe(false);
    for (const delta of [
      { content: 'x' },
      { tool_calls: [opening(0, 'a', 'f')] },
      { tool_calls: [later(0, 'x')] },
      { tool_calls: [1] },
    ])
      expect(calls.tidy(delta)).toBe(delta);
    expect(calls.seen).toBe(true);
  });
  test('S10: more than the limit end the answer', () => {
    const calls = new VerbatimCalls();
    const many = (length: number) => ({ tool_calls: Array.from({ length }, (_, at) => opening(at, `c${at}`, 'f')) });
    expect(calls.tidy(many(512))['tool_calls']).toHaveLength(512);
    expect(() => calls.tidy(many(513))).toThrow('more than 512 tool calls');
  });
});
