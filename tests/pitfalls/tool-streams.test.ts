// Pitfalls of tool calls: interleaved fragments, repeated or missing ids, wrong finish reasons.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainAnswer, streamedAnswer } from '../support/canned-upstream.ts';
import { chatRoad } from '../support/chat-road.ts';
import { EVERY_PAIR, EVERY_ROAD } from '../support/every-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { messagesRoad } from '../support/messages-road.ts';
import {
  CANNED,
  CLAUDE,
  GEMINI,
  hello,
  messagesIn,
  NINE_LETTERS,
  openPitfallStand,
  type PitfallStand,
} from '../support/pitfall-stand.ts';
import type { Json, ParsedAnswer, Road } from '../support/roads.ts';

let stand: PitfallStand;
beforeAll(async () => {
  stand = await openPitfallStand();
});
afterAll(() => stand.close());

const TOOLS = ['weather', 'clock', 'news'];
const chunk = (delta: Json, finish_reason: string | null = null, more: Json = {}): Json => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'any',
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});
const USAGE = { usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 } };
const calling = (...tool_calls: Json[]): Json => chunk({ tool_calls });
const begin = (index: number, id: string, name: string, args: string | null = ''): Json => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: args },
});
const more = (index: number, args: string | null): Json => ({ index, function: { arguments: args } });
const says = (...chunks: (Json | string)[]): void =>
  stand.say(streamedAnswer([chunk({ role: 'assistant', content: '' }), ...chunks, '[DONE]']));
const answerOf = async (road: Road, model: string, stream = true): Promise<ParsedAnswer> =>
  (await stand.ask(road, model, hello(road), { tools: TOOLS, stream })).parsed();
const asked = ({ calls }: ParsedAnswer): unknown[] =>
  calls.map(({ name, argumentsJson }) => ({ name, arguments: JSON.parse(argumentsJson) }));
const called = (name: string, city: string): Json => ({ name, arguments: { city } });

test.each(EVERY_ROAD)('[P9] $name: interleaved fragments each reach their own call', async (road) => {
  says(
    calling(begin(0, 'a', 'weather')),
    calling(begin(1, 'b', 'clock')),
    calling(more(0, '{"city"')),
    calling(more(1, '{"ci')),
    calling(more(0, ':"Rome"}')),
    calling(more(1, 'ty":"Oslo"}')),
    chunk({}, 'tool_calls', USAGE),
  );
  expect(asked(await answerOf(road, CANNED.chat))).toEqual([called('weather', 'Rome'), called('clock', 'Oslo')]);
});

test.each(EVERY_ROAD)('[P10] $name: text between the fragments of a call keeps both intact', async (road) => {
  says(
    calling(begin(0, 'a', 'weather', '{"city":')),
    chunk({ content: 'One moment.' }),
    calling(more(0, '"Rome"}')),
    chunk({}, 'tool_calls', USAGE),
  );
  const parsed = await answerOf(road, CANNED.chat);
  expect(asked(parsed)).toEqual([called('weather', 'Rome')]);
  expect(parsed.text).toBe('One moment.');
});

test.each(EVERY_ROAD)(
  '[P11] $name: a new id at the same index is a new call, and null fields are no content',
  async (road) => {
    const nulls = { index: 0, id: null, type: null, function: { name: null, arguments: null } };
    says(
      calling(begin(0, 'a', 'weather', null)),
      calling({ ...nulls, function: { name: null, arguments: '{"city":"Rome"}' } }),
      calling(nulls),
      calling(begin(0, 'b', 'clock', '{"city":"Oslo"}')),
      chunk({ content: null, tool_calls: null }, 'tool_calls', USAGE),
    );
    const parsed = await answerOf(road, CANNED.chat);
    expect(asked(parsed)).toEqual([called('weather', 'Rome'), called('clock', 'Oslo')]);
    expect(new Set(parsed.calls.map(({ id }) => id)).size).toBe(2);
  },
);

describe('[P12] a call with unreadable arguments is a failure, not an empty success', () => {
  const turns = (road: Road): Json[] => [road.user('Go on. @simulate scenario=malformed-call')];
  test.each(EVERY_ROAD.filter(({ name }) => name !== 'genai'))('[P12] $name', async (road) => {
    const whole = await stand.ask(road, GEMINI, turns(road), { tools: TOOLS });
    expect(whole.status).toBe(502);
    const streamed = await stand.ask(road, GEMINI, turns(road), { tools: TOOLS, stream: true });
    expect(streamed.text).toContain('"error"');
    expect(streamed.text).not.toMatch(/\[DONE\]|message_stop|response\.completed|"finish_reason":"stop"/);
  });
  test('[P12] genai callers get finish reason MALFORMED_FUNCTION_CALL', async () => {
    const { finish } = (await stand.served(genaiRoad, GEMINI, turns(genaiRoad), { tools: TOOLS })).parsed();
    expect(finish).toContain('MALFORMED_FUNCTION_CALL');
  });
});

