/** Tools that are searched for, and the home's other tools: at hosts that offer them, and at hosts that do not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { called, serverToolUse, toolResult, toolUse, WEATHER } from '../../support/messages-blocks.ts';
import {
  ask,
  assistant,
  CLAUDE,
  COPY,
  GEMINI,
  type Json,
  lossless,
  lossy,
  messagesHosts,
  OPENAI,
  refused,
  served,
  user,
} from '../../support/messages-probe.ts';
import { OWN as RESPONSES, responsesHosts } from '../../support/responses-probe.ts';
import { openStand, type Stand, UPSTREAM_SECRET } from '../../support/stand.ts';

/** A host of this format that neither searches tools nor fetches pages. */
const PLAIN = 'plain/model';
const REFERENCE = 'messages.content.tool_reference';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: (url) => {
      const [own, responses] = [messagesHosts(url), responsesHosts(url)];
      const plain = {
        dialect: 'anthropic-messages',
        baseUrl: `${url}/messages-compatible@plain`,
        credential: UPSTREAM_SECRET,
        quirks: { toolSearch: false, webFetch: false },
      };
      const model = { id: PLAIN, contextLength: 128_000, maxOutputTokens: 16_384 };
      return {
        providers: { ...own.providers, ...responses.providers, plain },
        models: [
          ...own.models,
          ...responses.models,
          { ...model, endpoints: [{ provider: 'plain', upstreamModel: 'model' }] },
        ],
      };
    },
  });
});
afterAll(() => stand.close());

/** As Claude Code: its own tool searched for others, and the tools found are declared. */
const search = { name: 'ToolSearch', input_schema: { type: 'object', properties: { query: { type: 'string' } } } };
const deferred = { ...WEATHER, defer_loading: true };
const reference = { type: 'tool_reference', tool_name: 'weather' };
const found = called(
  toolUse({ name: 'ToolSearch', input: { query: 'weather' } }),
  toolResult({ content: [reference] }),
);
const searching = (model: string): Json => ask({ model, messages: found, tools: [search, deferred] });

describe('references to tools', () => {
  test.each([CLAUDE, COPY])('[M-44] a tool_reference reaches %s unchanged', async (model) => {
    const { sent } = await lossless(stand, searching(model));
    expect(sent['messages']).toEqual(found);
    expect(sent['tools']).toEqual([search, deferred]);
  });

  test('[M-44] a tool_reference reaches Claude in a request that is rebuilt', async () => {
    const unknown = { type: 'foo_2025', name: 'canary' };
    const body = { ...searching(CLAUDE), tools: [search, deferred, unknown] };
    const { sent } = await lossy(stand, body, 'tools');
    expect(JSON.stringify(sent['messages'])).toContain(JSON.stringify(reference));
    expect(sent['tools']).toEqual([search, deferred]);
  });

  test.each([OPENAI, RESPONSES, GEMINI])(
    '[M-44] for %s a tool_reference is text, and its tool an ordinary one, with a loss',
    async (model) => {
      const { sentText } = await lossy(stand, searching(model), 'tools.defer_loading', REFERENCE);
      expect(sentText).toContain('The tool weather is available now.');
      expect(sentText).toContain('"name":"weather"');
      expect(sentText).not.toMatch(/tool_reference|defer_loading/);
    },
  );

  test('[M-44] a host of this format without tool search gets the same', async () => {
    const { sent, sentText } = await lossy(stand, searching(PLAIN), 'tools', 'messages.content.tool_result');
    expect(sentText).toContain('The tool weather is available now.');
    expect(sent['tools']).toEqual([search, WEATHER]);
  });

  test.each([{ tool_name: undefined }, { tool_name: 5 }, { tool_name: '' }])(
    '[M-44] a tool_reference with %j is refused',
    async (members) => {
      const result = toolResult({ content: [{ ...reference, ...members }] });
      for (const model of [CLAUDE, OPENAI, RESPONSES, GEMINI])
        await refused(
          stand,
          ask({ model, tools: [WEATHER], messages: called(toolUse(), result) }),
          'messages.2.content.0.content.0.tool_name',
        );
    },
  );
});

