/** Parts of an answer that the caller's format cannot carry are losses, in complete answers and in streams. */
import { describe, expect, test } from 'vitest';
import type { TextAnswer } from '../canonical/answer.ts';
import type { Block } from '../canonical/content.ts';
import type { FinishReason } from '../canonical/events.ts';
import type { Json } from '../canonical/json.ts';
import { unfold } from '../stream/unfold.ts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { runToEnd, USAGE_WANTED } from './dialect.fixture.ts';
import type { AnswerContext, Dialect } from './dialect.ts';
import { googleGenerate } from './google-generate/index.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiResponses } from './openai-responses/index.ts';

const context: AnswerContext = { requestId: 'r', model: 'o/m', createdAtSeconds: 1, responseOptions: USAGE_WANTED };
const answerOf = (blocks: readonly Block[], reason: FinishReason): TextAnswer => ({
  id: 'i',
  model: 'm',
  candidates: [{ blocks, finish: { reason } }],
  usage: { prompt: 1, completion: 1 },
});

/** The reasons, complete and streamed, without the paths, which differ. */
function lossesOf({ server }: Dialect, answer: TextAnswer): string[][] {
  const encoder = server.eventEncoder(context);
  runToEnd(encoder, unfold(answer));
  return [server.encodeAnswer(answer, context).losses, encoder.losses()].map((losses) => losses.map(({ why }) => why));
}

describe('a finish reason that a format does not have', () => {
  const text: Block = { kind: 'text', text: 'x' };
  test.each<[string, FinishReason, Dialect, string[]]>([
    ['chat', 'other', openaiChat, ['approximated']],
    ['chat', 'pause', openaiChat, ['approximated']],
    ['chat', 'stop', openaiChat, []],
    ['messages', 'other', anthropicMessages, ['approximated']],
    ['messages', 'pause', anthropicMessages, []],
    ['responses', 'other', openaiResponses, ['approximated']],
    ['responses', 'pause', openaiResponses, ['approximated']],
    ['responses', 'length', openaiResponses, []],
    ['generate content', 'other', googleGenerate, []],
  ])('%s: %s', (_name, reason, dialect, whys) => {
    expect(lossesOf(dialect, answerOf([text], reason))).toEqual([whys, whys]);
  });
});

test.each<[string, Dialect, string[]]>([
  ['chat', openaiChat, ['no-equivalent']],
  ['messages', anthropicMessages, ['no-equivalent']],
  ['responses', openaiResponses, ['no-equivalent']],
  ['generate content', googleGenerate, []],
])('%s: the words with which an upstream explains the end of its answer', (_name, dialect, whys) => {
  const answer = answerOf([{ kind: 'text', text: 'x' }], 'stop');
  const explained = (message: string): TextAnswer => ({
    ...answer,
    candidates: answer.candidates.map((each) => ({ ...each, finish: { ...each.finish, message } })),
  });
  expect(lossesOf(dialect, explained('Enough was said.'))).toEqual([whys, whys]);
  expect(lossesOf(dialect, explained(''))).toEqual([[], []]);
});

test.each<[string, Dialect, string[]]>([
  ['chat', openaiChat, ['no-equivalent', 'no-equivalent']],
  ['messages', anthropicMessages, ['no-equivalent', 'no-equivalent']],
  ['responses', openaiResponses, ['no-equivalent', 'no-equivalent']],
  ['generate content', googleGenerate, []],
])('%s: the words and ratings with which an upstream explains why it blocked a prompt', (_name, dialect, whys) => {
  const extras = { 'google-generate': { safetyRatings: [{ category: 'c', probability: 'HIGH' }] } };
  const blocked = (promptBlocked: NonNullable<TextAnswer['promptBlocked']>): TextAnswer => ({
    ...answerOf([], 'stop'),
    candidates: [],
    promptBlocked,
  });
  expect(lossesOf(dialect, blocked({ reason: 'SAFETY', message: 'No.', extras }))).toEqual([whys, whys]);
  expect(lossesOf(dialect, blocked({ reason: 'SAFETY', message: '' }))).toEqual([[], []]);
});

describe('the result of a search', () => {
  const search = (result: { content: Json; error?: string }): Block => ({
    kind: 'server-tool',
    id: 'srvtoolu_1',
    name: 'web_search',
    argumentsJson: '{"query":"q"}',
    result,
  });
  const found = [{ type: 'web_search_result', url: 'https://x.test', title: 'X', encrypted_content: 'e' }];

  test('Responses callers get the sources of a search', () => {
    const answer = answerOf([search({ content: found })], 'stop');
    expect(openaiResponses.server.encodeAnswer(answer, context).body['output']).toMatchObject([
      { status: 'completed', action: { query: 'q', sources: [{ type: 'url', url: 'https://x.test' }] } },
    ]);
  });

  test('Responses callers see that a search failed', () => {
    const failed = search({ content: { type: 'web_search_tool_result_error' }, error: 'unavailable' });
    const { body } = openaiResponses.server.encodeAnswer(answerOf([failed], 'stop'), context);
    expect(body['output']).toMatchObject([{ type: 'web_search_call', status: 'failed' }]);
  });

  test.each([
    ['chat', openaiChat],
    ['generate content', googleGenerate],
  ])('%s callers get a loss for a search', (_name, dialect) => {
    const whys = ['no-equivalent'];
    expect(lossesOf(dialect, answerOf([search({ content: found })], 'stop'))).toEqual([whys, whys]);
  });
});
