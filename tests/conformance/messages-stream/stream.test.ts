/** MS: the streamed answer from upstreams of all three dialects, checked on its bytes. */
import { type ScenarioName, scenarioNames } from '@trivium/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WEATHER } from '../../support/messages-blocks.ts';
import {
  ask,
  CLAUDE,
  COPY,
  EVERY_MODEL,
  GEMINI,
  type Json,
  messagesHosts,
  OPENAI,
  RESPONSES,
  served,
  simulate,
} from '../../support/messages-probe.ts';
import {
  assemble,
  eventsOf,
  expectGrammar,
  type StreamEvent,
  type StreamReply,
  streamMessages,
} from '../../support/messages-stream.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: messagesHosts });
});
afterAll(() => stand.close());

const THINKING = { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 1024 } };
const SEARCH = [{ type: 'web_search_20250305', name: 'web_search' }];
const SPELLINGS = ['crlf', 'comments', 'multi-line', 'split-bytes'];
const of = (events: readonly StreamEvent[], type: string) => events.filter((event) => event.type === type);
const deltasOf = (events: readonly StreamEvent[], type: string): Json[] =>
  of(events, 'content_block_delta').flatMap(({ delta }) => (delta?.['type'] === type ? [delta] : []));

/** Chat hosts that report usage only in a stream or only in a whole answer. */
const USAGE_DIFFERS = new Set<string>(['usage-in-choice', 'usage-x-groq']);
/**
 * Ids of calls and seals are new in every answer. Google ends a stream with an empty part that holds the seal
 * that a whole answer has on its text.
 */
const PASSING = ['id', 'tool_use_id', 'signature', 'data'];
const comparable = (model: string, content: readonly Json[]): Json[] =>
  content
    .filter(({ type, text }) => model !== GEMINI || (type !== 'redacted_thinking' && !(type === 'text' && text === '')))
    .map((block) =>
      Object.fromEntries(Object.entries(block).filter(([name, value]) => !PASSING.includes(name) && value !== null)),
    );

