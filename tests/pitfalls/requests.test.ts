// Pitfalls of asking: parameters a model refuses, content a format has no place for, schemas a host cannot read.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatRoad } from '../support/chat-road.ts';
import { EVERY_ROAD } from '../support/every-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { PAINTER } from '../support/generate-models.ts';
import { ADAPTIVE } from '../support/messages-probe.ts';
import { messagesRoad } from '../support/messages-road.ts';
import {
  BY_TOOL,
  CLAUDE,
  GEMINI,
  GPT,
  GPT_RESPONSES,
  GPT_THINKER,
  messagesIn,
  objectsWhere,
  openPitfallStand,
  type PitfallStand,
  SMALL_SCHEMA,
  under,
} from '../support/pitfall-stand.ts';
import { PIXEL, PIXEL_URL } from '../support/responses-probe.ts';
import { DESTINATIONS, type Json, type Road } from '../support/roads.ts';
import { KEY } from '../support/stand.ts';

let stand: PitfallStand;
beforeAll(async () => {
  stand = await openPitfallStand();
});
afterAll(() => stand.close());

const TOOLS = ['weather', 'clock'];
const hello = (road: Road): Json[] => [road.user('Hello')];
const call = (id: string, name = 'weather'): Json => ({
  id,
  type: 'function',
  function: { name, arguments: '{"city":"Rome"}' },
});
const result = (id: string, content: unknown): Json => ({ role: 'tool', tool_call_id: id, content });
const schemaOf = (road: Road, schema: Json): Json =>
  ({
    chat: { response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } } },
    responses: { text: { format: { type: 'json_schema', name: 'place', schema, strict: true } } },
    messages: { output_config: { format: { type: 'json_schema', schema } } },
    genai: { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } },
  })[road.name];
const PLACE = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

describe('[P19] sampling and budgets that newer Claude refuses', () => {
  const SAMPLING: Readonly<Record<Road['name'], Json>> = {
    chat: { temperature: 0.3, top_p: 0.5, reasoning: { max_tokens: 2000 } },
    responses: { temperature: 0.3, top_p: 0.5, reasoning: { effort: 'high' } },
    messages: { temperature: 0.3, top_k: 5, thinking: { type: 'enabled', budget_tokens: 2000 } },
    genai: { generationConfig: { temperature: 0.3, topP: 0.5, topK: 5, thinkingConfig: { thinkingBudget: 2000 } } },
  };
  test.each(EVERY_ROAD)('[P19] $name', async (road) => {
    const seen = await stand.served(road, ADAPTIVE, hello(road), {}, SAMPLING[road.name]);
    for (const member of ['temperature', 'top_p', 'top_k']) expect(seen.sent[0]).not.toHaveProperty(member);
    expect(under(seen.sent, 'budget_tokens')).toEqual([]);
    expect(seen.losses).not.toEqual([]);
  });
});

test('[P20] tools with reasoning effort go to OpenAI by Responses, where they are allowed together', async () => {
  const seen = await stand.served(chatRoad, GPT_THINKER, hello(chatRoad), { tools: TOOLS, thinking: true });
  expect(stand.simulator.truth.last()?.path).toContain('/responses');
  expect(seen.sent[0]).toMatchObject({
    reasoning: { effort: 'medium' },
    tools: [{ name: 'weather' }, { name: 'clock' }],
  });
});

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

test.each([CLAUDE, BY_TOOL])('[P22] an answer by schema from %s goes together with thinking', async (model) => {
  for (const road of EVERY_ROAD) {
    // Laid over each other, members of one object would hide those of the other.
    const { generationConfig } = road.body(model, [], { thinking: true }) as { generationConfig?: Json };
    const members = schemaOf(road, PLACE);
    const merged = generationConfig
      ? { generationConfig: { ...generationConfig, ...(members['generationConfig'] as Json) } }
      : members;
    const seen = await stand.served(road, model, hello(road), { thinking: true }, merged);
    if (model === CLAUDE) expect(JSON.parse(seen.heard().text)).toEqual({ city: expect.any(String) });
  }
});

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

