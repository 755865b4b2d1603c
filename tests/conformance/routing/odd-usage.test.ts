/** Counts that are no whole numbers, from hosts of the caller's own dialect: callers get whole numbers all the same. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as generate from '../../support/generate-probe.ts';
import * as messages from '../../support/messages-probe.ts';
import * as responses from '../../support/responses-probe.ts';
import { openStand, postChat, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responses.responsesHosts });
});
afterAll(() => stand.close());

const ODD = '@simulate scenario=usage-odd';
type Asked = (stream: boolean) => Promise<{ readonly status: number; readonly text: string }>;

const CALLERS: readonly (readonly [name: string, ask: Asked])[] = [
  [
    'chat completions',
    (stream) => {
      const options = stream ? { stream, stream_options: { include_usage: true } } : {};
      return postChat(stand, { model: 'openai/gpt-4o', messages: [{ role: 'user', content: ODD }], ...options });
    },
  ],
  ['Responses', (stream) => responses.post(stand, responses.play('scenario=usage-odd', { stream }))],
  [
    'messages',
    (stream) =>
      messages.postMessages(
        stand,
        messages.ask({ model: messages.CLAUDE, stream, messages: [{ role: 'user', content: ODD }] }),
      ),
  ],
  [
    'generate content',
    (stream) =>
      generate.post(
        stand,
        generate.pathOf(generate.GEMINI, stream ? 'streamGenerateContent' : 'generateContent'),
        generate.play('scenario=usage-odd'),
      ),
  ],
];

test.each(CALLERS)('[GR-22] [CR-19] %s: counts are whole numbers, whole and streamed', async (_name, ask) => {
  for (const stream of [false, true]) {
    const { status, text } = await ask(stream);
    expect(status).toBe(200);
    const counts = [...text.matchAll(/"\w*(?:_tokens|TokenCount)":\s*([^,}\]]+)/g)].map(([, value]) => value);
    expect(counts.length, text).toBeGreaterThan(0);
    for (const count of counts) expect(count, text).toMatch(/^(?:\d+|null)$/);
  }
});