describe.each([...EVERY_MODEL, COPY])('%s', (model) => {
  const body = (scenario: string) => ask({ model, tools: [WEATHER], messages: [simulate(`scenario=${scenario}`)] });
  // Requested once, checked by many tests.
  const asked = new Map<string, Promise<StreamReply>>();
  const stream = (scenario: string): Promise<StreamReply> => {
    const reply = asked.get(scenario) ?? streamMessages(stand, body(scenario));
    asked.set(scenario, reply);
    return reply;
  };
  // A Responses host answers a blocked prompt with an error.
  const playable = scenarioNames().filter(
    (scenario) =>
      (scenario !== 'malformed-call' || model === CLAUDE) && (scenario !== 'prompt-blocked' || model !== RESPONSES),
  );

  test.each(playable)(
    '[MS-01][MS-02][MS-18] %s: every frame has an event name, and the last is message_stop',
    async (scenario) => {
      const { status, headers, text, complete } = await stream(scenario);
      expect({ status, complete }).toEqual({ status: 200, complete: true });
      expect(headers['content-type']).toMatch(/^text\/event-stream/);
      expect(headers['cache-control']).toMatch(/no-cache|no-store/);
      expect(headers['content-length']).toBeUndefined();
      expect(eventsOf(text).length).toBeGreaterThan(2);
      expect(text.endsWith('event: message_stop\ndata: {"type":"message_stop"}\n\n')).toBe(true);
      expect(text).not.toContain('[DONE]');
    },
  );

  test.each(playable)(
    '[MS-03][MS-04][MS-05] %s: blocks come one after the other between start and end',
    async (scenario) => {
      expectGrammar((await stream(scenario)).events);
    },
  );

  test.each(playable)(
    '[MS-06][MS-07] %s: message_start holds an empty message with no output usage yet',
    async (scenario) => {
      const { events, headers } = await stream(scenario);
      const { usage, ...start } = (events[0]?.message ?? {}) as { usage: Json };
      expect(start).toEqual({
        id: `msg_${headers['request-id']}`,
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
      });
      expect(usage['output_tokens']).toBe(0);
      expect(Number.isInteger(usage['input_tokens'])).toBe(true);
    },
  );

  test.each(playable)('[MS-08][MS-14] %s: blocks start empty and stop with an index only', async (scenario) => {
    const { events } = await stream(scenario);
    for (const { content_block } of of(events, 'content_block_start')) {
      const { type } = content_block ?? { type: '' };
      if (type === 'text') expect(content_block).toMatchObject({ text: '' });
      if (type === 'tool_use')
        expect(content_block).toMatchObject({ id: expect.stringMatching(/\S/), name: 'weather', input: {} });
      if (type === 'thinking') expect(content_block).toEqual({ type: 'thinking', thinking: '', signature: '' });
    }
    const starts = of(events, 'content_block_start').map(({ index }) => index);
    const stops = of(events, 'content_block_stop');
    expect(stops).toEqual(starts.map((index) => ({ type: 'content_block_stop', index })));
  });

  test.each(playable)(
    '[MS-15][MS-16][MS-17] %s: message_delta has the stop reason and the final usage',
    async (scenario) => {
      const { events } = await stream(scenario);
      const [finish, ...more] = of(events, 'message_delta');
      expect(more).toEqual([]);
      const { stop_reason, stop_sequence, usage: inner } = (finish?.delta ?? {}) as Json & { usage: Json };
      expect(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn', 'refusal']).toContain(stop_reason);
      if (stop_reason === 'stop_sequence') expect(stop_sequence).toMatch(/\S/);
      else expect(stop_sequence).toBeNull();
      expect(inner['output_tokens']).toBe(finish?.usage?.['output_tokens']);
      for (const name of ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'])
        expect({ name, whole: Number.isInteger(finish?.usage?.[name]) }).toEqual({ name, whole: true });
    },
  );

  test.each(playable.filter((scenario) => scenario !== 'length-mid-arguments'))(
    '[MS-09][MS-24] %s: the streamed answer equals the whole answer',
    async (scenario) => {
      const { json } = (await served(stand, body(scenario))).reply;
      const streamed = assemble((await stream(scenario)).events);
      expect(comparable(model, streamed.content)).toEqual(comparable(model, json['content'] as Json[]));
      const { stop_reason, stop_sequence, usage } = json;
      expect({ ...streamed, content: [] }).toEqual({
        content: [],
        stop_reason,
        stop_sequence,
        usage: USAGE_DIFFERS.has(scenario) ? streamed.usage : usage,
      });
    },
  );

  test('[MS-24] length-mid-arguments: a truncated call ends the stream and the whole answer alike', async () => {
    const { stop_reason, usage } = (await served(stand, body('length-mid-arguments'))).reply.json;
    const finish = (await stream('length-mid-arguments')).events.find(({ type }) => type === 'message_delta');
    expect(stop_reason).toBe('max_tokens');
    expect(finish).toMatchObject({ delta: { stop_reason }, usage });
  });

  test.each(SPELLINGS)('[MS-02][MS-09] the caller does not see an upstream’s %s', async (fault) => {
    const odd = await stream(`unicode fault=${fault}`);
    const plain = await stream('unicode');
    const [withFault, without] = [assemble(odd.events), assemble(plain.events)];
    expect({ ...withFault, usage: {} }).toEqual({ ...without, usage: {} });
    expect(JSON.stringify(withFault.content)).toMatch(/\p{Emoji_Presentation}/u);
  });

  test.each<ScenarioName>(['tool-single', 'tools-parallel-interleaved', 'tool-no-arguments', 'tool-empty-arguments'])(
    '[MS-10] %s: pieces of input join to the arguments',
    async (scenario) => {
      const { events } = await stream(scenario);
      const calls = of(events, 'content_block_start').filter(({ content_block }) => content_block?.type === 'tool_use');
      expect(calls.length).toBeGreaterThan(0);
      for (const { index } of calls) {
        const pieces = of(events, 'content_block_delta').filter((event) => event.index === index);
        expect(new Set(pieces.map(({ delta }) => delta?.['type']))).toEqual(new Set(['input_json_delta']));
        const joined = pieces.map(({ delta }) => delta?.['partial_json']).join('');
        const input = joined === '' ? {} : JSON.parse(joined);
        if (scenario.startsWith('tool-') && scenario !== 'tool-single') expect(input).toEqual({});
        else expect(input).toEqual({ city: expect.any(String) });
      }
    },
  );

  test('[MS-25] calls of an upstream that reports stop have stop reason tool_use', async () => {
    expect(assemble((await stream('tools-finish-stop')).events).stop_reason).toBe('tool_use');
  });
});

describe('thinking', () => {
  test.each([CLAUDE, 'compatible/thinker', GEMINI])(
    '[MS-11][MS-12] thinking deltas of %s join to the whole, with one signature before the block stops',
    async (model) => {
      const body = ask({ model, ...THINKING, messages: [simulate('scenario=reasoning')] });
      const { events } = await streamMessages(stand, body);
      const whole = (await served(stand, body)).content.find(({ type }) => type === 'thinking');
      const joined = deltasOf(events, 'thinking_delta')
        .map(({ thinking }) => thinking)
        .join('');
      expect(joined).toBe(whole?.['thinking']);
      expect(joined).toMatch(/\S/);
      expect(deltasOf(events, 'signature_delta')).toEqual([{ type: 'signature_delta', signature: expect.any(String) }]);
      const signedAt = events.findIndex(({ delta }) => delta?.['type'] === 'signature_delta');
      expect(events[signedAt + 1]).toMatchObject({ type: 'content_block_stop', index: events[signedAt]?.index });
    },
  );
});

describe('citations', () => {
  test.each([CLAUDE, COPY, GEMINI])(
    '[MS-13] citations of %s arrive one by one and equal those of the whole answer',
    async (model) => {
      const body = ask({ model, tools: SEARCH, messages: [simulate('scenario=web-search')] });
      const { events } = await streamMessages(stand, body);
      const cited = (content: readonly Json[]) =>
        content
          .flatMap(({ citations }) => (citations ?? []) as Json[])
          .map(({ encrypted_index: _, ...shown }) => shown);
      expect(deltasOf(events, 'citations_delta').length).toBeGreaterThan(0);
      expect(cited(assemble(events).content)).toEqual(cited((await served(stand, body)).content));
    },
  );
});

test('each model is served on the lane under test', async () => {
  for (const [model, lane] of [
    [CLAUDE, 'verbatim'],
    [COPY, 'verbatim'],
    [OPENAI, 'translated'],
  ] as const) {
    await streamMessages(stand, ask({ model }));
    expect(stand.records.at(-1)).toMatchObject({ lane, stream: true });
  }
});
