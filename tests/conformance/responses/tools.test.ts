/** R: tools, the choice among them, and how many calls there may be. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  BARE_REASONING,
  CHAT,
  EVERY_MODEL,
  GOOGLE,
  inputText,
  type Json,
  lossless,
  lossy,
  MESSAGES,
  OWN,
  ofType,
  play,
  recordOf,
  refused,
  responsesHosts,
  served,
  TRANSLATED,
  tool,
  user,
  WEATHER,
} from '../../support/responses-probe.ts';
import { openStand, postChat, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

const CLOCK = tool('clock');
const GRAMMAR = { type: 'grammar', syntax: 'regex', definition: '[a-z]+' };
const CUSTOM = { type: 'custom', name: 'shell', description: 'Runs it', format: GRAMMAR };
const withTools = (tools: unknown, members: Json = {}) => ask({ tools, ...members });
const rebuilt = (members: Json): Json => ask({ input: [BARE_REASONING, user(inputText('Hello'))], ...members });
/** Names of the functions that an upstream of another dialect received. */
const toolsOf = (sent: Json): Json[] => sent['tools'] as Json[];

describe('tools', () => {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  };
  const full = { type: 'function', name: 'weather', description: 'Tells it', parameters, strict: true };
  test('[R-56] functions are translated to the target’s own form', async () => {
    expect((await lossless(stand, withTools([full]))).sent['tools']).toEqual([full]);
    expect((await served(stand, rebuilt({ tools: [full] }))).sent['tools']).toEqual([full]);
    const { type: _, ...fn } = full;
    expect((await lossless(stand, withTools([full], { model: CHAT }))).sent['tools']).toEqual([
      { type: 'function', function: fn },
    ]);
    expect(toolsOf((await served(stand, withTools([full], { model: MESSAGES }))).sent)[0]).toMatchObject({
      name: 'weather',
      description: 'Tells it',
      input_schema: { properties: parameters.properties },
    });
    expect(JSON.stringify(toolsOf((await served(stand, withTools([full], { model: GOOGLE }))).sent))).toMatch(
      /functionDeclarations.*weather.*Tells it/,
    );
  });
  test('[R-56] an absent strict does not become true at any target', async () => {
    expect(toolsOf((await lossless(stand, withTools([WEATHER]))).sent)[0]).not.toHaveProperty('strict');
    expect(toolsOf((await served(stand, rebuilt({ tools: [WEATHER] }))).sent)[0]).not.toHaveProperty('strict');
    for (const model of TRANSLATED)
      expect(JSON.stringify(toolsOf((await lossless(stand, withTools([WEATHER], { model }))).sent))).not.toContain(
        '"strict":true',
      );
    await postChat(stand, {
      model: OWN,
      messages: [{ role: 'user', content: 'Hello' }],
      tools: [{ type: 'function', function: { name: 'weather', parameters } }],
    });
    expect(toolsOf(stand.simulator.truth.last()?.body as Json)[0]).toMatchObject({ name: 'weather', strict: false });
  });
  test('[R-56] custom tools and web search are forwarded to targets that have them', async () => {
    const search = { type: 'web_search', search_context_size: 'low' };
    expect((await lossless(stand, withTools([CUSTOM, search]))).sent['tools']).toEqual([CUSTOM, search]);
    expect((await served(stand, rebuilt({ tools: [CUSTOM, search] }))).sent['tools']).toEqual([CUSTOM, search]);
    expect((await lossless(stand, withTools([CUSTOM], { model: CHAT }))).sent['tools']).toEqual([
      {
        type: 'custom',
        custom: {
          name: 'shell',
          description: 'Runs it',
          format: { type: 'grammar', grammar: { syntax: 'regex', definition: '[a-z]+' } },
        },
      },
    ]);
    for (const model of [MESSAGES, GOOGLE]) await lossy(stand, withTools([CUSTOM], { model }), ['tools']);
    expect(toolsOf((await served(stand, withTools([search], { model: MESSAGES }))).sent)[0]).toMatchObject({
      name: 'web_search',
    });
    expect(toolsOf((await served(stand, withTools([search], { model: GOOGLE }))).sent)[0]).toHaveProperty(
      'googleSearch',
    );
  });
  test.each<[string, Json]>([
    ['name', { type: 'function', parameters: {} }],
    ['name', { type: 'function', name: '' }],
    ['name', { type: 'custom' }],
    ['parameters', { type: 'function', name: 'a', parameters: 5 }],
    ['strict', { type: 'function', name: 'a', strict: 'yes' }],
    ['type', { name: 'a' }],
    ['type', { type: '' }],
  ])('[R-56] %s is named in the refusal of %j', async (member, bad) => {
    await refused(stand, withTools([WEATHER, bad]), `tools[1].${member}`);
  });
  test.each(EVERY_MODEL)(
    '[R-56] a tool of an unknown type is dropped with a loss at %s, and the others are kept',
    async (model) => {
      const unknown = { type: 'no_such_tool', canary: 1 };
      const { sent, sentText } = await served(stand, withTools([unknown, WEATHER], { model }));
      expect(sentText).toContain(String(WEATHER['name']));
      expect(sentText).not.toMatch(/no_such_tool|canary/);
      expect(sent).toHaveProperty('tools');
      await lossy(stand, withTools([unknown, WEATHER], { model }), ['tools']);
      const choice = { tool_choice: { type: 'function', name: 'no_such_tool' } };
      await refused(stand, withTools([unknown, WEATHER], { model, ...choice }), 'tool_choice.name');
    },
  );
  test.each([
    'file_search',
    'code_interpreter',
    'image_generation',
    'mcp',
    'computer',
    'computer_use_preview',
    'shell',
  ])('[R-58] a tool of type %s is refused', async (type) => {
    for (const model of EVERY_MODEL) await refused(stand, withTools([WEATHER, { type }], { model }), 'tools[1].type');
    await lossless(stand, withTools([tool(type)]));
  });
});

