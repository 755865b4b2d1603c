/** Tools of every kind and the choice among them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  CLAUDE,
  EVERY_MODEL,
  GEMINI,
  type Json,
  lossless,
  lossy,
  messagesHosts,
  OPENAI,
  RESPONSES,
  refused,
  served,
  TRANSLATED,
} from '../../support/messages-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: messagesHosts });
});
afterAll(() => stand.close());

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tool = (members: Json = {}): Json => ({
  name: 'weather',
  description: 'Tells it.',
  input_schema: SCHEMA,
  ...members,
});
const asking = (model: string, tool_choice: unknown, tools: unknown = [tool(), tool({ name: 'time' })]): Json =>
  ask({ model, tools, tool_choice });

/** The tool choice in a form that is the same for every dialect. */
function choiceOf(sent: Json): unknown {
  const config = (sent['toolConfig'] as Json | undefined)?.['functionCallingConfig'] as Json | undefined;
  if (config !== undefined)
    return config['allowedFunctionNames'] ?? { AUTO: 'auto', ANY: 'any', NONE: 'none' }[config['mode'] as string];
  const choice = sent['tool_choice'];
  if (typeof choice === 'string') return choice === 'required' ? 'any' : choice;
  const { type, name, function: called } = (choice ?? {}) as Json & { function?: Json };
  if (type === 'function') return [called?.['name'] ?? name];
  return type === 'tool' ? [name] : type;
}

describe('tool_choice', () => {
  test.each(EVERY_MODEL)('[M-15] tool_choice auto and any reach %s', async (model) => {
    const { sent } = await lossless(stand, asking(model, { type: 'auto' }));
    expect(choiceOf(sent) ?? 'auto').toBe('auto');
    const any = await lossless(stand, asking(model, { type: 'any' }));
    expect(choiceOf(any.sent)).toBe('any');
    expect(any.reply.json['stop_reason']).toBe('tool_use');
  });

  test.each(EVERY_MODEL)('[M-16] tool_choice with a name forces that tool on %s', async (model) => {
    const { sent, content } = await lossless(stand, asking(model, { type: 'tool', name: 'time' }));
    expect(choiceOf(sent)).toEqual(['time']);
    expect(content).toContainEqual(expect.objectContaining({ type: 'tool_use', name: 'time' }));
  });

  test.each(EVERY_MODEL)('[M-17] tool_choice none allows no call by %s', async (model) => {
    const { sent, content } = await lossless(stand, asking(model, { type: 'none' }));
    if (sent['tools'] !== undefined) expect(choiceOf(sent)).toBe('none');
    expect(content.map(({ type }) => type)).not.toContain('tool_use');
  });

  test.each([
    ['M-16', 'tool without a name', { type: 'tool' }, 'tool_choice.name'],
    ['M-16', 'tool with a number as name', { type: 'tool', name: 5 }, 'tool_choice.name'],
    ['M-16', 'an undeclared tool', { type: 'tool', name: 'x' }, 'tool_choice.name'],
    ['M-18', 'another type', { type: 'x' }, 'tool_choice.type'],
    ['M-18', 'no type', {}, 'tool_choice.type'],
    ['M-18', 'a word', 'auto', 'tool_choice'],
    ['M-18', 'a list', [], 'tool_choice'],
    [
      'M-19',
      'text as disable_parallel_tool_use',
      { type: 'auto', disable_parallel_tool_use: 'x' },
      'tool_choice.disable_parallel_tool_use',
    ],
  ])('[%s] %s is refused', async (_rule, _label, choice, field) => {
    for (const model of [CLAUDE, OPENAI, RESPONSES, GEMINI]) await refused(stand, asking(model, choice), field);
  });

  test('[M-19] disable_parallel_tool_use is forwarded to upstreams that have it', async () => {
    const one = { type: 'auto', disable_parallel_tool_use: true };
    expect((await lossless(stand, asking(CLAUDE, one))).sent['tool_choice']).toEqual(one);
    expect((await lossless(stand, asking(OPENAI, one))).sent['parallel_tool_calls']).toBe(false);
    expect((await lossless(stand, asking(OPENAI, { type: 'auto' }))).sent['parallel_tool_calls']).not.toBe(false);
  });
});

