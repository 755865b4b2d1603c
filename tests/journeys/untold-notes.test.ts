/** Metadata of a Gemini answer that other protocols cannot express is reported as a loss, never dropped silently. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CannedStand, plainAnswer, streamedAnswer } from '../support/canned-upstream.ts';
import { CANNED_GOOGLE, generated, openMessagesCannedStand } from '../support/messages-canned.ts';
import { KEY } from '../support/stand.ts';

let stand: CannedStand;
beforeAll(async () => {
  stand = await openMessagesCannedStand();
});
afterAll(() => stand.close());

const WEB = { web: { uri: 'https://a.example', title: 'A' } };
const SUPPORT = { segment: { startIndex: 0, endIndex: 5 }, groundingChunkIndices: [0] };
const RATINGS = [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }];
const answerWith = (notes: object): object => {
  const whole = generated([{ text: 'Hello there.' }], 'STOP') as { candidates: object[] };
  return { ...whole, candidates: [{ ...whole.candidates[0], ...notes }] };
};

const turn = { messages: [{ role: 'user', content: 'Hi' }] };
const CALLERS = [
  ['/api/v1/chat/completions', turn],
  ['/api/v1/responses', { input: 'Hi' }],
  ['/api/anthropic/v1/messages', { ...turn, max_tokens: 99 }],
] as const;

async function lossesOf(path: string, body: object, stream: boolean, notes: object): Promise<unknown> {
  const answer = answerWith(notes);
  stand.say(stream ? streamedAnswer([answer]) : plainAnswer(answer));
  const response = await fetch(`${stand.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${KEY}`,
      'x-api-key': KEY,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({ model: CANNED_GOOGLE, ...body, stream }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello')]);
  return stand.records.at(-1)?.losses?.map(({ path }) => path) ?? [];
}

test.each(CALLERS.flatMap(([path, body]) => [false, true].map((stream) => ({ path, body, stream }))))(
  'metadata of a Gemini answer is a loss on $path, streamed: $stream',
  async ({ path, body, stream }) => {
    const losses = (notes: object) => lossesOf(path, body, stream, notes);
    expect(await losses({})).toEqual([]);
    expect(await losses({ groundingMetadata: { groundingChunks: [WEB], groundingSupports: [SUPPORT] } })).toEqual([]);
    expect(await losses({ groundingMetadata: { groundingChunks: [WEB] } })).toEqual(['citations']);
    expect(await losses({ safetyRatings: RATINGS })).toEqual(['safetyRatings']);
    expect(await losses({ finishMessage: 'Enough was said.' })).toEqual(['finishMessage']);
    const grounded = (source: object, supports = [SUPPORT]) =>
      losses({ groundingMetadata: { groundingChunks: [source], groundingSupports: supports } });
    expect(await grounded({ retrievedContext: { uri: 'https://docs.example/a', title: 'A' } })).toEqual([]);
    expect(await grounded({ maps: { uri: 'https://maps.example/a', title: 'A' } })).toEqual([]);
    expect(await grounded({ retrievedContext: { uri: 'gs://bucket/a.pdf', title: 'A' } })).toEqual(['citations']);
    expect(await grounded({ retrievedContext: { text: 'A' } })).toEqual(['citations']);
    expect(await grounded(WEB, Array(501).fill(SUPPORT))).toEqual(['citations']);
  },
);
