import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { USAGE_WANTED } from '../dialect.fixture.ts';
import type { RequestHead, Sealing, TargetFacts } from '../dialect.ts';
import { anthropicMessages } from './index.ts';
import { ownerData, ownerOfData } from './seals.ts';
import { messagesTarget as target } from './target.fixture.ts';

const lost = ({ losses }: { readonly losses: readonly { readonly field: string }[] }) =>
  losses.map(({ field }) => field);

/** An envelope is the seal's JSON after a prefix; a spoilt one keeps the prefix. */
const sealing: Sealing = {
  wrap: (seal) => `ENV${JSON.stringify(seal)}`,
  unwrap: (given) => {
    if (!given.startsWith('ENV{')) return undefined;
    const seal: Sealed = JSON.parse(given.slice(3));
    return seal;
  },
  isEnvelope: (given) => given.startsWith('ENV'),
};
const head: RequestHead = { header: (name) => (name === 'anthropic-version' ? '2023-06-01' : undefined), sealing };
const understand = (more: JsonObject) =>
  anthropicMessages.server.understand(
    { model: 'a/m', max_tokens: 2000, messages: [{ role: 'user', content: 'hi' }], ...more },
    head,
  );
const replay = (...content: JsonObject[]): JsonObject => ({
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', content },
    { role: 'user', content: 'more' },
  ],
});

describe('seals', () => {
  const thinking = (signature: string): JsonObject =>
    replay({ type: 'thinking', thinking: 't', signature }, { type: 'text', text: 'x' });
  const assistantOf = (body: JsonObject) => (body['messages'] as { content: JsonObject[] }[])[1]?.content;

  test('the home gets its own seals back byte for byte', () => {
    const given = understand(
      replay(
        { type: 'thinking', thinking: 't', signature: 'S==' },
        { type: 'redacted_thinking', data: 'D' },
        { type: 'text', text: 'x' },
      ),
    );
    const { body, losses } = anthropicMessages.client.encodeCall(given.call(), target());
    expect(assistantOf(body)).toEqual([
      { type: 'thinking', thinking: 't', signature: 'S==' },
      { type: 'redacted_thinking', data: 'D' },
      { type: 'text', text: 'x' },
    ]);
    expect(losses).toEqual([]);
    expect(given.verbatim(target())).toHaveProperty('edits');
  });
  test('another host does not, on either lane', () => {
    const elsewhere = target({}, {}, 'minimax');
    const given = understand(thinking('S=='));
    expect(given.verbatim(elsewhere)).toHaveProperty('why');
    const { body, losses } = anthropicMessages.client.encodeCall(given.call(), elsewhere);
    expect(assistantOf(body)).toEqual([{ type: 'text', text: 'x' }]);
    expect(losses).toEqual([{ field: 'block.seal', why: 'foreign-seal' }]);
  });
  test('an envelope opens for its owner only, and excludes the verbatim lane', () => {
    const minimax = target({}, {}, 'minimax');
    const given = understand(thinking(sealing.wrap({ owner: minimax.sealOwner, kind: 'signature', data: 'MM' })));
    expect(given.verbatim(minimax)).toHaveProperty('why');
    expect(assistantOf(anthropicMessages.client.encodeCall(given.call(), minimax).body)?.[0]).toEqual({
      type: 'thinking',
      thinking: 't',
      signature: 'MM',
    });
    expect(lost(anthropicMessages.client.encodeCall(given.call(), target()))).toEqual(['block.seal']);
  });
  test('a spoilt envelope has no owner', () => {
    expect(understand(thinking('ENVspoilt')).losses).toEqual([
      { path: 'messages.1.content.0.signature', why: 'foreign-seal' },
    ]);
    expect(understand(thinking('ENVspoilt')).call().turns[1]?.blocks[0]).toEqual({
      kind: 'thinking',
      text: 't',
      form: 'full',
    });
  });
  test('search results are sent back only to the host that searched', () => {
    const hit = { type: 'web_search_result', url: 'https://a', title: 't', encrypted_content: 'E' };
    const given = understand(
      replay(
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [hit] },
      ),
    ).call();
    expect(assistantOf(anthropicMessages.client.encodeCall(given, target()).body)?.[1]).toEqual({
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [hit],
    });
    const elsewhere = anthropicMessages.client.encodeCall(given, target({}, {}, 'minimax'));
    expect(JSON.stringify(elsewhere.body)).not.toContain('"E"');
    expect(elsewhere.losses).toEqual([{ field: 'block.server-tool', why: 'foreign-seal' }]);
  });
  test('the caller gets search results of another host in envelopes, and those of the home as they are', () => {
    const hit = { type: 'web_search_result', url: 'https://a', title: 't', encrypted_content: 'E' };
    const content = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [hit] },
    ];
    const shown = (facts: TargetFacts) => {
      const answer = anthropicMessages.client.decodeAnswer({ content, stop_reason: 'end_turn' }, facts);
      const context = { requestId: 'r', model: 'p/m', createdAtSeconds: 1, responseOptions: USAGE_WANTED, sealing };
      return anthropicMessages.server.encodeAnswer(answer, context).body['content'];
    };
    expect(shown(target())).toEqual(content);
    const elsewhere = { ...hit, encrypted_content: expect.stringMatching(/^ENV.*"data":"E"/) };
    expect(shown(target({}, {}, 'minimax'))).toEqual([content[0], { ...content[1], content: [elsewhere] }]);
  });
  test('the owner of state inside a result survives being written as data', () => {
    const owner = { dialect: 'anthropic-messages', family: 'claude-on-bedrock' } as const;
    for (const each of [owner, { ...owner, scope: 'eu-1' }]) expect(ownerOfData(ownerData(each))).toEqual(each);
  });
  test('state attached to a text or call of another dialect is reattached', () => {
    const seal: Sealed = { owner: { dialect: 'google-generate', family: 'gemini' }, kind: 'carry', data: 'G' };
    const given = understand(
      replay(
        { type: 'tool_use', id: 'c', name: 'f', input: {} },
        { type: 'redacted_thinking', data: sealing.wrap(seal) },
      ),
    );
    expect(given.call().turns[1]?.blocks).toEqual([
      { kind: 'tool-call', id: 'c', name: 'f', form: 'function', argumentsJson: '{}', seal },
    ]);
  });
});