describe('custom tools', () => {
  test.each(EVERY_MODEL)(
    '[M-20][M-68] a custom tool with and without its type is the same tool for %s',
    async (model) => {
      const bare = await lossless(stand, asking(model, undefined, [tool()]));
      const typed = await lossless(stand, asking(model, undefined, [tool({ type: 'custom' })]));
      if (model !== CLAUDE) expect(typed.sent).toEqual(bare.sent);
      expect(bare.sentText).toContain('"name":"weather"');
      for (const { sentText } of [bare, typed]) expect(sentText).toMatch(/"description":"Tells it\.".*"city"/);
    },
  );

  test.each([
    ['M-68', 'no name', { name: undefined }, 'name'],
    ['M-68', 'no input_schema', { input_schema: undefined }, 'input_schema'],
    ['M-69', 'a number as description', { description: 5 }, 'description'],
    ['M-69', 'a schema for text', { input_schema: { type: 'string' } }, 'input_schema.type'],
    ['M-69', 'a schema without type', { input_schema: {} }, 'input_schema.type'],
    ['M-69', 'a list as properties', { input_schema: { type: 'object', properties: [] } }, 'input_schema.properties'],
    ['M-69', 'text as required', { input_schema: { type: 'object', required: 'city' } }, 'input_schema.required'],
    ['N-06', 'an empty name', { name: '' }, 'name'],
    ['N-06', 'a name of 129 characters', { name: 'n'.repeat(129) }, 'name'],
    ['M-77', 'code execution', { type: 'code_execution_20250522', name: 'code_execution' }, 'type'],
    ['M-77', 'later code execution', { type: 'code_execution_20250825', name: 'code_execution' }, 'type'],
  ])('[%s] %s is refused', async (_rule, _label, members, place) => {
    for (const model of [CLAUDE, OPENAI, RESPONSES, GEMINI])
      await refused(stand, asking(model, undefined, [tool(members)]), `tools.0.${place}`);
  });

  test.each(EVERY_MODEL)(
    '[M-78] a tool of an unknown built-in type is dropped with a loss and never forwarded (%s)',
    async (model) => {
      const unknown = { type: 'foo_2025', name: 'canary' };
      const { sentText } = await lossy(stand, asking(model, undefined, [unknown, tool()]), 'tools');
      expect(sentText).not.toContain('canary');
      expect(sentText).toContain('"name":"weather"');
      await refused(stand, asking(model, { type: 'tool', name: 'canary' }, [unknown, tool()]), 'tool_choice.name');
    },
  );

  test('[M-69] a tool with a schema of only a type and without a description is accepted', async () => {
    const small = { name: 'now', input_schema: { type: 'object' } };
    for (const model of EVERY_MODEL) await lossless(stand, asking(model, undefined, [small]));
    expect((await lossless(stand, asking(CLAUDE, undefined, [small]))).sent['tools']).toEqual([small]);
  });

  test.each(EVERY_MODEL)('[M-70] two tools of one name are refused, two names are not (%s)', async (model) => {
    await refused(stand, asking(model, undefined, [tool(), tool()]), 'tools.1.name');
    await lossless(stand, asking(model, undefined, [tool(), tool({ name: 'time' })]));
  });

  test('[N-06] a call of a tool with a name of 128 characters returns that name', async () => {
    const name = 'n'.repeat(128);
    const { content } = await lossless(stand, asking(CLAUDE, { type: 'any' }, [tool({ name })]));
    expect(content).toContainEqual(expect.objectContaining({ type: 'tool_use', name }));
  });
});

