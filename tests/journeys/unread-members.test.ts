// Unknown fields inside messages, parts and tools: a rebuilt request drops them and reports the losses.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVERY_PAIR, HOME } from '../support/every-road.ts';
import { responsesHosts } from '../support/responses-probe.ts';
import { type Json, post, type Road, SCHEMA } from '../support/roads.ts';
import { openStand, STRICT_KEY, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

/** For each protocol a request with an unknown field in every kind of place, and the expected losses. */
const PLANTED: Readonly<Record<Road['name'], { readonly members: Json; readonly paths: readonly string[] }>> = {
  chat: {
    members: {
      messages: [{ role: 'user', foo: 1, content: [{ type: 'text', text: 'Hi', foo: 1 }] }],
      tools: [{ type: 'function', foo: 1, function: { name: 'look', parameters: SCHEMA, foo: 1 } }],
    },
    paths: ['messages.foo', 'messages.content.foo', 'tools.foo', 'tools.function.foo'],
  },
  messages: {
    members: {
      system: [{ type: 'text', text: 'Be brief.', foo: 1 }],
      messages: [{ role: 'user', foo: 1, content: [{ type: 'text', text: 'Hi', foo: 1 }] }],
      tools: [{ name: 'look', input_schema: SCHEMA, foo: 1 }],
    },
    paths: ['system.foo', 'messages.foo', 'messages.content.foo', 'tools.foo'],
  },
  genai: {
    members: {
      systemInstruction: { parts: [{ text: 'Be brief.', foo: 1 }] },
      contents: [{ role: 'user', foo: 1, parts: [{ text: 'Hi', foo: 1 }] }],
      tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: SCHEMA, foo: 1 }] }],
    },
    paths: ['systemInstruction.parts.foo', 'contents.foo', 'contents.parts.foo', 'tools.functionDeclarations.foo'],
  },
  responses: {
    members: {
      input: [{ role: 'user', foo: 1, content: [{ type: 'input_text', text: 'Hi', foo: 1 }] }],
      tools: [{ type: 'function', name: 'look', parameters: SCHEMA, foo: 1 }],
    },
    paths: ['input.foo', 'input.content.foo', 'tools.foo'],
  },
};

const ELSEWHERE = EVERY_PAIR.filter(({ road, dialect }) => HOME[road.name] !== dialect);

const lossesIn = (headers: Headers): readonly string[] =>
  headers.get('x-trivium-losses')?.split(',').filter(Boolean) ?? [];

describe.each(ELSEWHERE)('$pair', ({ road, model }) => {
  const { members, paths } = PLANTED[road.name];
  const body = (): Json => ({ ...road.body(model, [road.user('Hi')], {}), ...members });

  test('each unknown field is a loss, and nothing else is', async () => {
    const { status, headers, text } = await post(stand, road, model, body());
    expect(status, text).toBe(200);
    expect(lossesIn(headers)).toEqual(paths);
    const sent = stand.simulator.truth.last();
    expect(sent?.refusal).toBeUndefined();
    expect(sent?.bodyText).not.toContain('foo');
  });

  test('strict mode gives a 400 that names the first unknown field', async () => {
    const { status, text } = await post(stand, road, model, body(), { key: STRICT_KEY });
    expect(status).toBe(400);
    expect(text).toContain(paths[0]);
  });
});

describe('fields that clients echo from an answer', () => {
  const echoes: readonly (readonly [Road['name'], Json])[] = [
    [
      'chat',
      {
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: null,
            refusal: null,
            audio: null,
            annotations: [],
            tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
        ],
      },
    ],
    [
      'messages',
      {
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'Let me look.', citations: null },
              { type: 'tool_use', id: 'toolu_1', name: 'look', input: {}, caller: { type: 'direct' } },
            ],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] },
        ],
      },
    ],
    [
      'responses',
      {
        input: [
          { role: 'user', content: 'Hi' },
          {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'Let me look.', annotations: [], logprobs: [] }],
          },
          { id: 'fc_1', type: 'function_call', status: 'completed', call_id: 'c1', name: 'look', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c1', output: 'ok' },
        ],
      },
    ],
  ];

  test.each(echoes)('an echoed field of an answer is no loss (%s)', async (name, members) => {
    for (const { road, model, pair } of ELSEWHERE.filter((each) => each.road.name === name)) {
      const { status, headers, text } = await post(stand, road, model, {
        ...road.body(model, [road.user('Hi')], { tools: ['look'] }),
        ...members,
      });
      expect(status, `${pair}: ${text}`).toBe(200);
      expect(lossesIn(headers), pair).toEqual([]);
    }
  });
});

describe('a request rebuilt for a host of its own dialect', () => {
  test('a rebuilt request drops unknown fields inside messages', async () => {
    const [chat] = EVERY_PAIR;
    if (chat === undefined) throw new Error('There are no pairs.');
    const body = {
      ...chat.road.body('compatible/any', [], {}),
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'Hi', foo: 1 },
      ],
    };
    const { status, headers, text } = await post(stand, chat.road, 'compatible/any', body);
    expect(status, text).toBe(200);
    expect(lossesIn(headers)).toEqual(['messages.foo']);
  });
});
