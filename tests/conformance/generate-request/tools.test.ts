/** Functions, the vendor's own tools, calls and their results: for the same dialect and for others. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLOUD, moreModels } from '../../support/generate-models.ts';
import {
  ask,
  CHAT,
  type Json,
  lossless,
  lossy,
  MESSAGES,
  model,
  refused,
  served,
  TOOLS,
  TRANSLATED,
  text,
  user,
  WEATHER,
} from '../../support/generate-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: moreModels });
});
afterAll(() => stand.close());

const declare = (...functionDeclarations: unknown[]): Json => ask({ tools: [{ functionDeclarations }] });

describe('declarations', () => {
  test.each([[{}], ['x']])('[G-25] tools that is %j is refused', (tools) => refused(stand, ask({ tools }), 'tools'));
  test('[G-25] a list of tools is accepted', async () => {
    expect((await lossless(stand, ask(TOOLS))).sent).toMatchObject(TOOLS);
  });

  const jsonSchema = { type: 'object', properties: { city: { type: 'string' } } };
  test.each([
    [
      'parameters',
      { name: 'f', description: 'd', parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } } } },
    ],
    ['parametersJsonSchema', { name: 'f', description: 'd', parametersJsonSchema: jsonSchema }],
  ])('[G-26] %s become the JSON Schema of other dialects', async (_form, declaration) => {
    expect((await lossless(stand, declare(declaration))).sent).toMatchObject(declare(declaration));
    expect((await lossless(stand, declare(declaration), { model: CHAT })).sent).toMatchObject({
      tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: jsonSchema } }],
    });
    expect((await lossless(stand, declare(declaration), { model: MESSAGES })).sent).toMatchObject({
      tools: [{ name: 'f', description: 'd', input_schema: jsonSchema }],
    });
  });
  test.each([
    [{ description: 'd' }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'f', description: 1 }, 'description'],
    [{ name: 'f', parameters: [] }, 'parameters'],
    [{ name: 'f', parameters: { type: 'OBJECT' }, parametersJsonSchema: {} }, 'parametersJsonSchema'],
  ])('[G-26] the declaration %j is refused', (declaration, field) =>
    refused(stand, declare(declaration), `tools[0].functionDeclarations[0].${field}`),
  );
});

describe('tools of the vendor', () => {
  test.each([[{ googleSearch: {} }], [{ urlContext: {} }], [{ codeExecution: {} }]])(
    '[G-27] the tool %j is forwarded to a model that has it',
    async (tool) => {
      expect((await lossless(stand, ask({ tools: [tool] }))).sent).toMatchObject({ tools: [tool] });
    },
  );
  test('[G-27] the retrieval tool is forwarded to a model that has it', async () => {
    const tool = { retrieval: { vertexAiSearch: { datastore: 'd' } } };
    expect((await lossless(stand, ask({ tools: [tool] }), { model: CLOUD })).sent).toMatchObject({ tools: [tool] });
  });
  test.each([[{ retrieval: {} }], [{ urlContext: {} }], [{ codeExecution: {} }]])(
    '[G-27] the tool %j is a loss at other models',
    async (tool) => {
      const { sent } = await lossy(stand, ask({ tools: [tool] }), ['tools'], { model: CHAT });
      expect(sent).not.toHaveProperty('tools');
    },
  );
  test.each([[{ googleSearch: 'x' }], [{ urlContext: [] }], [{ codeExecution: true }]])(
    '[G-27] the settings of a tool must be an object: %j',
    (tool) => refused(stand, ask({ tools: [tool] }), `tools[0].${Object.keys(tool)[0]}`),
  );
});

describe('choice', () => {
  const calling = (functionCallingConfig: Json, tools: Json = TOOLS): Json =>
    ask({ ...tools, toolConfig: { functionCallingConfig } });

  test.each([[[]], ['x']])('[G-28] a tool config that is %j is refused', (toolConfig) =>
    refused(stand, ask({ ...TOOLS, toolConfig }), 'toolConfig'),
  );
  test.each([
    ['AUTO', 'auto', { type: 'auto' }],
    ['ANY', 'required', { type: 'any' }],
    ['NONE', 'none', { type: 'none' }],
    ['VALIDATED', 'auto', { type: 'auto' }],
  ] as const)('[G-28] the mode %s has its equivalent everywhere', async (mode, chat, messages) => {
    const body = calling({ mode });
    expect((await lossless(stand, body)).sent).toMatchObject({ toolConfig: { functionCallingConfig: { mode } } });
    expect((await served(stand, body, { model: CHAT })).sent['tool_choice']).toBe(chat);
    expect((await served(stand, body, { model: MESSAGES })).sent['tool_choice']).toMatchObject(messages);
  });
  test.each(['SOMETIMES', 'auto', 1])('[G-28] the mode %j is refused', (mode) =>
    refused(stand, calling({ mode }), 'toolConfig.functionCallingConfig.mode'),
  );

  const TWO = { tools: [{ functionDeclarations: [WEATHER, { ...WEATHER, name: 'get_time' }] }] };
  test('[G-29] one allowed function name becomes a forced choice upstream', async () => {
    const body = calling({ mode: 'ANY', allowedFunctionNames: ['get_time'] }, TWO);
    const { sent, candidate } = await lossless(stand, body);
    expect(sent).toMatchObject({ toolConfig: body['toolConfig'] as Json });
    expect(candidate.content.parts[0]).toMatchObject({ functionCall: { name: 'get_time' } });
    const chat = await lossless(stand, body, { model: CHAT });
    expect(chat.sent['tool_choice']).toEqual({ type: 'function', function: { name: 'get_time' } });
    const messages = await lossless(stand, body, { model: MESSAGES });
    expect(messages.sent['tool_choice']).toEqual({ type: 'tool', name: 'get_time' });
  });
  test('[G-29] an allowed function name that is not declared is refused', async () => {
    const path = 'toolConfig.functionCallingConfig.allowedFunctionNames';
    await refused(stand, calling({ mode: 'ANY', allowedFunctionNames: ['other'] }), `${path}[0]`);
    await refused(stand, calling({ mode: 'ANY', allowedFunctionNames: ['get_weather', 'other'] }), `${path}[1]`);
    await refused(stand, calling({ mode: 'ANY', allowedFunctionNames: 'get_weather' }), path);
  });
});

describe('calls and results', () => {
  const call = (functionCall: unknown): Json => ({ functionCall });
  const result = (functionResponse: unknown): Json => ({ functionResponse });
  const talk = (calls: Json[], results: Json[], tools: Json = TOOLS): Json => ({
    contents: [user(text('Weather?')), model(...calls), user(...results)],
    ...tools,
  });
  const answered = talk(
    [call({ id: 'a1', name: 'get_weather', args: { city: 'Bern' } })],
    [result({ id: 'a1', name: 'get_weather', response: { sky: 'clear' } })],
  );

  test.each([
    [{ args: {} }, 'name'],
    [{ name: '', args: {} }, 'name'],
    [{ name: 1 }, 'name'],
    [{ name: 'f', args: 'x' }, 'args'],
    [{ name: 'f', args: [] }, 'args'],
    [{ name: 'f', id: 1 }, 'id'],
  ])('[G-14] the call %j is refused', (given, field) =>
    refused(stand, talk([call(given)], [text('x')]), `contents[1].parts[0].functionCall.${field}`),
  );
  test('[G-14] a function call keeps its id, name and arguments', async () => {
    expect((await lossless(stand, answered)).sent).toMatchObject({ contents: answered['contents'] as Json[] });
    expect((await lossless(stand, answered, { model: CHAT })).sent).toMatchObject({
      messages: [
        {},
        { tool_calls: [{ id: 'a1', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } }] },
        {},
      ],
    });
    expect((await lossless(stand, answered, { model: MESSAGES })).sent).toMatchObject({
      messages: [{}, { content: [{ type: 'tool_use', id: 'a1', name: 'get_weather', input: { city: 'Bern' } }] }, {}],
    });
  });

  test.each([
    [{ name: 'f', response: 'x' }, 'response'],
    [{ name: 'f', response: [] }, 'response'],
    [{ name: 'f' }, 'response'],
    [{ response: {} }, 'name'],
    [{ name: 1, response: {} }, 'name'],
  ])('[G-15] the result %j is refused', (given, field) =>
    refused(
      stand,
      talk([call({ name: 'f', args: {} })], [result(given)]),
      `contents[2].parts[0].functionResponse.${field}`,
    ),
  );
  test('[G-15] a function result arrives with its content', async () => {
    expect((await lossless(stand, answered)).sent).toMatchObject({ contents: answered['contents'] as Json[] });
    for (const target of TRANSLATED) {
      const { sent } = await lossless(stand, answered, { model: target });
      expect(JSON.stringify(((sent['messages'] ?? sent['input']) as Json[])[2])).toContain('clear');
    }
  });

  const functions = { tools: [{ functionDeclarations: ['f', 'g'].map((name) => ({ ...WEATHER, name })) }] };
  const numbered = (name: string, n: number, id?: string): Json => ({
    name,
    args: { city: `c${n}` },
    ...(id && { id }),
  });
  const reply = (name: string, n: number, id?: string): Json => ({ name, response: { n }, ...(id && { id }) });
  const PAIRINGS = [
    ['by id', ['b', 'a'], [numbered('f', 1, 'a'), numbered('f', 2, 'b')], [reply('f', 2, 'b'), reply('f', 1, 'a')]],
    [
      'by name and order',
      [],
      [numbered('f', 1), numbered('g', 2), numbered('f', 3)],
      [reply('g', 2), reply('f', 1), reply('f', 3)],
    ],
  ] as const;
  test.each(PAIRINGS)('[G-16] %s a result is matched to its call in chat', async (_how, _ids, calls, results) => {
    const { sent } = await served(stand, talk(calls.map(call), results.map(result), functions), { model: CHAT });
    const [, assistant, ...tools] = sent['messages'] as {
      tool_calls: { id: string; function: { arguments: string } }[];
      tool_call_id: string;
      content: string;
    }[];
    const cityOf = (id: string): string =>
      assistant?.tool_calls.find((each) => each.id === id)?.function.arguments ?? '';
    expect(tools).toHaveLength(calls.length);
    for (const tool of tools) {
      const { n } = JSON.parse(tool.content) as { n: number };
      expect(cityOf(tool.tool_call_id)).toBe(`{"city":"c${n}"}`);
    }
  });
  test.each(PAIRINGS)('[G-16] %s a result is matched to its call in messages', async (_how, _ids, calls, results) => {
    const { sent } = await served(stand, talk(calls.map(call), results.map(result), functions), { model: MESSAGES });
    const [, assistant, tools] = sent['messages'] as {
      content: { id: string; input: { city: string }; tool_use_id: string; content: unknown }[];
    }[];
    expect(tools?.content).toHaveLength(calls.length);
    for (const block of tools?.content ?? []) {
      const city = assistant?.content.find(({ id }) => id === block.tool_use_id)?.input.city;
      const n = /[0-9]/.exec(JSON.stringify(block.content).replace(/^.*n\\?"/, ''))?.[0];
      expect(city).toBe(`c${n}`);
    }
  });
});
