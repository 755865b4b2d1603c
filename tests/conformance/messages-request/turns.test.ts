/** System text and turns: equivalent forms, adjacent turns of one role, and prefilled assistant turns. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  assistant,
  CLAUDE,
  COMPATIBLE,
  EVERY_MODEL,
  GEMINI,
  type Json,
  lossless,
  messagesHosts,
  OPENAI,
  RESPONSES,
  refused,
  served,
  TRANSLATED,
  talk,
  text,
  user,
} from '../../support/messages-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

/** Chat servers may have a parameter to continue the last message; Responses has none. */
const CONTINUING = 'continuing/any';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: (url) => {
      const { providers, models } = messagesHosts(url);
      const continuing = {
        dialect: 'openai-chat',
        baseUrl: `${url}/compatible@continuing/v1`,
        quirks: { prefillWrite: 'continue-final' },
      };
      return {
        providers: { ...providers, continuing },
        models: [...models, { id: CONTINUING, endpoints: [{ provider: 'continuing' }] }],
      };
    },
  });
});
afterAll(() => stand.close());

/** Role and text of every turn the upstream received, in any dialect. */
const turnsOf = (sent: Json): [role: unknown, words: string][] =>
  ((sent['contents'] ?? sent['messages'] ?? sent['input']) as Json[]).map(({ role, content, parts }) => {
    const said = parts ?? content;
    const words = typeof said === 'string' ? said : (said as Json[]).map((part) => part['text']).join('|');
    return [role === 'model' ? 'assistant' : role, words];
  });

describe('system', () => {
  test.each(EVERY_MODEL)('[M-08] system text and system text blocks mean the same to %s', async (model) => {
    const { sent: plain } = await lossless(stand, ask({ model, system: 'Be brief.' }));
    const { sent: blocks } = await lossless(stand, ask({ model, system: [text('Be brief.')] }));
    for (const sent of [plain, blocks]) expect(JSON.stringify(sent)).toContain('Be brief.');
    if (model !== CLAUDE) expect(plain).toEqual(blocks);
  });

  test.each([
    ['a number', 5, 'system'],
    ['an object', {}, 'system'],
    ['an image', [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }], 'system.0'],
    ['a block without text', [{ type: 'text' }], 'system.0.text'],
  ])('[M-08] %s as system is refused', async (_label, system, field) => {
    for (const model of [CLAUDE, OPENAI]) await refused(stand, ask({ model, system }), field);
  });
});

describe('role system', () => {
  const messages = [
    user('First'),
    assistant('Yes'),
    user('Go on'),
    { role: 'system', content: 'Be brief now.' },
    user('Last'),
  ];

  test.each(EVERY_MODEL)('[M-09] role system is refused under version 2023-06-01 (%s)', async (model) => {
    await refused(stand, ask({ model, messages }), 'messages.3.role');
    const partner = { 'anthropic-version': undefined, 'partner-version': '2023-06-01' };
    await refused(stand, ask({ model, messages }), 'messages.3.role', partner);
  });

  // M2: what Claude Code sends, with the betas of two of its versions.
  const OPENERS = [
    { 'anthropic-version': '2026-10-21' },
    { 'anthropic-beta': 'claude-code-20250219,mid-conversation-system-2026-04-07' },
    { 'anthropic-beta': 'mid-conversation-tool-changes-2026-07-01' },
  ];
  test.each(EVERY_MODEL)(
    '[M-09] a system turn keeps its place under a version or beta that allows it (%s)',
    async (model) => {
      for (const headers of OPENERS) {
        const { sent } = await served(stand, ask({ model, messages }), headers);
        const words = turnsOf(sent)
          .map(([, said]) => said)
          .join('|');
        expect(words).toMatch(/First\|.*Yes\|.*Go on\|.*Be brief now\.[^|]*\|.*Last/s);
      }
      await refused(stand, ask({ model, messages }), 'messages.3.role', { 'anthropic-beta': 'effort-2025-11-24' });
    },
  );

  test('[M-09] an unknown beta is a loss at upstreams of other dialects', async () => {
    const beta = { 'anthropic-beta': 'no-such-beta-2026-01-01' };
    expect((await served(stand, ask({ model: CLAUDE }), beta)).losses).toEqual([]);
    for (const model of TRANSLATED) {
      expect((await served(stand, ask({ model }), beta)).losses).toEqual(['anthropic-beta']);
      await refused(stand, ask({ model }), 'anthropic-beta', { ...beta, 'x-trivium-strict': 'true' });
    }
  });

  test('[M-09] a system turn stays an instruction for upstreams that allow one anywhere', async () => {
    const { sent } = await served(stand, ask({ model: OPENAI, messages }), { 'anthropic-version': '2026-10-21' });
    expect(turnsOf(sent)[3]).toEqual([expect.stringMatching(/^(system|developer)$/), 'Be brief now.']);
  });
});

describe('turns', () => {
  test.each(TRANSLATED)('[M-28] string content equals one text block for %s', async (model) => {
    const plain = await lossless(stand, ask({ model, messages: [{ role: 'user', content: 'hi' }] }));
    const block = await lossless(stand, ask({ model, messages: [{ role: 'user', content: [text('hi')] }] }));
    expect(block.sent).toEqual(plain.sent);
    expect(turnsOf(plain.sent)).toEqual([['user', 'hi']]);
  });

  test('[M-28] string content equals one text block for an upstream of this dialect', async () => {
    const plain = await lossless(stand, talk({ role: 'user', content: 'hi' }));
    const block = await lossless(stand, talk({ role: 'user', content: [text('hi')] }));
    expect(turnsOf(block.sent)).toEqual(turnsOf(plain.sent));
    expect(block.reply.json['content']).toEqual(plain.reply.json['content']);
  });

  test.each(EVERY_MODEL)('[M-29] adjacent turns of one role are merged for %s', async (model) => {
    const messages = [user('one'), user(text('two'), text('three')), assistant('four'), user('five')];
    const turns = turnsOf((await lossless(stand, ask({ model, messages }))).sent);
    expect(turns).toEqual([
      ['user', expect.stringMatching(/^one\W*two\W*three$/)],
      ['assistant', 'four'],
      ['user', 'five'],
    ]);
  });

  test.each([CLAUDE, GEMINI])(
    '[M-30] %s continues a last assistant turn (prefill), and does not repeat it',
    async (model) => {
      const messages = [user('Where do roads meet?'), assistant('The answer is')];
      const { sent, content } = await lossless(stand, ask({ model, messages }));
      expect(turnsOf(sent).at(-1)).toEqual(['assistant', 'The answer is']);
      expect(JSON.stringify(content)).not.toContain('The answer is');
    },
  );

  test.each([OPENAI, COMPATIBLE, RESPONSES])(
    '[M-30] a last assistant turn is refused for %s, which cannot continue it',
    (model) =>
      refused(stand, ask({ model, messages: [user('Where do roads meet?'), assistant('The answer is')] }), 'messages'),
  );

  test('[M-30] a last assistant turn is continued by a host with a parameter for it', async () => {
    const messages = [user('Where do roads meet?'), assistant('The answer is')];
    const { sent } = await lossless(stand, ask({ model: CONTINUING, messages }));
    expect(turnsOf(sent).at(-1)).toEqual(['assistant', 'The answer is']);
    expect(sent).toMatchObject({ continue_final_message: true, add_generation_prompt: false });
    const { sent: plain } = await lossless(stand, ask({ model: CONTINUING }));
    expect(plain).not.toHaveProperty('continue_final_message');
  });
});