describe('a request rebuilt for its own dialect keeps its meaning', () => {
  const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  test.each<[name: string, body: JsonObject]>([
    ['sampling', { temperature: 0.5, top_k: 4, stop_sequences: ['A', 'B'], stream: true, foo: { bar: 1 } }],
    ['marks', { system: [{ type: 'text', text: 's', ...mark }], cache_control: { type: 'ephemeral' } }],
    [
      'tools',
      {
        tools: [
          {
            name: 'f',
            description: 'd',
            input_schema: { type: 'object', properties: {} },
            strict: true,
            defer_loading: true,
            ...mark,
          },
        ],
        tool_choice: { type: 'any', disable_parallel_tool_use: true },
      },
    ],
    [
      'search',
      {
        tools: [
          {
            type: 'web_search_20250305',
            name: 'web_search',
            max_uses: 2,
            allowed_domains: ['a.com'],
            user_location: { type: 'approximate', city: 'B', country: 'DE' },
            ...mark,
          },
        ],
      },
    ],
    ['editor', { tools: [{ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 9 }] }],
    ['thinking', { thinking: { type: 'enabled', budget_tokens: 1500 } }],
    [
      'schema',
      {
        output_config: {
          format: { type: 'json_schema', schema: { type: 'object', properties: {}, additionalProperties: false } },
        },
      },
    ],
  ])('%s', (_name, more) => {
    const given: JsonObject = {
      max_tokens: 2000,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      ...more,
    };
    const { body, losses } = anthropicMessages.client.encodeCall(understand(given).call(), target());
    expect(body).toEqual({ ...given, model: 'up' });
    expect(losses).toEqual([]);
  });
  test('blocks of every kind', () => {
    const messages: JsonObject[] = [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' }, ...mark },
          { type: 'image', source: { type: 'url', url: 'https://a/b' } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'QUJD' },
            title: 't',
            context: 'c',
            citations: { enabled: true },
          },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
          { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'y' }] } },
          { type: 'document', source: { type: 'url', url: 'https://a/c' } },
          {
            type: 'search_result',
            source: 'u',
            title: 't',
            content: [{ type: 'text', text: 'z' }],
            citations: { enabled: true },
          },
        ],
      },
      {
        role: 'assistant',
        content: [
          {
            type: 'text',
            text: 'a',
            citations: [
              {
                type: 'char_location',
                cited_text: 'x',
                document_index: 1,
                document_title: 't',
                start_char_index: 0,
                end_char_index: 2,
              },
              {
                type: 'page_location',
                cited_text: 'x',
                document_index: 0,
                document_title: null,
                start_page_number: 1,
                end_page_number: 2,
              },
              {
                type: 'content_block_location',
                cited_text: 'x',
                document_index: 2,
                document_title: null,
                start_block_index: 0,
                end_block_index: 1,
              },
              {
                type: 'search_result_location',
                cited_text: 'x',
                source: 'u',
                title: null,
                search_result_index: 0,
                start_block_index: 0,
                end_block_index: 1,
              },
              { type: 'web_search_result_location', cited_text: 'x', url: 'u', title: 't', encrypted_index: 'I' },
            ],
          },
          { type: 'tool_use', id: 'toolu_1', name: 'f', input: { b: 1, a: [2] } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [
              { type: 'text', text: 'r' },
              { type: 'image', source: { type: 'url', url: 'https://a/d' } },
            ],
            is_error: true,
            ...mark,
          },
          { type: 'text', text: 'go on' },
        ],
      },
    ];
    const { body, losses } = anthropicMessages.client.encodeCall(understand({ messages }).call(), target());
    expect(body['messages']).toEqual(messages);
    expect(losses).toEqual([]);
  });
});