const part = (part: Json, last: Json = {}): Json => ({
  candidates: [{ content: { role: 'model', parts: [part] }, index: 0, ...last }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
});
const rome = { functionCall: { name: 'weather', args: { city: 'Rome' } } };

test.each(EVERY_ROAD)(
  '[P18] $name: STOP after a call anywhere in the stream means tools; a cut call stays cut',
  async (road) => {
    stand.say(streamedAnswer([part(rome), part({ text: 'Well.' }), part({ text: '' }, { finishReason: 'STOP' })]));
    const parsed = await answerOf(road, CANNED.google);
    expect(parsed.finish).toBe(road.finishes.tools);
    expect(asked(parsed)).toEqual([called('weather', 'Rome')]);
    stand.say(streamedAnswer([part(rome), part({ text: '' }, { finishReason: 'MAX_TOKENS' })]));
    const cut = (await answerOf(road, CANNED.google)).finish;
    expect(cut).toMatch(
      { chat: /^length$/, messages: /^max_tokens$/, genai: /MAX_TOKENS$/, responses: /^incomplete$/ }[road.name],
    );
  },
);

test.each([messagesRoad, genaiRoad])(
  '[P33] $name: a host that requires call ids of nine characters gets such ids, one for each call',
  async (road) => {
    const turns = [road.user('Look around. @simulate scenario=tools-parallel')];
    const { calls, turn } = (await stand.served(road, CLAUDE, turns, { tools: TOOLS })).parsed();
    const seen = await stand.served(road, NINE_LETTERS, [...turns, turn, ...road.results(calls, ['1', '2', '3'])], {
      tools: TOOLS,
    });
    const messages = messagesIn(seen) as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
    const ids = messages.flatMap(({ tool_calls }) => (tool_calls ?? []).map(({ id }) => id));
    expect(ids).toHaveLength(3);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(new Set(ids).size).toBe(3);
    expect(messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(ids);
  },
);

test('[P34] call ids of any provider reach messages callers in a valid and unique form, and return unchanged', async () => {
  const ids = ['call_1', 'call.1', 'call:1', 'call_1_', `call_${'x'.repeat(80)}`];
  stand.say(
    plainAnswer({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'any',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            tool_calls: ids.map((id) => ({
              id,
              type: 'function',
              function: { name: 'weather', arguments: '{"city":"Rome"}' },
            })),
          },
          finish_reason: 'tool_calls',
        },
      ],
      ...USAGE,
    }),
  );
  const { calls, turn } = await answerOf(messagesRoad, CANNED.chat, false);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(ids.length);
  const seen = await stand.served(
    messagesRoad,
    CLAUDE,
    [...hello(messagesRoad), turn, ...messagesRoad.results(calls, ids)],
    { tools: TOOLS },
  );
  const [, assistant, results] = messagesIn(seen) as { content: Json[] }[];
  const sent = assistant?.content.map(({ id }) => id);
  expect(new Set(sent).size).toBe(ids.length);
  for (const id of sent ?? []) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(results?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(sent);
});

test.each(EVERY_ROAD)('[P37] $name: a stream without usage ends like any other', async (road) => {
  const CLOSED = {
    chat: /"finish_reason":"stop"[^\n]*\n\n(?:data: [^\n]*"usage"[^\n]*\n\n)?data: \[DONE\]\n\n$/,
    messages: /event: message_delta\ndata: [^\n]*"output_tokens":\d+[^\n]*\n\nevent: message_stop\n[^\n]*\n\n$/,
    genai: /"finishReason":"FINISH_REASON_STOP"[^\n]*\n\n$/,
    responses: /event: response\.completed\n[^\n]*\n\n$/,
  };
  for (const model of ['compatible/any', 'copy/model']) {
    const turns = [road.user('Go on. @simulate scenario=usage-absent')];
    const seen = await stand.ask(road, model, turns, { stream: true });
    expect([seen.status, seen.complete, seen.refusals]).toEqual([200, true, []]);
    expect(seen.text).toMatch(CLOSED[road.name]);
  }
});