test('[P24] images of several results follow all of them: nothing stands between tool messages', async () => {
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

test('[P26] one stop sequence is still a list for hosts that want lists', async () => {
  const chat = await stand.served(
    chatRoad,
    'nameless/any',
    [{ ...chatRoad.user('Hello'), name: 'ann' }],
    {},
    { stop: 'end' },
  );
  const messages = await stand.served(
    messagesRoad,
    'compatible/any',
    hello(messagesRoad),
    {},
    { stop_sequences: ['end'] },
  );
  const genai = await stand.served(
    genaiRoad,
    'compatible/any',
    hello(genaiRoad),
    {},
    { generationConfig: { stopSequences: ['end'] } },
  );
  for (const { sent } of [chat, messages, genai]) expect(sent[0]?.['stop']).toEqual(['end']);
});

test('[P27] a cache mark is passed on and never added: four stay four, none stay none', async () => {
  const marked = (text: string): Json => ({ type: 'text', text, cache_control: { type: 'ephemeral' } });
  const members = {
    system: [marked('One.'), marked('Two.')],
    tools: [{ name: 'weather', input_schema: PLACE, cache_control: { type: 'ephemeral' } }],
  };
  const four = await stand.served(messagesRoad, CLAUDE, [{ role: 'user', content: [marked('Hello')] }], {}, members);
  expect(under(four.sent, 'cache_control')).toHaveLength(4);
  for (const road of EVERY_ROAD) {
    const none = await stand.served(road, CLAUDE, hello(road), { tools: TOOLS });
    expect(under(none.sent, 'cache_control')).toEqual([]);
  }
});

test('[P28] cached content beside instructions or tools is refused before anybody is asked', async () => {
  for (const members of [
    { systemInstruction: { parts: [{ text: 'Be brief.' }] } },
    { tools: [{ functionDeclarations: [{ name: 'weather' }] }] },
    { toolConfig: { functionCallingConfig: { mode: 'AUTO' } } },
  ]) {
    const seen = await stand.ask(
      genaiRoad,
      GEMINI,
      hello(genaiRoad),
      {},
      { cachedContent: 'cachedContents/1', ...members },
    );
    expect(seen.status).toBe(400);
    expect(seen.text).toContain('cachedContent');
    expect(seen.sent).toEqual([]);
  }
});

/** What real tools declare, and what the smaller schema language has no word for. */
const RICH_SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  $defs: { point: { type: 'object', properties: { x: { type: 'number', exclusiveMinimum: 0 } } } },
  properties: {
    at: { $ref: '#/$defs/point' },
    kind: { const: 'road' },
    level: { enum: [1, 2, 3] },
    note: { type: ['string', 'null'] },
    either: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    rest: {
      type: 'object',
      properties: { a: { type: 'string' } },
      additionalProperties: { type: 'string' },
      propertyNames: { pattern: '^a' },
    },
  },
  required: ['at'],
  additionalProperties: false,
};

test('[P29] [A8] a tool with every keyword of JSON Schema reaches Gemini in a form it takes', async () => {
  const tools = [{ type: 'function', function: { name: 'weather', parameters: RICH_SCHEMA, strict: false } }];
  const full = await stand.served(chatRoad, GEMINI, hello(chatRoad), {}, { tools });
  expect(under(full.sent, 'parametersJsonSchema')).toHaveLength(1);
  const small = await stand.served(chatRoad, SMALL_SCHEMA, hello(chatRoad), {}, { tools });
  const [parameters] = under(small.sent, 'parameters');
  for (const keyword of [
    '$schema',
    '$ref',
    '$defs',
    'const',
    'oneOf',
    'exclusiveMinimum',
    'propertyNames',
    'additionalProperties',
  ])
    expect(under(parameters, keyword), keyword).toEqual([]);
  const properties = (parameters as { properties: Record<string, Json> }).properties;
  expect(properties['at']).toMatchObject({ properties: { x: expect.anything() } });
  expect(properties['kind']).toMatchObject({ enum: ['road'] });
  expect(properties['note']).toMatchObject({ nullable: true });
});

test('[A8] a schema that refers to itself is refused by name where it cannot be spelled out', async () => {
  const parameters = {
    type: 'object',
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    properties: { first: { $ref: '#/$defs/node' } },
  };
  const tools = [{ type: 'function', function: { name: 'weather', parameters } }];
  const full = await stand.served(chatRoad, GEMINI, hello(chatRoad), {}, { tools });
  expect(under(full.sent, '$ref').length).toBeGreaterThan(0);
  const seen = await stand.ask(chatRoad, SMALL_SCHEMA, hello(chatRoad), {}, { tools });
  expect(seen.refusals).toEqual([]);
  if (seen.status !== 200) expect(seen).toMatchObject({ status: 400, sent: [] });
  else expect(under(seen.sent, '$ref')).toEqual([]);
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

test('[P42] a declaration reaches Claude with the members it knows, and none that another format had', async () => {
  const tools = [
    {
      type: 'function',
      function: { name: 'weather', description: 'd', parameters: PLACE, strict: true, x_vendor: 1 },
      x_other: true,
    },
  ];
  const seen = await stand.served(chatRoad, CLAUDE, hello(chatRoad), {}, { tools });
  const [declared] = under(seen.sent, 'tools').flat() as Json[];
  const known = ['name', 'description', 'input_schema', 'strict'];
  for (const member of Object.keys(declared ?? {})) expect(known).toContain(member);
  expect(declared).toMatchObject({ name: 'weather', description: 'd', input_schema: PLACE });
});

test('[P43] the shape of an image stands where the model that makes it looks for it', async () => {
  const generationConfig = { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '16:9' } };
  const seen = await stand.served(genaiRoad, PAINTER, hello(genaiRoad), {}, { generationConfig });
  expect(seen.sent[0]).toMatchObject({ generationConfig: { imageConfig: { aspectRatio: '16:9' } } });
  // Elsewhere it is refused or reported, never dropped in silence.
  const other = await stand.ask(
    genaiRoad,
    GPT,
    hello(genaiRoad),
    {},
    { generationConfig: { imageConfig: { aspectRatio: '16:9' } } },
  );
  if (other.status === 200) expect(other.losses.join()).toContain('imageConfig');
  else expect(other).toMatchObject({ status: 400, sent: [] });
});

test('[P44] no film is promised that could not be fetched: without a place to keep it, video calls are refused in the caller’s own form', async () => {
  for (const action of ['predictLongRunning', 'fetchPredictOperation']) {
    const response = await fetch(`${stand.url}/api/vertex-ai/v1/publishers/google/models/veo:${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
      body: JSON.stringify({ instances: [{ prompt: 'roads' }] }),
    });
    const body = (await response.json()) as { error: Json };
    expect(response.status).toBe(400);
    expect(body.error).toMatchObject({ code: 400, message: expect.stringContaining('database.url') });
  }
});

test('[P46] what a model can do is known by the model, not by the address it is served from', async () => {
  const members = { temperature: 0.3, reasoning_effort: 'high' };
  const older = await stand.served(chatRoad, CLAUDE, hello(chatRoad), {}, members);
  const newer = await stand.served(chatRoad, ADAPTIVE, hello(chatRoad), {}, members);
  expect(older.sent[0]).toMatchObject({ thinking: { type: 'enabled', budget_tokens: expect.any(Number) } });
  expect(newer.sent[0]).toMatchObject({ thinking: { type: 'adaptive' } });
  expect(older.sent[0]).not.toHaveProperty('temperature');
  expect(newer.sent[0]).not.toHaveProperty('temperature');
});

test('[P48] what the assistant said is one string for chat hosts, not a list that models imitate', async () => {
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

describe('[A9] the same schema through every protocol into every dialect', () => {
  test.each(DESTINATIONS)('[A9] $dialect', async ({ model }) => {
    for (const road of EVERY_ROAD)
      for (const stream of [false, true]) {
        const seen = await stand.served(road, model, hello(road), { stream }, schemaOf(road, PLACE));
        expect(JSON.parse(seen.heard().text), `${road.name}, streamed: ${stream}`).toEqual({
          city: expect.any(String),
        });
      }
  });
});

test('[A10] an image by URL stays a URL where the host fetches it, and its type is not made up', async () => {
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

test.each([GPT, CLAUDE, GPT_RESPONSES])(
  '[A11] instructions, tools and full schemas of generative content reach %s',
  async (model) => {
    const seen = await stand.served(
      genaiRoad,
      model,
      hello(genaiRoad),
      {},
      {
        systemInstruction: { role: 'user', parts: [{ text: 'Be brief, always.' }] },
        tools: [{ functionDeclarations: [{ name: 'weather', description: 'Weather.', parametersJsonSchema: PLACE }] }],
      },
    );
    expect(seen.sentText).toContain('Be brief, always.');
    expect(seen.sentText).toContain(JSON.stringify(PLACE));
    expect(under(seen.sent, 'name')).toContain('weather');
  },
);

describe('[A12] what cannot be carried is told, and refused to callers who want all or nothing', () => {
  const CASES: readonly (readonly [Road, string, Json, string])[] = [
    [chatRoad, CLAUDE, { logit_bias: { '1': 5 } }, 'logit_bias'],
    [messagesRoad, GPT, { top_k: 5 }, 'top_k'],
    [genaiRoad, CLAUDE, { generationConfig: { seed: 7 } }, 'generationConfig.seed'],
  ];
  test.each(CASES)('[A12] $name to %s', async (road, model, members, field) => {
    const seen = await stand.served(road, model, hello(road), {}, members);
    expect(seen.losses).toContain(field);
    const strict = await fetch(`${stand.url}${road.path(model, false)}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${KEY}`,
        'x-trivium-strict': 'true',
        ...road.headers,
      },
      body: JSON.stringify({ ...road.body(model, hello(road), {}), ...members }),
    });
    expect(strict.status).toBe(400);
    expect(await strict.text()).toContain(field);
  });
});
