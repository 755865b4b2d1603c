import { describe, expect, test } from 'vitest';
import type { Json } from '../../canonical/json.ts';
import { NO_OPTIONS } from '../dialect.fixture.ts';
import type { AnswerContext } from '../dialect.ts';
import { anthropicMessages } from './index.ts';
import { messagesTarget } from './target.fixture.ts';

const target = messagesTarget();
const context: AnswerContext = { requestId: 'r', model: 'm', createdAtSeconds: 1, responseOptions: NO_OPTIONS };
const translated = (body: Json) => anthropicMessages.client.decodeAnswer(body, target);
const verbatim = (body: Json) => anthropicMessages.verbatim.answer(body, context, target);
const ANSWER = { content: [{ type: 'text', text: 'x' }], stop_reason: 'end_turn' };

describe.each([
  ['translated', translated],
  ['verbatim', verbatim],
])('a complete answer, %s', (_lane, read) => {
  test.each<[string, Json]>([
    ['is not an object', []],
    ['without content', { stop_reason: 'end_turn' }],
    ['without content', { ...ANSWER, content: 'x' }],
    ['without a reason to stop', { ...ANSWER, stop_reason: null }],
    ['rate limit was exceeded', { ...ANSWER, error: { type: 'rate_limit_error' } }],
    ['rate limit was exceeded', { type: 'error', error: { type: 'rate_limit_error' } }],
    ['failed to answer', { ...ANSWER, type: 'error' }],
  ])('is an error of the upstream: %s %j', (words, body) => {
    expect(() => read(body)).toThrow(words);
  });

  test('without an error may say so', () => {
    expect(() => read({ ...ANSWER, error: null })).not.toThrow();
  });
});
