import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { fieldOf as fieldOfFault } from '../dialect.fixture.ts';
import type { RequestHead } from '../dialect.ts';
import { anthropicMessages } from './index.ts';

const minimal: JsonObject = { model: 'a/m', max_tokens: 2000, messages: [{ role: 'user', content: 'hi' }] };
const head = (headers: Record<string, string>): RequestHead => ({ header: (name) => headers[name] });
const understand = (more: JsonObject, headers: Record<string, string> = { 'anthropic-version': '2023-06-01' }) =>
  anthropicMessages.server.understand({ ...minimal, ...more }, head(headers));
const fieldOf = (work: () => unknown) => fieldOfFault(work, ['malformed', 'unsupported']);
const user = (...content: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content }] });
const assistant = (...content: JsonObject[]): JsonObject => ({
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', content },
  ],
});
const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
const answered = (result: JsonObject): JsonObject => ({
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: [call] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', ...result }] },
  ],
});
const searched = (content: unknown): JsonObject =>
  assistant(
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: content as JsonObject },
  );
const hit = { type: 'web_search_result', url: 'https://a', title: 't', encrypted_content: 'E', page_age: 'May' };
const cited = (citation: JsonObject): JsonObject =>
  user({ type: 'text', text: 't', citations: [{ cited_text: 'c', ...citation }] });
const document = { document_index: 0, document_title: 'd' };
const tool = (more: JsonObject): JsonObject => ({ tools: [{ name: 'f', input_schema: { type: 'object' }, ...more }] });
const search = (more: JsonObject): JsonObject => ({
  tools: [{ type: 'web_search_20250305', name: 'web_search', ...more }],
});
const image = (source: JsonObject): JsonObject => user({ type: 'image', source });
const doc = (source: JsonObject, more: JsonObject = {}): JsonObject => user({ type: 'document', source, ...more });

