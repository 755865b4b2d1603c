/** If a feature can occur in several places of a request, dropping it is reported for each of them. */
import { describe, expect, test } from 'vitest';
import { textCall } from '../canonical/call.fixture.ts';
import type { TextCall, Tool } from '../canonical/call.ts';
import type { Block, ToolCallBlock, ToolResultBlock } from '../canonical/content.ts';
import type { DialectId } from '../canonical/dialect-id.ts';
import { targetFacts } from './dialect.fixture.ts';
import type { Dialect } from './dialect.ts';
import { googleGenerate } from './google-generate/index.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiResponses } from './openai-responses/index.ts';

const OTHERS: readonly (readonly [DialectId, Dialect])[] = [
  ['openai-chat', openaiChat],
  ['google-generate', googleGenerate],
  ['openai-responses', openaiResponses],
];

const encoded = (dialect: Dialect, call: Partial<TextCall>) =>
  dialect.client.encodeCall(
    textCall(call),
    targetFacts({ dialect: dialect.id, family: 'f' }, dialect.quirks({ webSearchOptions: true, cloudFields: true })),
  );
const lossesOf = (dialect: Dialect, call: Partial<TextCall>): string[] =>
  encoded(dialect, call).losses.map(({ field, why }) => `${field} ${why}`);

const TOOL: Tool = { kind: 'function', name: 'f', parameters: { type: 'object', properties: {} } };
const CALL: ToolCallBlock = { kind: 'tool-call', id: 'c', name: 'f', form: 'function', argumentsJson: '{}' };
const RESULT: ToolResultBlock = {
  kind: 'tool-result',
  callId: 'c',
  content: [{ kind: 'text', text: 'done' }],
  isError: false,
};

function toolRound(tool: Tool, call: Block, result: Block): Partial<TextCall> {
  const turns: TextCall['turns'] = [
    { role: 'user', blocks: [{ kind: 'text', text: 'go' }] },
    { role: 'assistant', blocks: [call] },
    { role: 'user', blocks: [result] },
  ];
  return { tools: [tool], turns };
}

describe.each(OTHERS)('%s', (_id, dialect) => {
  test.each<[string, Partial<TextCall>]>([
    ['a tool', toolRound({ ...TOOL, cache: {} }, CALL, RESULT)],
    ['a call', toolRound(TOOL, { ...CALL, cache: {} }, RESULT)],
    ['a result', toolRound(TOOL, CALL, { ...RESULT, cache: { ttl: '1h' } })],
    ['all of them', toolRound({ ...TOOL, cache: {} }, { ...CALL, cache: {} }, { ...RESULT, cache: {} })],
  ])('a cache mark on %s is reported as lost, once', (_name, call) => {
    expect(lossesOf(dialect, call)).toEqual(['block.cache no-equivalent']);
  });

  test('titles, contexts and sources of documents are sent, as text if there is no field', () => {
    const text: Block = { kind: 'text', text: 'words' };
    const file = { kind: 'media', media: 'document', mimeType: 'application/pdf' } as const;
    const blocks: Block[] = [
      { kind: 'document', content: [text], title: 'title 1', context: 'context 1' },
      { kind: 'search-result', content: [text], title: 'title 2', source: 'https://source.test/2' },
      { ...file, source: { via: 'inline', base64: 'JVBERi0=' }, title: 'title 3', context: 'context 3' },
    ];
    const call = { turns: [{ role: 'user', blocks }] } satisfies Partial<TextCall>;
    const body = JSON.stringify(encoded(dialect, call).body);
    for (const expected of ['title 1', 'context 1', 'title 2', 'https://source.test/2', 'title 3', 'context 3'])
      expect(body).toContain(expected);
    expect(lossesOf(dialect, call)).toEqual([]);
  });

  test('the permission to cite a document is reported as lost if nothing will cite it', () => {
    const document: Block = { kind: 'document', content: [{ kind: 'text', text: 'words' }], citable: true };
    const asked = (block: Block) => lossesOf(dialect, { turns: [{ role: 'user', blocks: [block] }] });
    expect(asked(document)).toEqual(['block.citations no-equivalent']);
    expect(asked({ ...document, citable: false })).toEqual([]);
  });
});

const understood = (dialect: Dialect, body: object): TextCall =>
  dialect.server
    .understand(JSON.parse(JSON.stringify(body)), { model: 'm', stream: false, header: () => undefined })
    .call();
const contents = [{ role: 'user', parts: [{ text: 'go' }] }];

describe('settings of a web search', () => {
  test('chat has no limit on searches: it is reported as lost', () => {
    expect(lossesOf(openaiChat, { webSearch: { maxUses: 3 } })).toEqual(['call.webSearch approximated']);
  });

  test.each<[string, Dialect, object, object]>([
    [
      'filters of Responses',
      openaiResponses,
      { model: 'm', input: 'go' },
      { type: 'web_search', filters: { allowed_domains: ['a.test'], blocked_domains: ['b.test'] } },
    ],
    [
      'filters of Responses without allowed domains',
      openaiResponses,
      { model: 'm', input: 'go' },
      { type: 'web_search', filters: { blocked_domains: ['b.test'] } },
    ],
    [
      'a range of time of generate content',
      googleGenerate,
      { contents },
      { googleSearch: { excludeDomains: ['b.test'], timeRangeFilter: { startTime: '2026-01-01T00:00:00Z' } } },
    ],
  ])('%s are restored in their own format, and reported as lost in others', (_name, dialect, body, tool) => {
    const call = understood(dialect, { ...body, tools: [tool] });
    expect(encoded(dialect, call).body['tools']).toEqual([tool]);
    const { allowedDomains: _a, blockedDomains: _b, ...search } = call.webSearch ?? {};
    expect(lossesOf(openaiChat, { ...call, webSearch: search })).toEqual(['extras no-equivalent']);
  });
});
