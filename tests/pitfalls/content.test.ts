// Pitfalls of content: turns, tool results and images that a dialect cannot express, or places elsewhere.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatRoad } from '../support/chat-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { messagesRoad } from '../support/messages-road.ts';
import {
  CLAUDE,
  GEMINI,
  GPT,
  GPT_RESPONSES,
  messagesIn,
  objectsWhere,
  openPitfallStand,
  type PitfallStand,
  under,
} from '../support/pitfall-stand.ts';
import { PIXEL, PIXEL_URL } from '../support/responses-probe.ts';
import { DESTINATIONS, type Json } from '../support/roads.ts';

let stand: PitfallStand;
beforeAll(async () => {
  stand = await openPitfallStand();
});
afterAll(() => stand.close());

const TOOLS = ['weather', 'clock'];
const call = (id: string, name = 'weather'): Json => ({
  id,
  type: 'function',
  function: { name, arguments: '{"city":"Rome"}' },
});
const result = (id: string, content: unknown): Json => ({ role: 'tool', tool_call_id: id, content });
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
const seeing = (...contents: unknown[]): Json[] => [
  messagesRoad.user('Look.'),
  {
    role: 'assistant',
    content: contents.map((_, at) => ({ type: 'tool_use', id: `t${at}`, name: TOOLS[at], input: { city: 'Rome' } })),
  },
  {
    role: 'user',
    content: contents.map((content, at) => ({ type: 'tool_result', tool_use_id: `t${at}`, content })),
  },
];

test('[P21] an assistant turn of calls and an empty text has no empty text block for Claude', async () => {
  for (const content of ['', null, [{ type: 'text', text: '' }]]) {
    const turns = [
      chatRoad.user('Weather?'),
      { role: 'assistant', content, tool_calls: [call('a')] },
      result('a', 'rain'),
    ];
    const seen = await stand.served(chatRoad, CLAUDE, turns, { tools: TOOLS });
    expect(objectsWhere(seen.sent, ({ type, text }) => type === 'text' && text === '')).toEqual([]);
  }
});

test.each(DESTINATIONS)('[P23] an image in a tool result reaches $dialect as an image', async ({ model }) => {
  const seen = await stand.served(messagesRoad, model, seeing([{ type: 'text', text: 'A photo' }, IMAGE]), {
    tools: TOOLS,
  });
  const holders = objectsWhere(seen.sent, (object) =>
    Object.values(object).some((value) => typeof value === 'string' && value.includes(PIXEL)),
  );
  expect(holders).toHaveLength(1);
  expect(seen.sentText).toContain('A photo');
});

test('[P24] images of several results follow all of them: nothing comes between tool messages', async () => {
  const turns = seeing([IMAGE], [{ type: 'text', text: 'noon' }, IMAGE]);
  const seen = await stand.served(messagesRoad, GPT, turns, { tools: TOOLS });
  expect(messagesIn(seen).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
  expect(objectsWhere(messagesIn(seen).at(-1), ({ type }) => type === 'image_url')).toHaveLength(2);
});

test('[P25] the results of one turn are one content for Gemini, as many and in the order of the calls', async () => {
  const turns = [
    chatRoad.user('Weather?'),
    { role: 'assistant', content: null, tool_calls: [call('a'), call('b', 'clock'), call('c')] },
    ...['c', 'a', 'b'].map((id) => result(id, `result of ${id}`)),
  ];
  const seen = await stand.served(chatRoad, GEMINI, turns, { tools: TOOLS });
  const contents = seen.sent[0]?.['contents'] as { role: string; parts: Json[] }[];
  expect(contents).toHaveLength(3);
  expect(contents[2]?.parts).toHaveLength(3);
  const answered = contents[2]?.parts.map(({ functionResponse }) => functionResponse as { id: string; name: string });
  for (const { id } of answered ?? []) expect(seen.sentText).toContain(`result of ${id}`);
  expect(new Set(answered?.map(({ id }) => id))).toEqual(new Set(['a', 'b', 'c']));
});

test('[P30] a tool result that holds $ref reaches Gemini as text, where it means nothing', async () => {
  const schema = '{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}';
  const turns = [
    chatRoad.user('Weather?'),
    { role: 'assistant', content: null, tool_calls: [call('a')] },
    result('a', schema),
  ];
  const chat = await stand.served(chatRoad, GEMINI, turns, { tools: TOOLS });
  const messages = await stand.served(messagesRoad, GEMINI, seeing(schema), { tools: TOOLS });
  for (const { sent } of [chat, messages]) {
    const [response] = under(sent, 'response');
    expect(under(response, '$ref')).toEqual([]);
    expect(under(response, '$defs')).toEqual([]);
    expect(JSON.stringify(response)).toContain('$ref');
  }
});

test('[P35] results of parallel calls are one user turn for Claude', async () => {
  const turns = [
    chatRoad.user('Weather?'),
    { role: 'assistant', content: null, tool_calls: [call('a'), call('b', 'clock')] },
    result('a', 'rain'),
    result('b', 'noon'),
    chatRoad.user('And now?'),
  ];
  const seen = await stand.served(chatRoad, CLAUDE, turns, { tools: TOOLS });
  const [, , results, ...more] = messagesIn(seen) as { role: string; content: Json[] }[];
  expect(more).toEqual([]);
  expect(results?.content.map(({ type }) => type)).toEqual(['tool_result', 'tool_result', 'text']);
});

test('[P48] assistant text is one string for chat hosts, not a list that models imitate', async () => {
  const content = ['One. ', 'Two.'].map((text) => ({ type: 'text', text }));
  const parts = content.map(({ text }) => ({ text }));
  const messages = [messagesRoad.user('Hello'), { role: 'assistant', content }, messagesRoad.user('Go on.')];
  const contents = [genaiRoad.user('Hello'), { role: 'model', parts }, genaiRoad.user('Go on.')];
  for (const seen of [
    await stand.served(messagesRoad, 'compatible/any', messages),
    await stand.served(genaiRoad, 'compatible/any', contents),
  ])
    expect(messagesIn(seen)[1]).toEqual({ role: 'assistant', content: 'One. Two.' });
});

test('[A10] an image by URL stays a URL where the host fetches it, and no mime type is invented', async () => {
  const url = 'https://example.com/roads.png';
  const chat = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look.' },
        { type: 'image_url', image_url: { url } },
      ],
    },
  ];
  for (const model of [GPT, GPT_RESPONSES, CLAUDE]) {
    const seen = await stand.served(chatRoad, model, chat);
    expect(seen.sentText).toContain(`"${url}"`);
    expect(seen.sentText).not.toContain('base64');
  }
  const inline = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: PIXEL_URL } }] }];
  for (const model of [CLAUDE, GEMINI]) {
    const seen = await stand.served(chatRoad, model, inline);
    expect(seen.sentText).toContain(PIXEL);
    expect(seen.sentText).toContain('"image/png"');
    expect(seen.sentText).not.toContain('image/jpg');
  }
});
