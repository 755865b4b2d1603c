import { expect, test } from 'vitest';
import { fold } from '../../stream/fold.ts';
import { runToEnd, targetFacts } from '../dialect.fixture.ts';
import type { Frame } from '../dialect.ts';
import { openaiChat } from './index.ts';

const decoder = () =>
  openaiChat.client.eventDecoder(targetFacts({ dialect: 'openai-chat', family: 'f' }, openaiChat.quirks({})));
const chunk = (content: string, token: string): Frame => ({
  data: JSON.stringify({
    choices: [{ delta: { content }, logprobs: { content: [{ token, logprob: -1, top_logprobs: [] }] } }],
  }),
});
const done: Frame = { data: JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] }) };

test('log probabilities of tokens before the first character are kept for it', () => {
  const [block] =
    fold(runToEnd(decoder(), [chunk('', '\\xf0'), chunk('', '\\x9f'), chunk('😀', 'x'), done])).candidates[0]?.blocks ??
    [];
  expect(block).toMatchObject({ text: '😀', logprobs: [{ token: '\\xf0' }, { token: '\\x9f' }, { token: 'x' }] });
});

test('without any text they are reported as lost', () => {
  const machine = decoder();
  runToEnd(machine, [chunk('', 'a'), done]);
  expect(machine.losses()).toEqual([{ path: 'logprobs', why: 'no-equivalent' }]);
});