describe('web search', () => {
  const location = { type: 'approximate', city: 'Rome', country: 'IT' };
  const search = {
    type: 'web_search',
    search_context_size: 'high',
    user_location: location,
    filters: { allowed_domains: ['a.example'] },
  };
  test('[R-57] the settings of web search are forwarded', async () => {
    expect((await lossless(stand, withTools([search]))).sent['tools']).toEqual([search]);
    expect((await served(stand, rebuilt({ tools: [search] }))).sent['tools']).toEqual([search]);
    const { search_context_size: _, ...sizeless } = search;
    expect(toolsOf((await lossless(stand, withTools([sizeless], { model: MESSAGES }))).sent)[0]).toMatchObject({
      allowed_domains: ['a.example'],
      user_location: { city: 'Rome', country: 'IT' },
    });
    await lossy(stand, withTools([search], { model: MESSAGES }), ['tools']);
  });
  test.each([CHAT, GOOGLE])('[R-57] a domain filter of web search is refused for %s', async (model) => {
    await refused(stand, withTools([search], { model }), 'tools');
  });
  test('[R-57] at most one web search tool is accepted, and it must be well-formed', async () => {
    await refused(stand, withTools([search, { type: 'web_search_preview' }]), 'tools');
    await refused(stand, withTools([{ ...search, search_context_size: 'huge' }]), 'tools[0].search_context_size');
    await refused(
      stand,
      withTools([{ ...search, filters: { allowed_domains: 'a' } }]),
      'tools[0].filters.allowed_domains',
    );
    await refused(stand, withTools([{ ...search, user_location: { city: 5 } }]), 'tools[0].user_location.city');
  });
});

