/** Tool calls, tool results and server-side searches in history. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  called,
  note,
  png,
  searched,
  searchResult,
  serverToolUse,
  toolResult,
  toolUse,
  WEATHER,
  webSearchError,
  webSearchResult,
} from '../../support/messages-blocks.ts';
import {
  ask,
  assistant,
  CLAUDE,
  COMPATIBLE,
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
  text,
  user,
} from '../../support/messages-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: messagesHosts });
});
afterAll(() => stand.close());

const asking = (messages: readonly unknown[], model: string = CLAUDE): Json =>
  ask({ model, messages, tools: [WEATHER] });

describe('tool_result', () => {
  test.each([
    ['M-43', 'no tool_use_id', { tool_use_id: undefined }, 'tool_use_id'],
    ['M-43', 'a number as tool_use_id', { tool_use_id: 5 }, 'tool_use_id'],
    ['M-43', 'the id of no call', { tool_use_id: 'toolu_9' }, 'tool_use_id'],
    ['M-44', 'a number as content', { content: 5 }, 'content'],
    ['M-44', 'thinking inside', { content: [{ type: 'thinking', thinking: 'a', signature: 'b' }] }, 'content.0'],
    ['M-44', 'a call inside', { content: [toolUse()] }, 'content.0'],
  ])('[%s] a tool_result with %s is refused', async (_rule, _label, members, place) => {
    for (const model of [CLAUDE, OPENAI, RESPONSES, GEMINI])
      await refused(stand, asking(called(toolUse(), toolResult(members)), model), `messages.2.content.0.${place}`);
  });

  test('[M-45] a tool_result with text as is_error is refused', () =>
    refused(stand, asking(called(toolUse(), toolResult({ is_error: 'x' }))), 'messages.2.content.0.is_error'));

  test('[M-43] a tool_result before its call is refused', () =>
    refused(stand, asking([user(toolResult()), assistant(toolUse()), user('a')]), 'messages.0.content.0.tool_use_id'));

  test.each(EVERY_MODEL)('[M-43] a tool_result stays matched to its call for %s', async (model) => {
    const { sentText, content } = await lossless(stand, asking(called(), model));
    expect(sentText).toContain('Sunny');
    expect(content[0]).toMatchObject({ type: 'text' });
    expect(stand.simulator.truth.last()?.scenario).toBe('after-tool-result');
  });

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'Sunny'],
    ['no text', ''],
    ['text blocks', [text('Sunny'), text('and warm')]],
    ['an image', [png()]],
    ['a search result', [searchResult()]],
    ['a document', [note()]],
  ])('[M-44] a tool_result may hold %s', async (_label, content) => {
    for (const model of [CLAUDE, OPENAI, RESPONSES, GEMINI])
      await served(stand, asking(called(toolUse(), toolResult({ content })), model));
  });

  test('[M-45] is_error does not exist in chat: a loss, refused in strict mode', async () => {
    const failed = toolResult({ is_error: true });
    await lossy(stand, asking(called(toolUse(), failed), OPENAI), 'messages.content.tool_result');
    await lossless(stand, asking(called(toolUse(), toolResult({ is_error: false })), OPENAI));
  });

  test.each([CLAUDE, GEMINI])('[M-45] is_error reaches %s', async (model) => {
    const failed = await served(stand, asking(called(toolUse(), toolResult({ is_error: true })), model));
    const fine = await served(stand, asking(called(toolUse(), toolResult({ is_error: false })), model));
    expect(failed.sentText).toMatch(/error/i);
    if (model !== CLAUDE) expect(fine.sentText).not.toMatch(/error/i);
    else expect(fine.sentText).toContain('"is_error":false');
  });
});

describe('tool_use', () => {
  test.each([
    ['no id', { id: undefined }, 'id'],
    ['no name', { name: undefined }, 'name'],
    ['no input', { input: undefined }, 'input'],
    ['text as input', { input: 'x' }, 'input'],
    ['a list as input', { input: [] }, 'input'],
  ])('[M-46] a tool_use with %s is refused', async (_label, members, place) => {
    for (const model of [CLAUDE, OPENAI, RESPONSES, GEMINI])
      await refused(stand, asking(called(toolUse(members)), model), `messages.1.content.0.${place}`);
  });

  test.each(EVERY_MODEL)(
    '[M-46] large integers and the key order of tool_use input are preserved for %s',
    async (model) => {
      const input = '{"zeta":1,"alpha":12345678901234567890,"nested":{"b":9007199254740993,"a":1}}';
      const body = JSON.stringify(asking(called(toolUse({ input: 'INPUT' })), model)).replace('"INPUT"', input);
      const { sentText } = await served(stand, body);
      const plain = sentText.replaceAll('\\"', '"');
      expect(plain.replaceAll(' ', '')).toContain(input);
    },
  );

  test.each(EVERY_MODEL)('[M-47] a tool_use of an undeclared tool passes without loss to %s', async (model) => {
    const messages = called();
    const { sentText, losses } = await served(stand, ask({ model, messages }));
    expect(losses).toEqual([]);
    expect(sentText).toContain('"weather"');
  });

  test.each(EVERY_MODEL)('[M-47] a tool_use of an undeclared tool is refused in strict mode (%s)', async (model) => {
    const strict = { 'x-trivium-strict': 'true' };
    await refused(stand, ask({ model, messages: called() }), 'messages.1.content.0.name', strict);
    await served(stand, asking(called(), model), strict);
  });
});

describe('searches', () => {
  test.each([
    ['M-48', 'an id of another form', serverToolUse({ id: 'x1' }), webSearchResult({ tool_use_id: 'x1' }), '0.id'],
    ['M-48', 'no id', serverToolUse({ id: undefined }), webSearchResult(), '0.id'],
    ['M-48', 'no name', serverToolUse({ name: undefined }), webSearchResult(), '0.name'],
    ['M-48', 'text as input', serverToolUse({ input: 'x' }), webSearchResult(), '0.input'],
    ['M-49', 'no tool_use_id', serverToolUse(), webSearchResult({ tool_use_id: undefined }), '1.tool_use_id'],
    ['M-49', 'no content', serverToolUse(), webSearchResult({ content: undefined }), '1.content'],
    ['M-49', 'text as content', serverToolUse(), webSearchResult({ content: 'x' }), '1.content'],
    ['M-50', 'the id of no search', serverToolUse(), webSearchResult({ tool_use_id: 'srvtoolu_9' }), '1.tool_use_id'],
    [
      'M-53',
      'an unknown error',
      serverToolUse(),
      webSearchResult({ content: webSearchError('x') }),
      '1.content.error_code',
    ],
    [
      'M-53',
      'no error code',
      serverToolUse(),
      webSearchResult({ content: { type: 'web_search_tool_result_error' } }),
      '1.content.error_code',
    ],
  ])('[%s] searches with %s are refused', async (_rule, _label, use, result, place) => {
    for (const model of [CLAUDE, OPENAI, RESPONSES, GEMINI])
      await refused(stand, ask({ model, messages: searched(use, result) }), `messages.1.content.${place}`);
  });

  const found = (members: Json = {}): Json => ({
    type: 'web_search_result',
    url: 'https://example.com/roads',
    title: 'Roads',
    encrypted_content: 'abc',
    page_age: '2 days',
    ...members,
  });
  test.each([
    ['no url', { url: undefined }, 'url'],
    ['no title', { title: undefined }, 'title'],
    ['no encrypted_content', { encrypted_content: undefined }, 'encrypted_content'],
    ['a number as page_age', { page_age: 5 }, 'page_age'],
    ['another type', { type: 'x' }, 'type'],
  ])('[M-51] a search result with %s is refused', async (_label, members, place) => {
    const messages = searched(serverToolUse(), webSearchResult({ content: [found(members)] }));
    for (const model of [CLAUDE, OPENAI])
      await refused(stand, ask({ model, messages }), `messages.1.content.1.content.0.${place}`);
  });

  test.each(['too_many_requests', 'invalid_input', 'max_uses_exceeded', 'query_too_long', 'unavailable'])(
    '[M-48][M-50][M-53] searches that ended with %s return to their upstream unchanged',
    async (code) => {
      const messages = searched(serverToolUse(), webSearchResult({ content: webSearchError(code) }));
      expect((await lossless(stand, ask({ messages }))).sent['messages']).toEqual(messages);
      for (const model of [OPENAI, COMPATIBLE, RESPONSES, GEMINI]) {
        const { sentText } = await served(stand, ask({ model, messages }));
        expect(sentText).not.toContain('srvtoolu_1');
      }
    },
  );
});
