// A caller's stream ends with the last frame of the answer, whatever the host then does with its connection.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AfterAnswer, CannedStand } from '../support/canned-upstream.ts';
import { cannedWords } from '../support/canned-words.ts';
import { EVERY_PAIR } from '../support/every-road.ts';
import { type CannedHost, cannedModel, openResponsesCannedStand } from '../support/responses-canned.ts';
import { type Destination, post } from '../support/roads.ts';

const HOSTS: Readonly<Record<Destination['dialect'], CannedHost>> = {
  'openai-chat': 'canned-chat',
  'anthropic-messages': 'canned-messages',
  'google-generate': 'canned-google',
  'openai-responses': 'canned-responses',
};
const AFTERWARDS: readonly AfterAnswer[] = ['keeps it open', 'resets it', 'sends junk'];

let stand: CannedStand;
beforeAll(async () => {
  stand = await openResponsesCannedStand();
});
afterAll(() => stand.close());

describe.each(EVERY_PAIR)('$pair', ({ road, dialect }) => {
  const model = cannedModel(HOSTS[dialect]);

  test.each(AFTERWARDS)('a host that has sent its answer and %s', async (then) => {
    stand.say({ ...cannedWords(dialect, true, { words: ['one ', 'two'], input: 9, output: 2 }), then });
    const before = stand.records.length;
    const body = road.body(model, [road.user('hello')], { stream: true });
    const reply = await post(stand, road, model, body, { stream: true });
    expect(reply.complete).toBe(true);
    expect(road.parseStream(reply.text)).toMatchObject({
      text: 'one two',
      finish: road.finishes.stop,
      outputTokens: 2,
    });
    expect(stand.records.slice(before)).toMatchObject([
      { how: 'done', bill: { estimated: false, usage: { prompt: 9, completion: 2 } } },
    ]);
  });
});
