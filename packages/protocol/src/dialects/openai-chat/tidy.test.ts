import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { tidied } from './tidy.ts';

describe('nulls inside a request', () => {
  test.each<[string, JsonObject, [string, Json][]]>([
    [
      'of a message',
      { messages: [{ role: 'user', name: null, content: 'x' }] },
      [['messages', [{ role: 'user', content: 'x' }]]],
    ],
    [
      'of one message among others',
      { messages: [{ a: 1 }, { a: null }, { b: 2 }] },
      [['messages', [{ a: 1 }, {}, { b: 2 }]]],
    ],
    [
      'that mean null',
      { messages: [{ content: null, refusal: null, audio: null, function_call: null, tool_calls: [1] }] },
      [],
    ],
    ['and empty lists of calls', { messages: [{ a: 1, tool_calls: [] }] }, [['messages', [{ a: 1 }]]]],
    ['but no other empty list', { messages: [{ a: [], tool_calls: [1] }] }, []],
    [
      'of a part',
      { messages: [{ content: [{ type: 'file', file: { a: null, b: 1 } }, 'x'] }] },
      [['messages', [{ content: [{ type: 'file', file: { b: 1 } }, 'x'] }]]],
    ],
    [
      'of a tool',
      { tools: [{ type: 'function', function: { name: 'f', strict: null } }] },
      [['tools', [{ type: 'function', function: { name: 'f' } }]]],
    ],
    [
      'of a format',
      { response_format: { type: 'json_schema', json_schema: { name: 'n', strict: null } } },
      [['response_format', { type: 'json_schema', json_schema: { name: 'n' } }]],
    ],
    [
      'and types that a tool or the choice of one lacks',
      { tools: [{ function: { name: 'f' } }], tool_choice: { function: { name: 'f' } } },
      [
        ['tools', [{ type: 'function', function: { name: 'f' } }]],
        ['tool_choice', { type: 'function', function: { name: 'f' } }],
      ],
    ],
    ['but no type that is there', { tool_choice: { type: 'function', function: { name: 'f' } } }, []],
    [
      'nowhere',
      { messages: ['x', { content: [{ type: 'text', text: 'x' }, { type: 1 }] }], tools: [{ type: 'f' }] },
      [],
    ],
  ])('%s', (_name, body, expected) => {
    expect(tidied(body)).toEqual(expected);
  });
});
