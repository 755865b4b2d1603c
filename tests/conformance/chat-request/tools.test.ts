/** Tool declarations, tool_choice and parallel_tool_calls. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelAt, peculiarHosts } from '../../support/chat-hosts.ts';
import { ask, COMPATIBLE, type Json, lossless, lossy, refused, served, user } from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: peculiarHosts });
});
afterAll(() => stand.close());

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const functionTool = (name = 'get_weather', more: Json = {}): Json => ({
  type: 'function',
  function: { name, parameters: PARAMETERS, ...more },
});
const CUSTOM = { type: 'custom', custom: { name: 'write_code', description: 'Writes code', format: { type: 'text' } } };
const ONE = [functionTool()];
const callsOf = ({ message }: { message: Json }): unknown[] => (message['tool_calls'] ?? []) as unknown[];

describe('tools', () => {
  test('[C-18] function tools reach the model with their JSON schema', async () => {
    const tools = [
      functionTool('a', { description: 'First', strict: true }),
      { type: 'function', function: { name: 'b' } },
    ];
    expect((await lossless(stand, ask({ tools }))).sent['tools']).toEqual(tools);
  });

  test('[C-18] a rebuilt request carries the same schema', async () => {
    const tools = [functionTool('a', { description: 'First', strict: true })];
    const messages = [{ role: 'developer', content: 'Be brief.' }, user('x')];
    expect((await lossless(stand, ask({ model: COMPATIBLE, messages, tools }))).sent['tools']).toEqual(tools);
  });

  test('[C-18] only `strict` is dropped for a target without strict functions', async () => {
    const { sent } = await lossy(
      stand,
      ask({ model: modelAt('loose-host'), tools: [functionTool('a', { strict: true })] }),
      'tools.function.strict',
    );
    expect(sent['tools']).toEqual([functionTool('a')]);
  });

  test('[C-18] null for an optional member of a tool counts as absent', async () => {
    const tools = [
      functionTool('a', { description: null, strict: null }),
      { type: 'function', function: { name: 'b', parameters: null } },
    ];
    expect((await lossless(stand, ask({ tools }))).sent['tools']).toEqual([
      functionTool('a'),
      { type: 'function', function: { name: 'b' } },
    ]);
  });

  test.each([[null], [[]]])('[C-18] tools %j declares none', async (tools) => {
    expect((await lossless(stand, ask({ tools }))).sent).not.toHaveProperty('tools');
  });

  test.each([
    ['an object', {}, 'tools'],
    ['a text', 'x', 'tools'],
    ['a text inside', ['x'], 'tools[0]'],
    ['parameters that are no object', [functionTool('a', { parameters: 'x' })], 'tools[0].function.parameters'],
    ['parameters that are a list', [functionTool('a', { parameters: [] })], 'tools[0].function.parameters'],
    ['a description that is no text', [functionTool('a', { description: 5 })], 'tools[0].function.description'],
    [
      'a strict that is no boolean',
      [functionTool('a'), functionTool('b', { strict: 'x' })],
      'tools[1].function.strict',
    ],
  ])('[C-18] %s is refused', (_case, tools, param) => refused(stand, ask({ tools }), param));

  test('[C-19] custom tools reach a target that has them', async () => {
    expect((await lossless(stand, ask({ tools: [CUSTOM] }))).sent['tools']).toEqual([CUSTOM]);
  });

  test('[C-19] a target without custom tools gets a function with one text argument, turned back in the answer', async () => {
    const choice = { type: 'custom', custom: { name: CUSTOM.custom.name } };
    const tools = [CUSTOM, functionTool('a')];
    const { sent, reply } = await lossless(stand, ask({ model: COMPATIBLE, tools, tool_choice: choice }));
    expect(sent['tools']).toMatchObject([
      { type: 'function', function: { name: CUSTOM.custom.name, parameters: { required: ['input'] } } },
      functionTool('a'),
    ]);
    expect(sent['tool_choice']).toEqual({ type: 'function', function: { name: CUSTOM.custom.name } });
    expect(reply.json['choices']).toMatchObject([
      { message: { tool_calls: [{ type: 'custom', custom: { name: CUSTOM.custom.name, input: 'example' } }] } },
    ]);
  });

  test('[C-19] a grammar that is not enforced is a loss', async () => {
    const grammar = { syntax: 'lark', definition: 'start: "x"' };
    const tool = { type: 'custom', custom: { name: 'patch', format: { type: 'grammar', grammar } } };
    const { sent } = await lossy(stand, ask({ model: COMPATIBLE, tools: [tool] }), 'tools');
    expect(JSON.stringify(sent['tools'])).toContain('start: \\"x\\"');
  });

  test.each([
    ['without name', { type: 'custom', custom: {} }, 'tools[0].custom.name'],
    ['without body', { type: 'custom' }, 'tools[0].custom'],
  ])('[C-19] a custom tool %s is refused', (_case, tool, param) => refused(stand, ask({ tools: [tool] }), param));

  test.each([
    ['without type and function', { name: 'a' }, 'tools[0].type'],
    ['without name', { type: 'function', function: {} }, 'tools[0].function.name'],
    ['with an empty name', { type: 'function', function: { name: '' } }, 'tools[0].function.name'],
    ['without function', { type: 'function' }, 'tools[0].function'],
  ])('[C-20] a tool %s is refused', (_case, tool, param) => refused(stand, ask({ tools: [tool] }), param));

  test('[C-20] a tool of another type is left out with a loss, and the others are served', async () => {
    for (const model of [undefined, COMPATIBLE]) {
      const tools = [{ type: 'x', function: { name: 'canary' } }, functionTool('a')];
      const { sent, sentText } = await lossy(stand, ask({ ...(model !== undefined && { model }), tools }), 'tools');
      expect(sent['tools']).toEqual([functionTool('a')]);
      expect(sentText).not.toContain('canary');
    }
    await refused(stand, ask({ tools: [{ type: 'x' }], tool_choice: 'required' }), 'tool_choice');
  });

  test('[C-20] a tool with nothing but type and name is served', async () => {
    const tools = [{ type: 'function', function: { name: 'a' } }];
    expect((await lossless(stand, ask({ tools }))).sent['tools']).toEqual(tools);
  });
});

describe('tool_choice', () => {
  test.each([
    ['none', 0],
    ['auto', 0],
    ['required', 1],
  ])('[C-21] tool_choice %s is forwarded and obeyed', async (tool_choice, calls) => {
    const result = await lossless(stand, ask({ tools: ONE, tool_choice }));
    expect(result.sent['tool_choice']).toBe(tool_choice);
    expect(callsOf(result)).toHaveLength(calls);
  });

  test.each([['any'], [''], [5], [[]]])('[C-21] tool_choice %j is refused', (tool_choice) =>
    refused(stand, ask({ tools: ONE, tool_choice }), 'tool_choice'),
  );

  test('[C-21] tool_choice required is refused for a target that cannot force a call', async () => {
    await refused(stand, ask({ model: modelAt('unforced-host'), tools: ONE, tool_choice: 'required' }), 'tool_choice');
    await lossless(stand, ask({ model: modelAt('unforced-host'), tools: ONE, tool_choice: 'auto' }));
  });

  test('[C-21] tool_choice required without tools is refused; auto and none are accepted', async () => {
    await refused(stand, ask({ tool_choice: 'required' }), 'tool_choice');
    expect((await lossless(stand, ask({ tool_choice: 'auto' }))).sent).not.toHaveProperty('tool_choice');
    expect((await lossless(stand, ask({ tool_choice: 'none', tools: [] }))).sent).not.toHaveProperty('tool_choice');
  });

  test('[C-22] tool_choice with a function name forces that function', async () => {
    const tool_choice = { type: 'function', function: { name: 'b' } };
    const result = await lossless(stand, ask({ tools: [functionTool('a'), functionTool('b')], tool_choice }));
    expect(result.sent['tool_choice']).toEqual(tool_choice);
    expect(callsOf(result)).toEqual([
      expect.objectContaining({ type: 'function', function: expect.objectContaining({ name: 'b' }) }),
    ]);
  });

  test.each([
    ['an undeclared name', { type: 'function', function: { name: 'nope' } }, 'tool_choice.function.name'],
    ['a missing name', { type: 'function', function: {} }, 'tool_choice.function.name'],
    ['no function', { type: 'function' }, 'tool_choice.function'],
    ['a name that is no text', { type: 'function', function: { name: 5 } }, 'tool_choice.function.name'],
    ['an undeclared custom name', { type: 'custom', custom: { name: 'nope' } }, 'tool_choice.custom.name'],
    ['a custom choice without name', { type: 'custom', custom: {} }, 'tool_choice.custom.name'],
    ['another type', { type: 'x' }, 'tool_choice.type'],
    ['no type', {}, 'tool_choice.type'],
  ])('[C-22] %s is refused', (_case, tool_choice, param) => refused(stand, ask({ tools: ONE, tool_choice }), param));

  test('[C-22] a named tool_choice is refused for a target that cannot force one tool', () =>
    refused(
      stand,
      ask({
        model: modelAt('unforced-host'),
        tools: ONE,
        tool_choice: { type: 'function', function: { name: 'get_weather' } },
      }),
      'tool_choice',
    ));
});

describe('parallel_tool_calls', () => {
  const messages = [user('Weather? @simulate scenario=tools-parallel')];
  const tools = [functionTool('a'), functionTool('b')];

  test('[C-23] parallel_tool_calls absent or true allows several calls', async () => {
    expect(callsOf(await served(stand, ask({ messages, tools }))).length).toBeGreaterThan(1);
    const result = await lossless(stand, ask({ messages, tools, parallel_tool_calls: true }));
    expect(callsOf(result).length).toBeGreaterThan(1);
  });

  test('[C-23] parallel_tool_calls false is forwarded: at most one call', async () => {
    const result = await lossless(stand, ask({ messages, tools, parallel_tool_calls: false }));
    expect(result.sent['parallel_tool_calls']).toBe(false);
    expect(callsOf(result)).toHaveLength(1);
  });

  test('[C-23] parallel_tool_calls false is a loss where the host has no such parameter', async () => {
    const { sent } = await lossy(
      stand,
      ask({ model: modelAt('single-call-host'), tools, parallel_tool_calls: false }),
      'parallel_tool_calls',
    );
    expect(sent).not.toHaveProperty('parallel_tool_calls');
    expect(
      (await lossless(stand, ask({ model: modelAt('single-call-host'), tools, parallel_tool_calls: true }))).sent,
    ).not.toHaveProperty('parallel_tool_calls');
  });

  test.each([['x'], [1], [{}]])('[C-23] parallel_tool_calls %j is refused', (parallel_tool_calls) =>
    refused(stand, ask({ tools, parallel_tool_calls }), 'parallel_tool_calls'),
  );
});