describe('bash and the text editor', () => {
  const BASH = { type: 'bash_20250124', name: 'bash' };
  const EDITORS = [
    { type: 'text_editor_20250124', name: 'str_replace_editor' },
    { type: 'text_editor_20250429', name: 'str_replace_based_edit_tool' },
    { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 10_000 },
  ];

  test('[M-71] bash reaches an upstream of this dialect', async () => {
    expect((await lossless(stand, asking(CLAUDE, undefined, [BASH]))).sent['tools']).toEqual([BASH]);
  });

  test('[M-71] bash under another name is refused, and bash is a loss at an upstream without it', async () => {
    await refused(stand, asking(CLAUDE, undefined, [{ ...BASH, name: 'x' }]), 'tools.0.name');
    for (const model of TRANSLATED) {
      const { sentText } = await lossy(stand, asking(model, undefined, [BASH, tool()]), 'tools');
      expect(sentText).not.toContain('bash');
      expect(sentText).toContain('"name":"weather"');
      await refused(stand, asking(model, { type: 'tool', name: 'bash' }, [BASH, tool()]), 'tool_choice');
    }
  });

  test.each(EDITORS)('[M-72] $type reaches an upstream of this dialect', async (editor) => {
    expect((await lossless(stand, asking(CLAUDE, undefined, [editor]))).sent['tools']).toEqual([editor]);
    for (const model of TRANSLATED) await lossy(stand, asking(model, undefined, [editor]), 'tools');
  });

  test.each([
    ['another name', { name: 'x' }, 'name'],
    ['no name', { name: undefined }, 'name'],
    ['text as max_characters', { max_characters: '10' }, 'max_characters'],
    ['max_characters 0', { max_characters: 0 }, 'max_characters'],
  ])('[M-72] an editor with %s is refused', (_label, members, place) =>
    refused(stand, asking(CLAUDE, undefined, [{ ...EDITORS[2], ...members }]), `tools.0.${place}`),
  );

  test('[M-72] max_characters is refused for an editor version without it', () =>
    refused(stand, asking(CLAUDE, undefined, [{ ...EDITORS[0], max_characters: 10 }]), 'tools.0.max_characters'));
});

describe('web search', () => {
  const search = (members: Json = {}): Json => ({ type: 'web_search_20250305', name: 'web_search', ...members });
  const PLACE = { type: 'approximate', city: 'Rome', region: 'Lazio', country: 'IT', timezone: 'Europe/Rome' };

  test.each([
    ['M-73', 'nothing else', {}],
    ['M-74', 'allowed_domains', { allowed_domains: ['a.com', 'b.org'] }],
    ['M-74', 'blocked_domains', { blocked_domains: ['a.com'] }],
    ['M-75', 'max_uses', { max_uses: 3 }],
    ['M-76', 'user_location', { user_location: PLACE }],
    ['M-76', 'part of a user_location', { user_location: { type: 'approximate', country: 'IT' } }],
  ])('[%s] web search with %s reaches an upstream of this dialect', async (_rule, _label, members) => {
    expect((await lossless(stand, asking(CLAUDE, undefined, [search(members)]))).sent['tools']).toEqual([
      search(members),
    ]);
  });

  test('[M-73] web search is translated for upstreams of other dialects', async () => {
    const { sent } = await served(stand, asking(GEMINI, undefined, [search()]));
    expect(sent['tools']).toContainEqual(expect.objectContaining({ googleSearch: expect.anything() }));
  });

  test.each([
    ['M-73', 'another name', { name: 'x' }, 'name'],
    ['M-73', 'no name', { name: undefined }, 'name'],
    ['M-74', 'text as allowed_domains', { allowed_domains: 'a.com' }, 'allowed_domains'],
    ['M-74', 'text as blocked_domains', { blocked_domains: 'a.com' }, 'blocked_domains'],
    ['M-74', 'a number among allowed_domains', { allowed_domains: [1] }, 'allowed_domains.0'],
    ['M-74', 'both lists', { allowed_domains: ['a.com'], blocked_domains: ['b.com'] }, 'blocked_domains'],
    ['M-75', 'text as max_uses', { max_uses: '3' }, 'max_uses'],
    ['M-75', 'max_uses 0', { max_uses: 0 }, 'max_uses'],
    ['M-75', 'a fraction as max_uses', { max_uses: 1.5 }, 'max_uses'],
    ['M-76', 'an exact location', { user_location: { ...PLACE, type: 'exact' } }, 'user_location.type'],
    ['M-76', 'a country by name', { user_location: { ...PLACE, country: 'Germany' } }, 'user_location.country'],
    [
      'M-76',
      'no time zone of this world',
      { user_location: { ...PLACE, timezone: 'Mars/X' } },
      'user_location.timezone',
    ],
    ['M-76', 'a number as city', { user_location: { ...PLACE, city: 5 } }, 'user_location.city'],
  ])('[%s] web search with %s is refused', async (_rule, _label, members, place) => {
    for (const model of [CLAUDE, GEMINI])
      await refused(stand, asking(model, undefined, [search(members)]), `tools.0.${place}`);
  });
});
