// S10: an answer with more items than the gateway's limit ends with an error in the caller's protocol. It never looks complete.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CannedStand } from '../support/canned-upstream.ts';
import { EVERY_ROAD } from '../support/every-road.ts';
import { type CannedHost, cannedModel, openResponsesCannedStand } from '../support/responses-canned.ts';
import { post } from '../support/roads.ts';

let stand: CannedStand;
beforeAll(async () => {
  stand = await openResponsesCannedStand();
});
afterAll(() => stand.close());

const each = (length: number, make: (at: number) => object): object[] => Array.from({ length }, (_, at) => make(at));
const named = (event: { readonly type: string; readonly [member: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const bare = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;

const chatCalls = (count: number): string[] => [
  ...each(count, (index) => ({
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index, id: `c${index}`, type: 'function', function: { name: 'f', arguments: '{}' } }] },
      },
    ],
  })).map(bare),
  bare({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
  'data: [DONE]\n\n',
];

const messagesBlocks = (count: number): string[] => [
  named({ type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: {} } }),
  ...Array.from({ length: count }, (_, index) =>
    named({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id: `t${index}`, name: 'f', input: {} },
    }),
  ),
  ...Array.from({ length: count }, (_, index) => named({ type: 'content_block_stop', index })),
  named({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } }),
  named({ type: 'message_stop' }),
];

const googleCandidates = (count: number): string[] =>
  each(count, (index) => ({
    candidates: [{ index, content: { role: 'model', parts: [{ text: 'x' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
  })).map(bare);

const RESPONSE = { id: 'r', object: 'response', created_at: 1, model: 'any', output: [] };
const responsesItems = (count: number): string[] => [
  named({ type: 'response.created', response: { ...RESPONSE, status: 'in_progress' } }),
  ...Array.from({ length: count }, (_, output_index) =>
    named({
      type: 'response.output_item.done',
      output_index,
      item: { type: 'function_call', id: `i${output_index}`, call_id: `c${output_index}`, name: 'f', arguments: '{}' },
    }),
  ),
  named({ type: 'response.completed', response: { ...RESPONSE, status: 'completed' } }),
];

type Case = {
  readonly host: CannedHost;
  readonly what: string;
  readonly most: number;
  readonly pieces: (count: number) => string[];
};
const CASES: readonly Case[] = [
  { host: 'canned-chat', what: 'tool calls', most: 512, pieces: chatCalls },
  { host: 'canned-messages', what: 'blocks side by side', most: 512, pieces: messagesBlocks },
  { host: 'canned-google', what: 'candidates', most: 64, pieces: googleCandidates },
  { host: 'canned-responses', what: 'output items', most: 4096, pieces: responsesItems },
];
/** Marks of a complete answer. */
const COMPLETE = /\[DONE\]|"finish_reason":"|message_stop|"stop_reason":"|event: response\.completed/;

/** Responses on the verbatim lane keep no table of items, so they need no limit. */
const PAIRS = EVERY_ROAD.flatMap((road) =>
  CASES.filter(({ host }) => road.name !== 'responses' || host !== 'canned-responses').map((each) => ({
    ...each,
    road,
    name: road.name,
  })),
);

describe.each(PAIRS)('$name from $host', ({ road, host, what, most, pieces }) => {
  const ask = () => {
    const model = cannedModel(host);
    return post(stand, road, model, road.body(model, [road.user('hello')], { stream: true }), { stream: true });
  };

  test(`an answer with more than ${most} ${what} is an error`, async () => {
    stand.say({ pieces: pieces(most + 1) });
    const { status, text, complete } = await ask();
    expect(text).toContain(`The upstream provider sent more than ${most} ${what}.`);
    expect(text).not.toMatch(COMPLETE);
    expect(status === 502 || !complete).toBe(true);
  });

  test(`an answer with ${most} ${what} is complete`, async () => {
    stand.say({ pieces: pieces(most) });
    const { status, complete, text } = await ask();
    expect([status, complete], text.slice(-500)).toEqual([200, true]);
  });
});
