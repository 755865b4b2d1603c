import { expect, test } from 'vitest';
import { EMPTY, grown } from './answer.ts';

const call = (index: number): unknown => ({
  choices: [{ delta: { tool_calls: [{ index, function: { name: 'f', arguments: '{}' } }] } }],
});

test.each([-1, 0.5, 4_000_000_000])('a call at the impossible place %d is left out', (index) =>
  expect(grown('chat', EMPTY, call(index)).tools).toEqual([]),
);

test('calls keep their places', () =>
  expect(grown('chat', grown('chat', EMPTY, call(0)), call(1)).tools).toHaveLength(2));

test.each([
  ['chat', { choices: [{ delta: { refusal: 'I cannot.' } }] }],
  ['chat', { choices: [{ message: { content: null, refusal: 'I cannot.' } }] }],
  ['responses', { type: 'response.refusal.delta', delta: 'I cannot.' }],
  ['responses', { object: 'response', output: [{ content: [{ type: 'refusal', refusal: 'I cannot.' }] }] }],
] as const)('a refusal is shown as text (%s, %j)', (mode, data) =>
  expect(grown(mode, EMPTY, data).text).toBe('I cannot.'),
);
