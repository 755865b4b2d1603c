/** Names that are translated for an upstream of another dialect, and translated back in the answer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { config, served as generated, play, refused } from '../../support/generate-probe.ts';
import { ask, type Json, lossless, messagesHosts, postMessages, simulate } from '../../support/messages-probe.ts';
import { MESSAGES, OWN, responsesHosts, TRANSLATED } from '../../support/responses-probe.ts';
import { dataOf, recordsOf } from '../../support/road-frames.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: (url) => {
      const [copy, own] = [messagesHosts(url), responsesHosts(url)];
      return { providers: { ...copy.providers, ...own.providers }, models: [...copy.models, ...own.models] };
    },
  });
});
afterAll(() => stand.close());

describe('tool names', () => {
  const LONG = `weather_${'in_many_places_'.repeat(8)}`.padEnd(128, 'z').slice(0, 128);
  const tools = [LONG, `${LONG.slice(0, 127)}y`, 'weather'].map((name) => ({
    name,
    input_schema: { type: 'object', properties: { city: { type: 'string' } } },
  }));
  const calling = (model: string, more: Json = {}): Json =>
    ask({ model, tools, messages: [simulate('scenario=tools-parallel')], ...more });

  test.each([OWN, ...TRANSLATED])(
    '[P-18] tool names of 128 characters reach %s shortened to its limit, and the answer has them in full',
    async (model) => {
      const { sentText, content } = await lossless(stand, calling(model));
      expect(sentText.includes(LONG)).toBe(model === MESSAGES);
      const names = content.flatMap(({ type, name }) => (type === 'tool_use' ? [name] : []));
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) expect(tools.map((tool) => tool.name)).toContain(name);
      expect(names).toContain(LONG);
    },
  );

  test.each([OWN, ...TRANSLATED])('[P-18] a stream of %s has long tool names in full', async (model) => {
    const reply = await postMessages(stand, calling(model, { stream: true }));
    const events = recordsOf(reply.text).map(
      (record) => JSON.parse(dataOf(record.replace(/^event: .*\n/, ''))) as Json,
    );
    const names = events.flatMap(({ content_block: block }) => ((block as Json | undefined)?.['name'] as string) ?? []);
    expect(names).toContain(LONG);
  });

  test.each([OWN, ...TRANSLATED])(
    '[P-18] a long tool name is the same in declarations, history and tool choice for %s',
    async (model) => {
      const { content } = await lossless(stand, calling(model));
      const calls = content.filter(({ type }) => type === 'tool_use');
      const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Sunny' }));
      const messages = [
        simulate('scenario=text-basic'),
        { role: 'assistant', content },
        { role: 'user', content: results },
      ];
      const { sentText } = await lossless(
        stand,
        ask({ model, tools, messages, tool_choice: { type: 'tool', name: LONG } }),
      );
      expect(sentText.includes(LONG)).toBe(model === MESSAGES);
    },
  );
});

describe('JSON mode without the word JSON in the prompt', () => {
  const body = config({ responseMimeType: 'application/json' });
  test.each(['openai/gpt-4o', OWN])('JSON mode reaches %s with the word JSON that it requires', async (model) => {
    const { sentText, losses } = await generated(stand, body, { model });
    expect(sentText).toContain('json_object');
    expect(sentText).toContain('Answer with one JSON object.');
    expect(losses).toEqual([]);
    const said = play('scenario=json-object', { generationConfig: { responseMimeType: 'application/json' } });
    expect((await generated(stand, said, { model })).sentText).not.toContain('Answer with one JSON object.');
  });
});

/** Chat hosts take audio only inline. */
const AUDIO_URL = { fileData: { mimeType: 'audio/wav', fileUri: 'https://example.com/a.wav' } };

describe('a refusal names the field as the caller’s protocol does', () => {
  test.each([
    ['openai/gpt-4o', { contents: [{ role: 'user', parts: [AUDIO_URL] }] }, 'contents.parts.inlineData'],
    [OWN, config({ candidateCount: 2 }), 'generationConfig.candidateCount'],
    [MESSAGES, config({ responseLogprobs: true }), 'generationConfig.responseLogprobs'],
    ['openai/gpt-4o', config({ candidateCount: 2 }), 'generationConfig.candidateCount'],
  ])('a generateContent call refused for %s names the generateContent field', async (model, body, field) => {
    await refused(stand, body, field, { model });
  });
});