describe('the choice', () => {
  const one = { type: 'function', name: 'weather' };
  const some = { type: 'allowed_tools', mode: 'required', tools: [one] };
  const chosen = async (tool_choice: unknown, model: string = OWN) =>
    (await lossless(stand, withTools([WEATHER, CLOCK], { tool_choice, model }))).sent;
  test('[R-59] tool_choice reaches a host of the same dialect unchanged', async () => {
    for (const choice of ['none', 'auto', 'required', one, some]) {
      expect((await chosen(choice))['tool_choice']).toEqual(choice);
      const { sent } = await served(stand, rebuilt({ tools: [WEATHER, CLOCK], tool_choice: choice }));
      expect(sent['tool_choice']).toEqual(choice);
    }
    const custom = { type: 'custom', name: 'shell' };
    expect((await served(stand, withTools([CUSTOM], { tool_choice: custom }))).sent['tool_choice']).toEqual(custom);
  });
  test('[R-59] tool_choice is translated to each target’s own form', async () => {
    for (const choice of ['none', 'auto', 'required']) expect((await chosen(choice, CHAT))['tool_choice']).toBe(choice);
    expect((await chosen(one, CHAT))['tool_choice']).toEqual({ type: 'function', function: { name: 'weather' } });
    expect(JSON.stringify((await chosen(some, CHAT))['tool_choice'])).toMatch(/allowed_tools.*required.*weather/);
    expect((await chosen('auto', MESSAGES))['tool_choice']).toMatchObject({ type: 'auto' });
    expect((await chosen('required', MESSAGES))['tool_choice']).toMatchObject({ type: 'any' });
    expect((await chosen(one, MESSAGES))['tool_choice']).toMatchObject({ type: 'tool', name: 'weather' });
    const google = (await chosen(one, GOOGLE))['toolConfig'];
    expect(google).toEqual({ functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] } });
    const custom = await served(
      stand,
      withTools([CUSTOM], { tool_choice: { type: 'custom', name: 'shell' }, model: CHAT }),
    );
    expect(custom.sent['tool_choice']).toEqual({ type: 'custom', custom: { name: 'shell' } });
  });
  test.each<[string, unknown, Json[]]>([
    ['tool_choice', 'required', []],
    ['tool_choice', 'sometimes', [WEATHER]],
    ['tool_choice', 5, [WEATHER]],
    ['tool_choice.name', { type: 'function', name: 'news' }, [WEATHER]],
    ['tool_choice.name', { type: 'custom', name: 'weather' }, [WEATHER]],
    ['tool_choice.name', { type: 'function' }, [WEATHER]],
    ['tool_choice.type', { type: 'web_search' }, [WEATHER, { type: 'web_search' }]],
    ['tool_choice.type', { type: 'file_search' }, [WEATHER]],
    ['tool_choice.type', { type: 'mcp', server_label: 'a' }, [WEATHER]],
    ['tool_choice.mode', { type: 'allowed_tools', mode: 'none', tools: [] }, [WEATHER]],
  ])('[R-59] %s is named in the refusal of %j', async (field, tool_choice, tools) => {
    await refused(stand, withTools(tools, { tool_choice }), field);
  });
});

describe('parallel calls', () => {
  test.each(EVERY_MODEL)(
    '[R-60] parallel_tool_calls false reaches %s in its own form, or the gateway enforces it',
    async (model) => {
      const body = play('scenario=tools-parallel', { model, tools: [WEATHER, CLOCK] });
      expect(ofType((await served(stand, body)).output, 'function_call').length).toBeGreaterThan(1);
      const { output } = await served(stand, { ...body, parallel_tool_calls: false });
      expect(ofType(output, 'function_call')).toHaveLength(1);
      await refused(stand, { ...body, parallel_tool_calls: 'no' }, 'parallel_tool_calls');
    },
  );
  test('[R-60] a second call in spite of parallel_tool_calls false is dropped and reported', async () => {
    const body = play('scenario=tools-parallel', {
      model: GOOGLE,
      tools: [WEATHER, CLOCK],
      parallel_tool_calls: false,
    });
    const { reply, output } = await served(stand, body);
    expect(output.map(({ type }) => type)).toEqual(['function_call']);
    const record = await recordOf(stand, reply);
    expect(record.losses?.map(({ path }) => path)).toContain('output.function_call');
  });
});
