/** Citations in text blocks of history. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  assistant,
  CLAUDE,
  GEMINI,
  type Json,
  lossless,
  lossy,
  messagesHosts,
  OPENAI,
  RESPONSES,
  refused,
  served,
  simulate,
  text,
  user,
} from '../../support/messages-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: messagesHosts });
});
afterAll(() => stand.close());

const inDocument = { cited_text: 'Three roads.', document_index: 0, document_title: 'Roads' };
const CHARS = { type: 'char_location', ...inDocument, start_char_index: 0, end_char_index: 12 };
const PAGES = { type: 'page_location', ...inDocument, start_page_number: 1, end_page_number: 2 };
const BLOCKS = { type: 'content_block_location', ...inDocument, start_block_index: 0, end_block_index: 1 };
const SEARCH = {
  type: 'search_result_location',
  cited_text: 'Three roads.',
  source: 'https://example.com',
  title: 'Roads',
  search_result_index: 0,
  start_block_index: 0,
  end_block_index: 1,
};
const WEB = {
  type: 'web_search_result_location',
  cited_text: 'Three roads.',
  url: 'https://example.com',
  title: 'Roads',
  encrypted_index: 'abc',
};

const cited = (...citations: unknown[]): Json[] => [
  user('Where?'),
  assistant(text('At the bridge.', { citations })),
  user('Sure?'),
];

describe('accepted', () => {
  test.each([
    ['M-63', 'characters', CHARS],
    ['M-63', 'characters without a title', { ...CHARS, document_title: null }],
    ['M-64', 'pages', PAGES],
    ['M-65', 'blocks', BLOCKS],
    ['M-67', 'a search result', SEARCH],
    ['M-67', 'a search result without a title', { ...SEARCH, title: null }],
  ])('[M-33][M-62][%s] a citation is accepted: %s', async (_rule, _label, citation) => {
    const messages = cited(citation);
    expect((await lossless(stand, ask({ messages }))).sent['messages']).toEqual(messages);
    for (const model of [OPENAI, RESPONSES, GEMINI])
      expect((await lossy(stand, ask({ model, messages }), 'messages.content.citations')).sentText).not.toContain(
        'Three roads.',
      );
  });

  test('[M-67] a citation of a search result without a source is accepted', async () => {
    for (const model of [CLAUDE, OPENAI, RESPONSES, GEMINI])
      await served(stand, ask({ model, messages: cited({ ...SEARCH, source: null }) }));
  });

  test('[M-33][M-66] a web citation is forwarded with its encrypted index byte for byte', async () => {
    const first = simulate('scenario=web-search');
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const { content } = await served(stand, ask({ messages: [first], tools }));
    const indexes = [...JSON.stringify(content).matchAll(/"encrypted_index":"([^"]+)"/g)].map(([, index]) => index);
    expect(indexes.length).toBeGreaterThan(0);
    const { sentText } = await lossless(
      stand,
      ask({ tools, messages: [first, { role: 'assistant', content }, user('Sure?')] }),
    );
    for (const index of indexes) expect(sentText).toContain(`"encrypted_index":"${index}"`);
  });
});

describe('refused', () => {
  const without = (citation: Json, member: string): Json => ({ ...citation, [member]: undefined });
  test.each([
    ['M-62', 'an unknown type', { ...CHARS, type: 'x' }, 'type'],
    ['M-62', 'no type', without(CHARS, 'type'), 'type'],
    ...[CHARS, PAGES, BLOCKS, SEARCH, WEB].map((citation): [string, string, Json, string] => [
      'M-62',
      `${citation.type} without cited_text`,
      without(citation, 'cited_text'),
      'cited_text',
    ]),
    ['M-63', 'a start of text', { ...CHARS, start_char_index: '0' }, 'start_char_index'],
    ['M-63', 'a start below 0', { ...CHARS, start_char_index: -1 }, 'start_char_index'],
    ['M-63', 'no end', without(CHARS, 'end_char_index'), 'end_char_index'],
    ['M-63', 'no document', without(CHARS, 'document_index'), 'document_index'],
    ['M-63', 'a number as title', { ...CHARS, document_title: 5 }, 'document_title'],
    ['M-64', 'page 0', { ...PAGES, start_page_number: 0 }, 'start_page_number'],
    ['M-64', 'no last page', without(PAGES, 'end_page_number'), 'end_page_number'],
    ['M-65', 'a block of text', { ...BLOCKS, start_block_index: '0' }, 'start_block_index'],
    ['M-65', 'a block below 0', { ...BLOCKS, end_block_index: -1 }, 'end_block_index'],
    ['M-66', 'no encrypted_index', without(WEB, 'encrypted_index'), 'encrypted_index'],
    ['M-66', 'no url', without(WEB, 'url'), 'url'],
    ['M-67', 'a result below 0', { ...SEARCH, search_result_index: -1 }, 'search_result_index'],
    ['M-67', 'no start', without(SEARCH, 'start_block_index'), 'start_block_index'],
    ['M-67', 'a number as source', { ...SEARCH, source: 5 }, 'source'],
  ] as [string, string, Json, string][])('[%s] %s', async (_rule, _label, citation, place) => {
    for (const model of [CLAUDE, OPENAI])
      await refused(stand, ask({ model, messages: cited(citation) }), `messages.1.content.0.citations.0.${place}`);
  });

  test.each(['x', {}, 5])('[M-33] citations %j is refused', (citations) =>
    refused(stand, ask({ messages: [user(text('a', { citations }))] }), 'messages.0.content.0.citations'),
  );
});
