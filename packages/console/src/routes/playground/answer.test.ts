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

test('speech grows by its pieces, and ends with what it used', () => {
  const pieces = ['SUQz', 'AAAA'].map((audio) => ({ type: 'speech.audio.delta', audio }));
  const done = { type: 'speech.audio.done', usage: { input_tokens: 3, output_tokens: 40, total_tokens: 43 } };
  const answer = [...pieces, done].reduce((before, data) => grown('speech', before, data), EMPTY);
  expect(answer).toMatchObject({ sound: ['SUQz', 'AAAA'], usage: { input: 3, output: 40 } });
});

test('seconds of a recording are not shown as tokens', () => {
  const answer = grown('transcription', EMPTY, { text: 'Hello', usage: { type: 'duration', seconds: 3 } });
  expect(answer).toEqual({ ...EMPTY, text: 'Hello' });
});

test('documents are ranked by their places', () =>
  expect(grown('rerank', EMPTY, { results: [{ index: 1, relevance_score: 0.9 }] }).ranks).toEqual([
    { place: 1, score: 0.9 },
  ]));