describe('refused, naming the field', () => {
  test.each<[rule: string, body: JsonObject, field: string]>([
    ['M-02', { max_tokens: '5' }, 'max_tokens'],
    ['M-02', { max_tokens: 1.5 }, 'max_tokens'],
    ['M-02', { max_tokens: 0 }, 'max_tokens'],
    ['M-04', { messages: {} }, 'messages'],
    ['M-04', { messages: [] }, 'messages'],
    ['M-05', { model: '' }, 'model'],
    ['M-05', { model: 1 }, 'model'],
    ['M-06', { stop_sequences: 'x' }, 'stop_sequences'],
    ['M-06', { stop_sequences: [1] }, 'stop_sequences.0'],
    ['M-07', { stream: 'true' }, 'stream'],
    ['M-08', { system: 5 }, 'system'],
    ['M-08', { system: [{ type: 'image', source: {} }] }, 'system.0'],
    ['M-09', { messages: [{ role: 'system', content: 'x' }] }, 'messages.0.role'],
    ['M-10', { temperature: '1' }, 'temperature'],
    ['N-28', { temperature: 1.01 }, 'temperature'],
    ['M-11', { thinking: { type: 'enabled' } }, 'thinking.budget_tokens'],
    ['M-11', { thinking: { type: 'enabled', budget_tokens: 1023 } }, 'thinking.budget_tokens'],
    ['M-11', { thinking: { type: 'enabled', budget_tokens: 2000 } }, 'thinking.budget_tokens'],
    ['M-13', { thinking: { type: 'x' } }, 'thinking.type'],
    ['M-15', { tool_choice: { type: 'any' } }, 'tool_choice'],
    ['M-16', { ...tool({}), tool_choice: { type: 'tool' } }, 'tool_choice.name'],
    ['M-16', { tool_choice: { type: 'tool', name: 'f' } }, 'tool_choice'],
    ['M-18', { tool_choice: { type: 'x' } }, 'tool_choice.type'],
    ['M-18', { tool_choice: 'auto' }, 'tool_choice'],
    [
      'M-19',
      { tool_choice: { type: 'auto', disable_parallel_tool_use: 'x' } },
      'tool_choice.disable_parallel_tool_use',
    ],
    ['M-20', { tools: {} }, 'tools'],
    ['M-20', { tools: [null] }, 'tools.0'],
    ['M-21', { top_k: -1 }, 'top_k'],
    ['M-22', { top_p: 1.01 }, 'top_p'],
    ['M-26', { messages: [{ content: 'x' }] }, 'messages.0.role'],
    ['M-26', { messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role'],
    ['M-27', { messages: [{ role: 'user' }] }, 'messages.0.content'],
    ['M-27', { messages: [{ role: 'user', content: null }] }, 'messages.0.content'],
    ['M-27', { messages: [{ role: 'user', content: [] }] }, 'messages.0.content'],
    ['M-31', user({ type: 'x' }), 'messages.0.content.0'],
    ['M-32', user({ type: 'text' }), 'messages.0.content.0.text'],
    ['M-33', user({ type: 'text', text: 'x', citations: 'x' }), 'messages.0.content.0.citations'],
    ['M-34', user({ type: 'image' }), 'messages.0.content.0.source'],
    [
      'M-35',
      image({ type: 'base64', media_type: 'image/bmp', data: 'QUJD' }),
      'messages.0.content.0.source.media_type',
    ],
    ['M-35', image({ type: 'base64', media_type: 'image/png' }), 'messages.0.content.0.source.data'],
    ['M-35', image({ type: 'base64', media_type: 'image/png', data: '?' }), 'messages.0.content.0.source.data'],
    ['M-36', image({ type: 'url' }), 'messages.0.content.0.source.url'],
    ['M-37', image({ type: 'x' }), 'messages.0.content.0.source.type'],
    ['M-38', doc({ type: 'base64', media_type: 'image/png', data: 'QUJD' }), 'messages.0.content.0.source.media_type'],
    ['M-39', doc({ type: 'text', media_type: 'text/html', data: 'x' }), 'messages.0.content.0.source.media_type'],
    ['M-40', doc({ type: 'content', content: 5 }), 'messages.0.content.0.source.content'],
    ['M-41', doc({ type: 'url' }), 'messages.0.content.0.source.url'],
    ['M-42', doc({ type: 'text', media_type: 'text/plain', data: 'x' }, { title: 5 }), 'messages.0.content.0.title'],
    ['M-43', user({ type: 'tool_result', tool_use_id: 'nope' }), 'messages.0.content.0.tool_use_id'],
    [
      'M-44',
      answered({ content: [{ type: 'thinking', thinking: 't', signature: 's' }] }),
      'messages.2.content.0.content.0',
    ],
    ['M-45', answered({ is_error: 'x' }), 'messages.2.content.0.is_error'],
    ['M-46', assistant({ type: 'tool_use', id: 'a', name: 'f', input: 'x' }), 'messages.1.content.0.input'],
    [
      'M-48',
      assistant({ type: 'server_tool_use', id: 'x1', name: 'web_search', input: {} }),
      'messages.1.content.0.id',
    ],
    ['M-49', searched('x'), 'messages.1.content.1.content'],
    [
      'M-50',
      assistant({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_9', content: [] }),
      'messages.1.content.0.tool_use_id',
    ],
    ['M-51', searched([{ ...hit, title: undefined }]), 'messages.1.content.1.content.0.title'],
    [
      'M-53',
      searched({ type: 'web_search_tool_result_error', error_code: 'x' }),
      'messages.1.content.1.content.error_code',
    ],
    ['M-54', assistant({ type: 'thinking', thinking: 't' }), 'messages.1.content.0.signature'],
    ['M-55', assistant({ type: 'redacted_thinking' }), 'messages.1.content.0.data'],
    ['M-57', user({ type: 'search_result', source: null, title: null, content: 'x' }), 'messages.0.content.0.content'],
    ['M-58', user({ type: 'search_result', content: [], citations: {} }), 'messages.0.content.0.citations.enabled'],
    [
      'M-59',
      user({ type: 'text', text: 'x', cache_control: { type: 'x' } }),
      'messages.0.content.0.cache_control.type',
    ],
    [
      'M-59',
      user({ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '2h' } }),
      'messages.0.content.0.cache_control.ttl',
    ],
    [
      'M-62',
      user({ type: 'text', text: 't', citations: [{ type: 'char_location' }] }),
      'messages.0.content.0.citations.0.cited_text',
    ],
    ['M-62', cited({ type: 'x' }), 'messages.0.content.0.citations.0.type'],
    [
      'M-63',
      cited({ type: 'char_location', ...document, start_char_index: '0', end_char_index: 1 }),
      'messages.0.content.0.citations.0.start_char_index',
    ],
    [
      'M-64',
      cited({ type: 'page_location', ...document, start_page_number: 0, end_page_number: 1 }),
      'messages.0.content.0.citations.0.start_page_number',
    ],
    [
      'M-66',
      cited({ type: 'web_search_result_location', url: 'u', title: 't' }),
      'messages.0.content.0.citations.0.encrypted_index',
    ],
    [
      'M-67',
      cited({ type: 'search_result_location', search_result_index: -1, start_block_index: 0, end_block_index: 0 }),
      'messages.0.content.0.citations.0.search_result_index',
    ],
    ['M-68', { tools: [{ name: 'f' }] }, 'tools.0.input_schema'],
    ['M-68', { tools: [{ input_schema: { type: 'object' } }] }, 'tools.0.name'],
    ['M-68', tool({ type: 5 }), 'tools.0.type'],
    ['M-69', tool({ input_schema: { type: 'string' } }), 'tools.0.input_schema.type'],
    ['M-69', tool({ description: 5 }), 'tools.0.description'],
    ['N-06', tool({ name: 'x'.repeat(129) }), 'tools.0.name'],
    [
      'M-70',
      { tools: [...(tool({})['tools'] as JsonObject[]), ...(tool({})['tools'] as JsonObject[])] },
      'tools.1.name',
    ],
    ['M-71', { tools: [{ type: 'bash_20250124', name: 'x' }] }, 'tools.0.name'],
    ['M-72', { tools: [{ type: 'text_editor_20250728', name: 'x' }] }, 'tools.0.name'],
    ['M-73', search({ name: 'x' }), 'tools.0.name'],
    ['M-74', search({ allowed_domains: 'a.com' }), 'tools.0.allowed_domains'],
    ['M-74', search({ allowed_domains: ['a.com'], blocked_domains: ['b.com'] }), 'tools.0.blocked_domains'],
    ['M-75', search({ max_uses: 0 }), 'tools.0.max_uses'],
    ['M-76', search({ user_location: { type: 'exact' } }), 'tools.0.user_location.type'],
    ['M-76', search({ user_location: { type: 'approximate', country: 'Germany' } }), 'tools.0.user_location.country'],
    ['M-76', search({ user_location: { type: 'approximate', timezone: 'Mars/X' } }), 'tools.0.user_location.timezone'],
    ['M-77', { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }, 'tools.0.type'],
  ])('%s %j', (_rule, body, field) => expect(fieldOf(() => understand(body))).toBe(field));

  test('a tool that calls another model at its own price is refused', () => {
    expect(fieldOf(() => understand({ tools: [{ type: 'advisor_20260301', name: 'advisor' }] }))).toBe('tools.0.type');
  });

  test('a missing member is named', () => {
    for (const name of ['max_tokens', 'messages', 'model']) {
      const { [name]: _, ...rest } = minimal;
      expect(fieldOf(() => anthropicMessages.server.understand(rest))).toBe(name);
    }
  });
});

describe('accepted', () => {
  const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  test.each<[rule: string, body: JsonObject]>([
    ['M-01', {}],
    ['M-10', { temperature: null, thinking: null, tools: null, tool_choice: null }],
    ['M-13', { thinking: { type: 'adaptive' } }],
    ['M-15', { tool_choice: { type: 'auto' } }],
    ['M-21', { top_k: 0 }],
    ['M-25', { foo: 1 }],
    ['M-40', doc({ type: 'content', content: [{ type: 'text', text: 'x' }] })],
    ['M-44', answered({})],
    ['M-44', answered({ content: 'x' })],
    ['M-49', searched([hit])],
    ['M-53', searched({ type: 'web_search_tool_result_error', error_code: 'query_too_long' })],
    ['M-57', user({ type: 'search_result', source: null, title: null, content: [{ type: 'text', text: 'x' }] })],
    [
      'M-61',
      user(
        { type: 'text', text: 'x', ...mark },
        { type: 'image', source: { type: 'url', url: 'https://a/b' }, ...mark },
      ),
    ],
    ['M-61', answered(mark)],
    ['M-61', { ...tool(mark), system: [{ type: 'text', text: 's', ...mark }] }],
    ['M-63', cited({ type: 'char_location', ...document, start_char_index: 0, end_char_index: 1 })],
    ['M-65', cited({ type: 'content_block_location', ...document, start_block_index: 0, end_block_index: 1 })],
    ['M-66', cited({ type: 'web_search_result_location', url: 'u', title: 't', encrypted_index: 'E' })],
    [
      'M-67',
      cited({
        type: 'search_result_location',
        source: null,
        title: null,
        search_result_index: 0,
        start_block_index: 0,
        end_block_index: 0,
      }),
    ],
    ['M-68', tool({ type: 'custom' })],
    ['M-68', tool({ type: null })],
    ['M-72', { tools: [{ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 10 }] }],
    [
      'M-76',
      search({
        user_location: { type: 'approximate', city: 'B', region: 'B', country: 'DE', timezone: 'Europe/Berlin' },
      }),
    ],
    ['N-06', tool({ name: 'x'.repeat(128) })],
  ])('%s %j', (_rule, body) => expect(understand(body).call().model).toBe('a/m'));

  test('under the version that defines it, a system message stays in place', () => {
    const messages = [...(minimal['messages'] as JsonObject[]), { role: 'system', content: 'be kind' }];
    expect(understand({ messages }, { 'anthropic-version': '2026-10-21' }).call().turns[1]?.role).toBe('system');
  });
  test('hints are accepted and reported', () => {
    expect(understand({ metadata: { user_id: 'u' }, service_tier: 'auto' }).losses.map(({ path }) => path)).toEqual([
      'metadata',
      'service_tier',
    ]);
  });
  test('a string is one text block', () => {
    expect(understand({}).call().turns).toEqual(understand(user({ type: 'text', text: 'hi' })).call().turns);
  });
});

describe('headers', () => {
  const version = { 'anthropic-version': '2023-06-01' };
  test.each<[rule: string, headers: Record<string, string>]>([
    ['A-13', {}],
    ['A-17', { 'partner-version': '2026-10-21' }],
    ['A-17', { 'partner-version': '' }],
    ['A-17', { 'anthropic-version': '2024-01-01' }],
    ['A-18', { ...version, 'partner-version': '2024-01-01' }],
    ['A-21', { ...version, 'anthropic-beta': 'code-execution-2025-08-25' }],
    ['A-21', { ...version, 'anthropic-beta': 'a', 'partner-beta': 'b,  code-execution-2025-08-25 ' }],
  ])('%s %j is refused', (_rule, headers) => expect(fieldOf(() => understand({}, headers))).toBeDefined());

  test.each<[rule: string, headers: Record<string, string>]>([
    ['A-14', { 'partner-version': '2023-06-01' }],
    ['A-15', version],
    ['A-16', { 'anthropic-version': '2026-10-21' }],
    ['A-18', { ...version, 'partner-version': '2023-06-01' }],
    ['A-23', version],
  ])('%s %j is accepted', (_rule, headers) => expect(understand({}, headers).model).toBe('a/m'));

  test('a beta is lost elsewhere unless all it enables is translated or validated in the body', () => {
    const lostElsewhere = (beta: string) => understand({}, { ...version, 'anthropic-beta': beta }).lossesElsewhere;
    for (const name of [
      ...['claude-code-20250219', 'interleaved-thinking-2025-05-14', 'fine-grained-tool-streaming-2025-05-14'],
      ...['thinking-token-count-2026-05-13', 'effort-2025-11-24', 'context-management-2025-06-27'],
      ...['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19', 'structured-outputs-2025-11-13'],
      ...['token-efficient-tools-2025-02-19', 'prompt-caching-2024-07-31', 'prompt-caching-scope-2026-01-05'],
      ...['extended-cache-ttl-2025-04-11', 'output-128k-2025-02-19', 'oauth-2025-04-20', 'token-counting-2024-11-01'],
      ...['pdfs-2024-09-25', 'mid-conversation-system-2026-07-01', 'mid-conversation-tool-changes-2026-07-01'],
    ])
      expect(lostElsewhere(name), name).toBeUndefined();
    const lost = [{ path: 'anthropic-beta', why: 'no-equivalent' }];
    expect(lostElsewhere('foo-2030-01-01')).toEqual(lost);
    expect(lostElsewhere('effort-2025-11-24,foo-2030-01-01')).toEqual(lost);
  });
  test('betas of both headers are sent to upstreams of this dialect', () => {
    const { passHeaders } = understand({}, { ...version, 'anthropic-beta': 'a, b', 'partner-beta': 'b,foo-2030' });
    expect(passHeaders).toEqual([['anthropic-beta', 'b,foo-2030,a']]);
  });
});