const OWN_TOOLS: readonly Json[] = [
  { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
  { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
  { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 2, citations: { enabled: true } },
  { type: 'web_fetch_20260209', name: 'web_fetch' },
  { type: 'web_search_20260209', name: 'web_search', max_uses: 1 },
  { type: 'memory_20250818', name: 'memory' },
];

describe.each(OWN_TOOLS)('$type', (own) => {
  const tools = [own, WEATHER, { ...WEATHER, name: 'later', defer_loading: true }];

  test.each([CLAUDE, COPY])('reaches %s unchanged', async (model) => {
    expect((await lossless(stand, ask({ model, tools }))).sent['tools']).toEqual(tools);
  });

  test('reaches Claude in a request that is rebuilt', async () => {
    const body = ask({ tools: [...tools, { type: 'foo_2025', name: 'canary' }] });
    const { sent } = await lossy(stand, body, 'tools');
    expect(sent['tools']).toEqual(expect.arrayContaining(tools));
    expect(sent['tools']).toHaveLength(tools.length);
  });

  test.each([OPENAI, RESPONSES, GEMINI, PLAIN])('leaves no deferred tool behind at %s', async (model) => {
    const { sentText, losses } = await served(stand, ask({ model, tools }));
    expect(sentText).not.toContain('defer_loading');
    expect(sentText).toContain('"later"');
    expect(losses.length).toBeGreaterThan(0);
  });
});

test('a newer web search is a web search at hosts that have only the first', async () => {
  const tools = [{ type: 'web_search_20260209', name: 'web_search', max_uses: 1, allowed_callers: ['direct'] }];
  const { sent } = await lossy(stand, ask({ model: PLAIN, tools }), 'tools.web_search');
  expect(sent['tools']).toEqual([{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }]);
});

describe('results of such tools in history', () => {
  const contents: Readonly<Record<string, Json>> = {
    tool_search_tool_regex: {
      type: 'tool_search_tool_search_result',
      tool_references: [{ type: 'tool_reference', tool_name: 'weather' }],
    },
    web_fetch: { type: 'web_fetch_tool_result_error', error_code: 'unavailable' },
    code_execution: { type: 'code_execution_tool_result_error', error_code: 'unavailable' },
  };
  const resultOf = (name: string): Json => ({
    type: name.startsWith('tool_search') ? 'tool_search_tool_result' : `${name}_tool_result`,
    tool_use_id: 'srvtoolu_1',
    content: contents[name],
  });
  const history = (name: string): Json[] => [
    user('Hello'),
    assistant(serverToolUse({ name, input: {} }), resultOf(name), { type: 'text', text: 'Found.' }),
    user('Go on'),
  ];

  test.each(Object.keys(contents))(
    '%s and its result reach Claude unchanged, and are lost at other hosts',
    async (name) => {
      const messages = history(name);
      expect((await lossless(stand, ask({ messages }))).sent['messages']).toEqual(messages);
      const rebuilt = ask({ messages, tools: [{ type: 'foo_2025', name: 'canary' }] });
      expect((await lossy(stand, rebuilt, 'tools')).sent['messages']).toEqual(
        messages.map((message) =>
          typeof message['content'] === 'string'
            ? { ...message, content: [{ type: 'text', text: message['content'] }] }
            : message,
        ),
      );
      for (const model of [OPENAI, RESPONSES, GEMINI, PLAIN]) {
        const { sentText } = await lossy(stand, ask({ model, messages }), 'messages.content.server_tool_use');
        expect(sentText).not.toContain('srvtoolu_1');
      }
    },
  );

  test('a result without its call is refused', () =>
    refused(
      stand,
      ask({ messages: [user('Hello'), assistant(resultOf('web_fetch'))] }),
      'messages.1.content.0.tool_use_id',
    ));
});
