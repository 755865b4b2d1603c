/** CR: chat answers from upstreams of other dialects. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CannedStand, plainAnswer } from '../../support/canned-upstream.ts';
import { ask, type Json, served, user } from '../../support/chat-probe.ts';
import {
  CANNED_CHAT,
  CANNED_GOOGLE,
  CANNED_MESSAGES,
  CANNED_RESPONSES,
  completion,
  generated,
  message,
  openMessagesCannedStand,
} from '../../support/messages-canned.ts';
import { responseOf, spoken } from '../../support/responses-canned.ts';
import { postChat } from '../../support/stand.ts';

let stand: CannedStand;
beforeAll(async () => {
  stand = await openMessagesCannedStand();
});
afterAll(() => stand.close());

const text = { type: 'text', text: 'Hi' };
const cut = (reason: string): Json => ({ status: 'incomplete', incomplete_details: { reason } });
test.each([
  ['CR-03', 'stop', CANNED_CHAT, completion({ content: 'Hi' }, 'stop')],
  ['CR-03', 'stop', CANNED_MESSAGES, message([text], { stop_reason: 'end_turn' })],
  ['CR-03', 'stop', CANNED_GOOGLE, generated([{ text: 'Hi' }], 'STOP')],
  ['CR-03', 'stop', CANNED_RESPONSES, responseOf([spoken('Hi')])],
  ['CR-04', 'length', CANNED_CHAT, completion({ content: 'Hi' }, 'length')],
  ['CR-04', 'length', CANNED_MESSAGES, message([text], { stop_reason: 'max_tokens' })],
  ['CR-04', 'length', CANNED_GOOGLE, generated([{ text: 'Hi' }], 'MAX_TOKENS')],
  ['CR-04', 'length', CANNED_RESPONSES, responseOf([spoken('Hi')], cut('max_output_tokens'))],
  ['CR-05', 'content_filter', CANNED_CHAT, completion({ content: 'Hi' }, 'content_filter')],
  ['CR-05', 'content_filter', CANNED_MESSAGES, message([text], { stop_reason: 'refusal' })],
  ['CR-05', 'content_filter', CANNED_GOOGLE, generated([{ text: 'Hi' }], 'SAFETY')],
  ['CR-05', 'content_filter', CANNED_RESPONSES, responseOf([spoken('Hi')], cut('content_filter'))],
])('[%s] finish %s from %s', async (_rule, finish_reason, model, answer) => {
  stand.say(plainAnswer(answer));
  const { status, json } = await postChat(stand, ask({ model }));
  expect(status).toBe(200);
  expect(json['choices']).toMatchObject([{ finish_reason, message: { content: 'Hi' } }]);
});

const NAMES = ['reasoning', 'reasoning_content', 'reasoning_details'];
test.each(['compatible/thinker', 'nameless/thinker', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'])(
  '[CR-18] reasoning.exclude removes the reasoning of %s under every name',
  async (model) => {
    const messages = [user('Hi @simulate scenario=reasoning', model === 'nameless/thinker' ? { name: 'ann' } : {})];
    const named = async (reasoning: Json): Promise<string[]> => {
      const { message: said } = await served(stand, ask({ model, messages, reasoning }));
      expect(said['content']).toMatch(/\S/);
      return NAMES.filter((name) => said[name] !== undefined);
    };
    expect(await named({ effort: 'medium', exclude: true })).toEqual([]);
    expect(await named({ effort: 'medium' })).toEqual(expect.arrayContaining(['reasoning', 'reasoning_content']));
  },
);
