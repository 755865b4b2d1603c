/** MR: the whole answer, from upstreams of all three dialects. */
import { scenarioNames } from '@trivium/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as generate from '../../support/generate-probe.ts';
import { WEATHER } from '../../support/messages-blocks.ts';
import {
  ask,
  CLAUDE,
  COPY,
  EVERY_MODEL,
  GEMINI,
  type Json,
  lossless,
  messagesHosts,
  OPENAI_THINKER,
  postMessages,
  RESPONSES,
  recordOf,
  served,
  simulate,
  TRANSLATED,
  user,
} from '../../support/messages-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: (url) => {
      const { providers, models } = messagesHosts(url);
      const twice = {
        id: 'twice/served',
        endpoints: [
          { provider: 'anthropic', dialect: 'anthropic-messages', upstreamModel: 'claude-sonnet-4-5' },
          { provider: 'openai', upstreamModel: 'gpt-4o' },
        ],
      };
      return { providers, models: [...models, twice] };
    },
  });
});
afterAll(() => stand.close());

const STOPS = ['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn', 'refusal'];
const SEARCH = [{ type: 'web_search_20250305', name: 'web_search' }];
const play = (model: string, scenario: string, members: Json = {}) =>
  served(stand, ask({ model, messages: [simulate(`scenario=${scenario}`)], ...members }));

/** Scenarios that upstreams of some dialects cannot express, or answer with an error. */
const isPlayable = (model: string, scenario: string): boolean =>
  (scenario !== 'malformed-call' || model === CLAUDE) && (scenario !== 'prompt-blocked' || model !== RESPONSES);

describe.each([...EVERY_MODEL, COPY])('%s', (model) => {
  const playable = scenarioNames().filter((scenario) => isPlayable(model, scenario));
  test.each(playable)(
    '[MR-02][MR-15][MR-16] %s: the answer is a message with one of six stop reasons',
    async (scenario) => {
      const { json } = (await play(model, scenario, { tools: [WEATHER] })).reply;
      // An upstream of this dialect may send more fields; they pass unchanged.
      const { stop_details: _, ...own } = json;
      expect(Object.keys(own).sort().join()).toBe('content,id,model,role,stop_reason,stop_sequence,type,usage');
      expect(json).toMatchObject({ type: 'message', role: 'assistant', model, content: expect.any(Array) });
      expect(STOPS).toContain(json['stop_reason']);
      if (json['stop_reason'] === 'stop_sequence') expect(json['stop_sequence']).toMatch(/\S/);
      else expect(json['stop_sequence']).toBeNull();
    },
  );

  test.each(playable)('[MR-17][MR-18][MR-19] %s: usage is complete and its sums hold', async (scenario) => {
    const usage = (await play(model, scenario)).reply.json['usage'] as Record<string, number> & {
      cache_creation: Json;
    };
    const age = usage.cache_creation as Record<string, number>;
    for (const name of ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'])
      expect({ name, counts: Number.isInteger(usage[name]) && Number(usage[name]) >= 0 }).toEqual({
        name,
        counts: true,
      });
    expect(Object.keys(age).sort()).toEqual(['ephemeral_1h_input_tokens', 'ephemeral_5m_input_tokens']);
    expect(usage['cache_creation_input_tokens']).toBe(
      Number(age['ephemeral_1h_input_tokens']) + Number(age['ephemeral_5m_input_tokens']),
    );
  });

  test('[MR-01] message ids are unique to the request', async () => {
    const ids = [];
    for (const { reply } of [await play(model, 'text-basic'), await play(model, 'text-basic')]) {
      expect(reply.json['id']).toBe(`msg_${reply.headers.get('request-id')}`);
      ids.push(reply.json['id']);
    }
    expect(ids[0]).not.toBe(ids[1]);
  });

  test('[MR-04][MR-09][MR-22] text is one block, with stop reason end_turn', async () => {
    const { content, reply } = await play(model, 'text-basic');
    expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/\S/) }]);
    expect(reply.json).toMatchObject({
      stop_reason: 'end_turn',
      usage: { service_tier: expect.stringMatching(/\S/), server_tool_use: { web_search_requests: 0 } },
    });
  });

  test('[MR-10] reaching the cap gives stop reason max_tokens', async () => {
    expect((await play(model, 'length')).reply.json['stop_reason']).toBe('max_tokens');
  });

  test('[MR-14] a filtered answer has stop reason refusal', async () => {
    expect((await play(model, 'content-filter')).reply.json['stop_reason']).toBe('refusal');
  });

  test('[MR-06][MR-12] a tool call has the declared name and an object as input', async () => {
    for (const scenario of ['tool-single', 'tools-finish-stop', 'tools-parallel']) {
      const { content, reply } = await play(model, scenario, { tools: [WEATHER] });
      const calls = content.filter(({ type }) => type === 'tool_use');
      expect(calls.length).toBeGreaterThan(0);
      for (const call of calls)
        expect(call).toEqual({
          type: 'tool_use',
          id: expect.stringMatching(/^[a-zA-Z0-9_-]+$/),
          name: 'weather',
          input: { city: expect.any(String) },
        });
      expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
      expect(reply.json['stop_reason']).toBe('tool_use');
    }
  });

  test('[MR-17] usage equals the upstream’s count and the request record', async () => {
    const { reply } = await play(model, 'cached-usage');
    expect(stand.simulator.truth.last()?.billed).toMatchObject({ prompt: 100, cached: 40, completion: 20 });
    expect(reply.json['usage']).toMatchObject({ input_tokens: 60, output_tokens: 20, cache_read_input_tokens: 40 });
    const usage = (await recordOf(stand, reply)).reading?.usage;
    expect(usage).toMatchObject({ prompt: 60, inputCacheRead: 40 });
    expect((usage?.completion ?? 0) + (usage?.internalReasoning ?? 0)).toBe(20);
  });
});

