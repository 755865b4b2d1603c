/** Opaque state from upstreams: returned to its issuer byte for byte, and sent to no other upstream. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  assistant,
  type Block,
  CLAUDE,
  COPY,
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
  TRANSLATED,
  text,
  user,
} from '../../support/messages-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: messagesHosts });
});
afterAll(() => stand.close());

const SEARCH = [{ type: 'web_search_20250305', name: 'web_search' }];
const THINKING = { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 1024 } };

/** The answer of the simulator's Anthropic, or of another upstream, in a scenario. */
async function said(scenario: string, members: Json = THINKING): Promise<{ first: Json; content: readonly Block[] }> {
  const first = simulate(`scenario=${scenario}`);
  const { content } = await served(stand, ask({ ...members, messages: [first] }));
  return { first, content };
}
const replay = (first: Json, content: readonly unknown[], members: Json = {}): Json =>
  ask({ ...members, messages: [first, { role: 'assistant', content }, user('Go on')] });

describe('thinking', () => {
  test.each([
    ['M-54', 'thinking without thinking', { type: 'thinking', signature: 'a' }, 'thinking'],
    ['M-54', 'thinking without signature', { type: 'thinking', thinking: 'a' }, 'signature'],
    ['M-54', 'a number as signature', { type: 'thinking', thinking: 'a', signature: 5 }, 'signature'],
    ['M-55', 'redacted thinking without data', { type: 'redacted_thinking' }, 'data'],
    ['M-55', 'a number as data', { type: 'redacted_thinking', data: 5 }, 'data'],
  ])('[%s] %s is refused', async (_rule, _label, block, place) => {
    for (const model of [CLAUDE, OPENAI, RESPONSES, GEMINI])
      await refused(
        stand,
        ask({ model, messages: [user('a'), assistant(block, text('b')), user('c')] }),
        `messages.1.content.0.${place}`,
      );
  });

  test.each([
    ['M-54', 'reasoning', 'thinking'],
    ['M-55', 'reasoning-sealed', 'redacted_thinking'],
  ])('[%s] thinking of %s returns to its issuer byte for byte', async (_rule, scenario, type) => {
    const { first, content } = await said(scenario);
    expect(content.map((block) => block.type)).toContain(type);
    const { sent } = await lossless(stand, replay(first, content, THINKING));
    expect((sent['messages'] as Json[])[1]?.['content']).toEqual(content);
  });

  test.each([
    ['reasoning', 'messages.content.thinking.signature'],
    ['reasoning-sealed', 'messages.content.redacted_thinking'],
  ])('[M-56] %s of another provider is not sent to a copy of this API', async (scenario, field) => {
    const { first, content } = await said(scenario);
    const { sent, losses } = await served(stand, replay(first, content, { model: COPY }));
    expect(losses).toContain(field);
    expect(JSON.stringify(sent)).not.toMatch(/"signature"|redacted_thinking/);
    for (const block of content)
      for (const seal of [block['signature'], block['data']].filter((one) => typeof one === 'string'))
        expect(JSON.stringify(sent)).not.toContain(seal);
  });

  test.each(TRANSLATED)('[M-56] signed thinking is not sent to %s', async (model) => {
    const { first, content } = await said('reasoning');
    const signature = content.find(({ type }) => type === 'thinking')?.['signature'];
    expect(signature).toMatch(/\S/);
    const { sentText, losses } = await served(stand, replay(first, content, { model }));
    expect(losses.some((field) => field.startsWith('messages.content.thinking'))).toBe(true);
    expect(sentText).not.toContain(signature);
  });

  test('[M-56] thinking signed by a copy of this API returns to the copy, and to no other upstream', async () => {
    const { first, content } = await said('reasoning', { ...THINKING, model: COPY });
    const enveloped = content.find(({ type }) => type === 'thinking')?.['signature'] as string;
    const back = await lossless(stand, replay(first, content, { ...THINKING, model: COPY }));
    expect(back.sentText).toContain('"signature"');
    expect(back.sentText).not.toContain(enveloped);
    const { sentText, losses } = await served(stand, replay(first, content));
    expect(losses).toContain('messages.content.thinking.signature');
    expect(sentText).not.toContain('"signature"');
  });
});

describe('search results', () => {
  test('[M-49][M-51][M-52] search results return to their issuer byte for byte', async () => {
    const { first, content } = await said('web-search', { tools: SEARCH });
    const [found] = content.filter(({ type }) => type === 'web_search_tool_result');
    expect(found?.['content']).toContainEqual(
      expect.objectContaining({ encrypted_content: expect.stringMatching(/\S/) }),
    );
    const { sent } = await lossless(stand, replay(first, content, { tools: SEARCH }));
    expect((sent['messages'] as Json[])[1]?.['content']).toEqual(content);
  });

  test.each([...TRANSLATED, COPY])('[M-52] search results are not sent to %s', async (model) => {
    const { first, content } = await said('web-search', { tools: SEARCH });
    const { sentText } = await lossyAtLeast(replay(first, content, { model }), 'messages.content.server_tool_use');
    const seals = [...JSON.stringify(content).matchAll(/"encrypted_(?:content|index)":"([^"]+)"/g)].map(
      ([, seal]) => seal,
    );
    expect(seals.length).toBeGreaterThan(1);
    for (const seal of seals) expect(sentText).not.toContain(seal);
  });

  async function lossyAtLeast(body: Json, field: string) {
    const result = await served(stand, body);
    expect(result.losses).toContain(field);
    return lossy(stand, body, ...(result.losses as [string, ...string[]]));
  }
});