test.each(EVERY_PAIR)(
  '[P38] $pair: calls, their fragments and the finish reason are translated, streamed or not',
  async ({ road, model }) => {
    for (const stream of [false, true]) {
      const turns = [road.user('Go on. @simulate scenario=tool-single')];
      const parsed = (await stand.served(road, model, turns, { tools: ['weather'], stream })).parsed();
      expect(parsed.finish).toBe(road.finishes.tools);
      expect(asked(parsed)).toEqual([{ name: 'weather', arguments: { city: expect.any(String) } }]);
    }
  },
);

test.each(EVERY_ROAD)(
  '[A4] $name: arguments survive any split, including a last fragment in the final chunk',
  async (road) => {
    const text = '{"city":"Rome","note":"a\\"b\\u00e9 "}';
    for (let cut = 1; cut < text.length; cut += 3) {
      says(
        calling(begin(0, 'a', 'weather', '')),
        calling(more(0, text.slice(0, cut))),
        chunk({ tool_calls: [more(0, text.slice(cut))] }, 'tool_calls'),
        { ...chunk({}), choices: [], ...USAGE },
      );
      const parsed = await answerOf(road, CANNED.chat);
      expect(asked(parsed), `cut at ${cut}`).toEqual([{ name: 'weather', arguments: JSON.parse(text) }]);
      expect(parsed.inputTokens).toBe(9);
    }
  },
);

describe('[A5] every finish reason in every protocol', () => {
  const WORDS: Readonly<Record<string, Readonly<Record<Road['name'], string>>>> = {
    'text-basic': { chat: 'stop', messages: 'end_turn', genai: 'FINISH_REASON_STOP', responses: 'completed' },
    length: { chat: 'length', messages: 'max_tokens', genai: 'FINISH_REASON_MAX_TOKENS', responses: 'incomplete' },
    'tools-with-text': {
      chat: 'tool_calls',
      messages: 'tool_use',
      genai: 'FINISH_REASON_STOP',
      responses: 'completed',
    },
    'tools-finish-stop': {
      chat: 'tool_calls',
      messages: 'tool_use',
      genai: 'FINISH_REASON_STOP',
      responses: 'completed',
    },
    'content-filter': {
      chat: 'content_filter',
      messages: 'refusal',
      genai: 'FINISH_REASON_SAFETY',
      responses: 'incomplete',
    },
  };
  test.each(EVERY_PAIR)('[A5] $pair', async ({ road, model }) => {
    for (const [scenario, words] of Object.entries(WORDS))
      for (const stream of [false, true]) {
        const turns = [road.user(`Go on. @simulate scenario=${scenario}`)];
        const { finish } = (await stand.served(road, model, turns, { tools: TOOLS, stream })).parsed();
        expect(finish, `${scenario}, streamed: ${stream}`).toBe(words[road.name]);
      }
  });
});

test.each(EVERY_ROAD)(
  '[A6] $name: calls of one tool, each the first part of its own chunk, stay separate',
  async (road) => {
    for (const count of [2, 3])
      for (const hasIds of [false, true]) {
        const cities = ['Rome', 'Oslo', 'Bern'].slice(0, count);
        const parts = cities.map((city, at) => ({
          functionCall: { ...(hasIds && { id: `id${at}` }), name: 'weather', args: { city } },
        }));
        stand.say(streamedAnswer([...parts.map((one) => part(one)), part({ text: '' }, { finishReason: 'STOP' })]));
        const parsed = await answerOf(road, CANNED.google);
        expect(asked(parsed)).toEqual(cities.map((city) => called('weather', city)));
        if (road !== genaiRoad || hasIds) expect(new Set(parsed.calls.map(({ id }) => id)).size).toBe(count);
      }
  },
);

test('[A7] content parts beside calls become one text block and the calls, with matching ids', async () => {
  const call = (id: string): Json => ({
    id,
    type: 'function',
    function: { name: 'weather', arguments: '{"city":"Rome"}' },
  });
  const turns = [
    chatRoad.user('Weather?'),
    { role: 'assistant', content: [{ type: 'text', text: 'Looking.' }], tool_calls: [call('any/id#1'), call('other')] },
    { role: 'tool', tool_call_id: 'any/id#1', content: 'rain' },
    { role: 'tool', tool_call_id: 'other', content: [{ type: 'text', text: 'sun' }] },
  ];
  const seen = await stand.served(chatRoad, CLAUDE, turns, { tools: TOOLS });
  const [, assistant, results] = messagesIn(seen) as { content: Json[] }[];
  expect(assistant?.content.map(({ type }) => type)).toEqual(['text', 'tool_use', 'tool_use']);
  expect(results?.content.map(({ type }) => type)).toEqual(['tool_result', 'tool_result']);
  const ids = assistant?.content.slice(1).map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
  expect(results?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(ids);
});
