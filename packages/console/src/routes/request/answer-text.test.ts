import { expect, test } from 'vitest';
import { answerText } from './answer-text.ts';

const events = (...data: readonly object[]): string =>
  data.map((each) => `event: x\ndata: ${JSON.stringify(each)}\n\n`).join('');

test.each([
  ['chat', JSON.stringify({ choices: [{ message: { content: 'Hello' } }] })],
  [
    'chat, stream',
    `${events({ choices: [{ delta: { content: 'Hel' } }] }, { choices: [{ delta: { content: 'lo' } }] })}data: [DONE]\n\n`,
  ],
  ['responses', JSON.stringify({ object: 'response', output: [{ content: [{ text: 'Hello' }] }] })],
  ['responses, stream', events({ type: 'response.output_text.delta', delta: 'Hello' })],
  ['messages', JSON.stringify({ type: 'message', content: [{ type: 'text', text: 'Hello' }] })],
  ['messages, stream', events({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } })],
  ['generate content', JSON.stringify({ candidates: [{ content: { parts: [{ text: 'Hello' }] } }] })],
  ['an error', JSON.stringify({ error: { message: 'Hello' } })],
])('what an answer says: %s', (_, body) => expect(answerText(body)).toBe('Hello'));

test('a call of a tool is shown with its arguments', () =>
  expect(
    answerText(
      JSON.stringify({
        type: 'message',
        content: [
          { type: 'text', text: 'A' },
          { type: 'tool_use', name: 'f', input: { a: 1 } },
        ],
      }),
    ),
  ).toBe('A\nf({"a":1})'));

test('what is no answer says nothing', () => expect(answerText('<html>')).toBe(''));