describe('features of some upstreams', () => {
  test.each([CLAUDE, OPENAI_THINKER, 'compatible/thinker', GEMINI])(
    '[MR-07] thinking of %s comes before its text',
    async (model) => {
      const { content } = await play(model, 'reasoning', {
        max_tokens: 4000,
        thinking: { type: 'enabled', budget_tokens: 1024 },
      });
      const types = content.map(({ type }) => type);
      const thoughts = content.filter(({ type }) => type === 'thinking');
      if (model !== OPENAI_THINKER) expect(types.slice(0, 2)).toEqual(['thinking', 'text']);
      expect(types.lastIndexOf('thinking')).toBeLessThan(types.indexOf('text'));
      for (const thought of thoughts)
        expect(thought).toEqual({
          type: 'thinking',
          thinking: expect.stringMatching(/\S/),
          signature: expect.any(String),
        });
    },
  );

  test('a signature that Gemini puts on its text is no loss: callers miss nothing of it (N20)', async () => {
    const model = 'google/gemini-3.5-flash';
    const own = await generate.served(stand, generate.play('scenario=text-basic'), { model });
    expect(own.candidate.content.parts.some(({ text, thoughtSignature }) => text && thoughtSignature)).toBe(true);
    await lossless(stand, ask({ model, max_tokens: 4000, messages: [simulate('scenario=text-basic')] }));
  });

  test.each([CLAUDE, COPY])('[MR-08][MR-21] searches and citations of %s are passed on', async (model) => {
    const { content, reply } = await play(model, 'web-search', { tools: SEARCH });
    const types = content.map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(['text', 'server_tool_use', 'web_search_tool_result']);
    expect(content[1]).toMatchObject({
      id: expect.stringMatching(/^srvtoolu_/),
      name: 'web_search',
      input: { query: 'three roads' },
    });
    expect(content[2]).toMatchObject({
      tool_use_id: content[1]?.['id'],
      content: [{ type: 'web_search_result', url: 'https://example.com/roads' }, { type: 'web_search_result' }],
    });
    const cited = content.filter(({ citations }) => citations != null);
    expect(cited.flatMap(({ citations }) => citations)).toContainEqual(
      expect.objectContaining({ type: 'web_search_result_location', url: 'https://example.com/roads' }),
    );
    expect(reply.json['usage']).toMatchObject({ server_tool_use: { web_search_requests: 1 } });
  });

  test.each(TRANSLATED)('[MR-05] citations of %s become web citations', async (model) => {
    const { content } = await play(model, 'citations');
    const citations = content.flatMap(({ citations }) => (citations ?? []) as Json[]);
    expect(citations).toContainEqual(
      expect.objectContaining({
        type: 'web_search_result_location',
        url: 'https://example.com/roads',
        cited_text: expect.any(String),
        encrypted_index: expect.any(String),
      }),
    );
  });

  test.each(EVERY_MODEL)('[MR-05] a text block without citations has no citations field (%s)', async (model) => {
    for (const block of (await play(model, 'text-basic')).content) expect(block['citations'] ?? null).toBeNull();
  });

  test.each([CLAUDE, COPY])('[MR-11] the answer has the matched stop sequence (%s)', async (model) => {
    const { reply } = await play(model, 'text-long', { stop_sequences: ['zzz', 'word5'] });
    expect(JSON.stringify(reply.json['content'])).not.toContain('word5');
    expect(reply.json).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'word5' });
  });

  // M4, N13
  test.each(TRANSLATED)('[MR-11] %s: every answer has the matched stop sequence', async (model) => {
    const body = ask({ model, messages: [simulate('scenario=text-long')], stop_sequences: ['zzz', 'word5'] });
    const streamed = await lossless(stand, { ...body, stream: true });
    expect(streamed.reply.text).toContain('"stop_reason":"stop_sequence","stop_sequence":"word5"');
    expect(streamed.reply.text).not.toMatch(/"text":"[^"]*word5/);
    const { reply } = await lossless(stand, body);
    expect(JSON.stringify(reply.json['content'])).not.toContain('word5');
    expect(reply.json).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'word5' });
  });

  test('[MR-13] a paused turn continues when the caller sends it back', async () => {
    const { content, reply } = await play(CLAUDE, 'pause-turn', { tools: SEARCH });
    expect(reply.json).toMatchObject({ stop_reason: 'pause_turn', stop_sequence: null });
    const messages = [simulate('scenario=pause-turn'), { role: 'assistant', content }];
    const next = await lossless(stand, ask({ tools: SEARCH, messages }));
    expect((next.sent['messages'] as Json[])[1]?.['content']).toEqual(content);
    expect(next.reply.json['stop_reason']).toBe('end_turn');
  });

  test.each([CLAUDE, COPY])('[MR-18][MR-19] cache writes of %s are reported per TTL', async (model) => {
    expect((await play(model, 'cache-writes')).reply.json['usage']).toMatchObject({
      input_tokens: 30,
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
    });
  });

  test.each(TRANSLATED)(
    '[MR-20] cached tokens that %s includes in its prompt count are not counted twice',
    async (model) => {
      expect((await play(model, 'cached-usage')).reply.json['usage']).toMatchObject({
        input_tokens: 60,
        cache_read_input_tokens: 40,
      });
    },
  );

  test('[MR-03] the answer has the requested model name, also when the second host serves it', async () => {
    expect((await play('twice/served', 'text-basic')).reply.json['model']).toBe('twice/served');
    stand.simulator.arm('status=503', { vendor: 'anthropic' });
    const before = stand.simulator.truth.read().length;
    const { status, json } = await postMessages(stand, ask({ model: 'twice/served', messages: [user('Hello')] }));
    expect(
      stand.simulator.truth
        .read()
        .slice(before)
        .map(({ vendor }) => vendor),
    ).toEqual(['anthropic', 'openai']);
    expect({ status, model: json['model'] }).toEqual({ status: 200, model: 'twice/served' });
  });
});
