import { expect, test } from 'vitest';
import { withExactArguments } from './exact-arguments.ts';

const through = (text: string): string => JSON.stringify(withExactArguments<unknown>(JSON.parse(text), text));

test.each([
  '{"content":[{"type":"tool_use","id":"a","name":"n","input":{"id":12345678901234567890,"list":[9007199254740993]}}]}',
  '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"n","args":{"id":-12345678901234567890}}}]}}]}',
  '{"contents":[{"parts":[{"functionResponse":{"name":"n","response":{"price":1.12345678901234567890}}}]}]}',
])('digits inside arguments and results are kept: %s', (text) => {
  expect(through(text)).toBe(text);
  expect(JSON.stringify(JSON.parse(text))).not.toBe(text);
});

test('numbers outside of arguments stay numbers', () => {
  const text = '{"max_tokens":12345678901234567890,"content":[{"type":"tool_use","name":"n","input":{}}]}';
  expect(withExactArguments<{ max_tokens: unknown }>(JSON.parse(text), text).max_tokens).toBeTypeOf('number');
});

test('arguments nested too deeply are left as they are', () => {
  const deep = `${'{"a":'.repeat(40)}{"name":"n","input":{"id":12345678901234567890}}${'}'.repeat(40)}`;
  const text = `{"type":"tool_use","deep":${deep}}`;
  expect(through(text)).toBe(JSON.stringify(JSON.parse(text)));
});
