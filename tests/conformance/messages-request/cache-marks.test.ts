/** cache_control marks for the upstream's prompt cache, in every place that allows them. */
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
  webSearchResult,
} from '../../support/messages-blocks.ts';
import {
  ask,
  CLAUDE,
  type Json,
  lossless,
  lossy,
  messagesHosts,
  OPENAI,
  refused,
  text,
  user,
} from '../../support/messages-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: messagesHosts });
});
afterAll(() => stand.close());

const PLACES: readonly (readonly [place: string, body: (mark: Json) => Json, path: string])[] = [
  ['text', (mark) => ({ messages: [user(text('a', mark))] }), 'messages.0.content.0'],
  ['system text', (mark) => ({ system: [text('a', mark)] }), 'system.0'],
  ['image', (mark) => ({ messages: [user(png(mark), text('a'))] }), 'messages.0.content.0'],
  ['document', (mark) => ({ messages: [user(note(mark), text('a'))] }), 'messages.0.content.0'],
  ['search_result', (mark) => ({ messages: [user(searchResult(mark), text('a'))] }), 'messages.0.content.0'],
  ['tool_use', (mark) => ({ tools: [WEATHER], messages: called(toolUse(mark)) }), 'messages.1.content.0'],
  [
    'tool_result',
    (mark) => ({ tools: [WEATHER], messages: called(toolUse(), toolResult(mark)) }),
    'messages.2.content.0',
  ],
  ['server_tool_use', (mark) => ({ messages: searched(serverToolUse(mark)) }), 'messages.1.content.0'],
  [
    'web_search_tool_result',
    (mark) => ({ messages: searched(serverToolUse(), webSearchResult(mark)) }),
    'messages.1.content.1',
  ],
  ['custom tool', (mark) => ({ tools: [{ ...WEATHER, ...mark }] }), 'tools.0'],
  ['web search tool', (mark) => ({ tools: [{ type: 'web_search_20250305', name: 'web_search', ...mark }] }), 'tools.0'],
];

describe.each(PLACES)('on %s', (_place, body, path) => {
  test.each([{ type: 'ephemeral' }, { type: 'ephemeral', ttl: '5m' }, { type: 'ephemeral', ttl: '1h' }])(
    '[M-59][M-61] cache_control %j is forwarded',
    async (cache_control) => {
      const { sent, sentText } = await lossless(stand, ask(body({ cache_control })));
      const part = path.split('.').reduce<unknown>((at, step) => (at as Json)[step], sent) as Json;
      expect(part['cache_control']).toEqual(cache_control);
      expect(sentText.match(/cache_control/g)).toHaveLength(1);
    },
  );

  test('[M-59] a null cache_control and a null ttl count as absent', async () => {
    await lossless(stand, ask(body({ cache_control: null })));
    const { sentText } = await lossless(stand, ask(body({ cache_control: { type: 'ephemeral', ttl: null } })));
    expect(sentText).toContain('"cache_control":{"type":"ephemeral"}');
  });

  test.each([
    [{ type: 'x' }, 'cache_control.type'],
    [{}, 'cache_control.type'],
    [{ type: 'ephemeral', ttl: '2h' }, 'cache_control.ttl'],
    ['ephemeral', 'cache_control'],
  ])('[M-59] cache_control %j is refused', async (cache_control, place) => {
    for (const model of [CLAUDE, OPENAI])
      await refused(stand, ask({ model, ...body({ cache_control }) }), `${path}.${place}`);
  });
});

test('[M-59] cache_control is a loss at an upstream with automatic caching', async () => {
  const messages = [user(text('a', { cache_control: { type: 'ephemeral' } }))];
  expect(
    (await lossy(stand, ask({ model: OPENAI, messages }), 'messages.content.cache_control')).sentText,
  ).not.toContain('cache_control');
});
