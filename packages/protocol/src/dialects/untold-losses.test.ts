/** If a feature can occur in several places of a request, dropping it is reported for each of them. */
import { describe, expect, test } from 'vitest';
import { textCall } from '../canonical/call.fixture.ts';
import type { TextCall, Tool } from '../canonical/call.ts';
import type { Block, MediaBlock, ToolCallBlock, ToolResultBlock } from '../canonical/content.ts';
import type { DialectId } from '../canonical/dialect-id.ts';
import { anthropicMessages } from './anthropic-messages/index.ts';
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
    ['a text in a result', toolRound(TOOL, CALL, { ...RESULT, content: [{ kind: 'text', text: 'x', cache: {} }] })],
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

describe.each<readonly [DialectId, Dialect]>([['anthropic-messages', anthropicMessages], ...OTHERS])(
  'the name of a file for %s',
  (_id, dialect) => {
    const pdf = { kind: 'media', media: 'document', mimeType: 'application/pdf' } as const;
    const image = { kind: 'media', media: 'image', mimeType: 'image/png' } as const;
    const inline = { via: 'inline', base64: 'JVBERi0=' } as const;
    const named: [string, Block][] = [
      ['a PDF with a file name', { ...pdf, source: inline, name: 'roads.x' }],
      ['a PDF with a title', { ...pdf, source: inline, title: 'roads.x' }],
      ['an image', { ...image, source: inline, name: 'roads.x' }],
    ];

    test.each(named)('%s has its name sent once, as text if there is no field', (_name, block) => {
      const calls: Partial<TextCall>[] = [
        { turns: [{ role: 'user', blocks: [block] }] },
        // Chat results hold no media at all, which is reported.
        ...(dialect === openaiChat ? [] : [toolRound(TOOL, CALL, { ...RESULT, content: [block] })]),
      ];
      for (const call of calls)
        for (const cloudFields of [true, false]) {
          const facts = targetFacts({ dialect: dialect.id, family: 'f' }, dialect.quirks({ cloudFields }));
          const { body, losses } = dialect.client.encodeCall(textCall(call), facts);
          expect({ names: JSON.stringify(body).split('roads.x').length - 1, losses }).toEqual({ names: 1, losses: [] });
        }
    });
  },
);

test.each([
  ['anthropic-messages', anthropicMessages],
  ['google-generate', googleGenerate],
])('%s: arguments in history that are no object are sent under one name, and reported', (_id, dialect) => {
  const call = toolRound(TOOL, { ...CALL, argumentsJson: '{"a": ' }, RESULT);
  expect(lossesOf(dialect, call)).toEqual(['block.tool-call approximated']);
  expect(JSON.stringify(encoded(dialect, call).body)).toContain('_raw');
});

describe('the resolution of an image', () => {
  const image = { kind: 'media', media: 'image', mimeType: 'image/png' } as const;
  const asked = (dialect: Dialect, block: Partial<MediaBlock>): string[] => {
    const media: MediaBlock = { ...image, source: { via: 'inline', base64: 'iVBORw0=' }, ...block };
    return lossesOf(dialect, { turns: [{ role: 'user', blocks: [media] }] });
  };

  test.each<[string, Dialect, string]>([
    ['chat', openaiChat, 'no-equivalent'],
    ['Responses', openaiResponses, 'approximated'],
  ])('%s: a level it lacks is reported', (_name, dialect, why) => {
    for (const detail of ['medium', 'ultra'] as const)
      expect(asked(dialect, { detail })).toEqual([`call.mediaResolution ${why}`]);
    for (const detail of ['low', 'high', 'auto'] as const) expect(asked(dialect, { detail })).toEqual([]);
    expect(asked(dialect, { media: 'document', mimeType: 'application/pdf', detail: 'high' })).toEqual([
      'call.mediaResolution no-equivalent',
    ]);
  });

  test('chat reports it once, for an image and for the whole call', () => {
    const media: MediaBlock = { ...image, source: { via: 'inline', base64: 'iVBORw0=' }, detail: 'ultra' };
    const call: Partial<TextCall> = { mediaResolution: 'low', turns: [{ role: 'user', blocks: [media] }] };
    expect(lossesOf(openaiChat, call)).toEqual(['call.mediaResolution no-equivalent']);
  });
});

describe('a web search that the caller forces', () => {
  const search: Partial<TextCall> = {
    webSearch: { amongTools: true },
    toolChoice: { mode: 'one', name: 'web_search' },
  };

  test('is the only tool that Responses may call', () => {
    expect(encoded(openaiResponses, search).body['tool_choice']).toBe('required');
    expect(encoded(openaiResponses, { ...search, tools: [TOOL] }).body['tool_choice']).toEqual({
      type: 'allowed_tools',
      mode: 'required',
      tools: [{ type: 'web_search' }],
    });
  });

  test('cannot be forced in generate content, nor beside functions in chat, which is reported', () => {
    expect(lossesOf(googleGenerate, search)).toEqual(['tool-choice.one approximated']);
    expect(encoded(googleGenerate, search).body['toolConfig']).toBeUndefined();
    expect(lossesOf(openaiChat, search)).toEqual([]);
    expect(lossesOf(openaiChat, { ...search, tools: [TOOL] })).toEqual(['tool-choice.one approximated']);
    expect(encoded(openaiChat, { ...search, tools: [TOOL] }).body['tool_choice']).toBeUndefined();
  });

  test('is refused if the host has no search; a function of that name is forced as such', () => {
    const target = targetFacts({ dialect: 'openai-chat', family: 'f' }, openaiChat.quirks({}));
    expect(() => openaiChat.client.encodeCall(textCall(search), target)).toThrow(/web search/);
    const named = { ...search, tools: [{ ...TOOL, name: 'web_search' }] };
    expect(openaiChat.client.encodeCall(textCall(named), target).body['tool_choice']).toMatchObject({
      function: { name: 'web_search' },
    });
  });
});

const understood = (dialect: Dialect, body: object): TextCall =>
  dialect.server
    .understand(JSON.parse(JSON.stringify(body)), { model: 'm', stream: false, header: () => undefined })
    .call();
const contents = [{ role: 'user', parts: [{ text: 'go' }] }];

test.each([anthropicMessages, googleGenerate, openaiResponses])(
  '$id: the name of the leading system message is reported as lost',
  (dialect) => {
    const asked = (named: object) => {
      const messages = [
        { role: 'system', content: 'Be kind.', ...named },
        { role: 'user', content: 'go' },
      ];
      return lossesOf(dialect, understood(openaiChat, { model: 'm', messages }));
    };
    expect(asked({ name: 'boss' })).toEqual(['turn.name no-equivalent']);
    expect(asked({})).toEqual([]);
  },
);

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
