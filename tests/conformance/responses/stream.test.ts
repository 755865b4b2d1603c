/** R: streams, checked against their grammar byte by byte. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CannedStand, streamedAnswer } from '../../support/canned-upstream.ts';
import { cannedModel, openResponsesCannedStand, responseOf, spoken } from '../../support/responses-canned.ts';
import {
  ask,
  BARE_REASONING,
  CHAT,
  CHAT_THINKER,
  EVERY_MODEL,
  GOOGLE,
  inputText,
  type Json,
  MESSAGES,
  OWN,
  OWN_THINKER,
  play,
  post,
  responsesHosts,
  served,
  tool,
  user,
} from '../../support/responses-probe.ts';
import {
  courseOf,
  eventsAt,
  expectBeginning,
  expectEnd,
  expectItems,
  expectNumbers,
  joined,
  streamed,
} from '../../support/responses-stream.ts';
import { openStand, type Stand } from '../../support/stand.ts';

const KEEP_ALIVE_MS = 40;
let stand: Stand;
let canned: CannedStand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: responsesHosts,
    config: () => ({ timeouts: { keepAliveToCallerMs: KEEP_ALIVE_MS } }),
  });
  canned = await openResponsesCannedStand();
});
afterAll(async () => {
  await stand.close();
  await canned.close();
});

const TOOLS = ['weather', 'clock', 'news'].map((name) => tool(name));
const SCENARIOS = [
  'text-basic',
  'unicode',
  'empty-answer',
  'refusal',
  'content-filter',
  'length',
  'reasoning',
  'reasoning-tools',
  'tool-single',
  'tool-no-arguments',
  'tools-parallel',
  'tools-parallel-interleaved',
  'tools-with-text',
  'citations',
  'cached-usage',
];
const ROADS = [...EVERY_MODEL, OWN_THINKER, CHAT_THINKER];
const playing = (model: string, scenario: string, members: Json = {}) =>
  play(`scenario=${scenario}`, { model, tools: TOOLS, ...members });

/** Removes what differs between two calls with the same request. */
const settled = (response: Json): unknown =>
  JSON.parse(JSON.stringify(response), (name, value: unknown) =>
    ['id', 'call_id', 'created_at', 'encrypted_content', 'completed_at'].includes(name) ? null : value,
  );

describe.each(ROADS)('%s', (model) => {
  test.each(SCENARIOS)(
    '[R-38][R-39][R-40] %s: the stream has event names, sequence numbers and its first events',
    async (scenario) => {
      const stream = await streamed(stand, playing(model, scenario));
      expect(stream.reply.text).not.toContain('[DONE]');
      expectNumbers(stream);
      expectBeginning(stream);
    },
  );
  test.each(SCENARIOS)(
    '[R-41][R-46][R-37] %s: the stream has its items and its end, and folds to the whole answer',
    async (scenario) => {
      const stream = await streamed(stand, playing(model, scenario));
      expectItems(stream);
      expectEnd(stream);
      const { json } = await served(stand, playing(model, scenario));
      expect(settled(stream.response)).toEqual(settled(json));
    },
  );
  test('[R-42] text events come in order: part added, deltas, text done, part done', async () => {
    const stream = await streamed(stand, playing(model, 'unicode'));
    const at = stream.output.findIndex(({ type }) => type === 'message');
    expect(courseOf(stream, at)).toEqual([
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
    ]);
    const deltas = eventsAt(stream, 'response.output_text.delta');
    expect(deltas.length).toBeGreaterThan(1);
    expect(eventsAt(stream, 'response.output_text.done')[0]?.['text']).toBe(joined(deltas));
  });
  test('[R-45] the argument deltas of each call join to its arguments', async () => {
    const stream = await streamed(stand, playing(model, 'tools-parallel-interleaved'));
    const calls = stream.output.flatMap((item, at) => (item.type === 'function_call' ? [{ item, at }] : []));
    expect(calls.map(({ item }) => item['name'])).toEqual(['weather', 'clock', 'news']);
    for (const { item, at } of calls) {
      const own = eventsAt(stream, 'response.function_call_arguments.delta').filter(
        (event) => event['output_index'] === at,
      );
      expect(joined(own)).toBe(item['arguments']);
      expect(JSON.parse(joined(own))).toHaveProperty('city');
      const course = courseOf(stream, at);
      expect(course.slice(-2)).toEqual(['function_call_arguments.done', 'output_item.done']);
    }
  });
  test('[R-49] keep-alive comments come between frames, never inside one', async () => {
    const quiet = await streamed(
      stand,
      play('scenario=text-long words=2 fault=slow-drip split=150 drip=100', { model }),
    );
    expect(quiet.reply.text).toMatch(/(?:^|\n\n): ping\n\n/);
    expectEnd(quiet);
    const brisk = await streamed(stand, play('scenario=text-long words=2', { model }));
    expect(brisk.reply.text).not.toContain(': ping');
  });
  test.each([
    [503, 503],
    [500, 502],
    [429, 429],
    [504, 504],
  ])('[R-48] %d before the first event is HTTP %d', async (upstream, status) => {
    const reply = await post(stand, play(`status=${upstream}`, { model, stream: true }));
    expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'application/json']);
    expect(reply.json['error']).toMatchObject({ message: expect.any(String), param: null, code: expect.any(String) });
  });
  test('[R-48] an error as the first event has its HTTP status, too', async () => {
    const reply = await post(stand, play('fault=error-frame-first', { model, stream: true }));
    expect(reply.status).toBeGreaterThanOrEqual(500);
    expect(reply.json['error']).toMatchObject({ type: 'server_error' });
  });
  // A chat host that sends [DONE] has ended, with or without a finish reason.
  const endsWithout = model === CHAT || model === CHAT_THINKER ? [] : ['no-finish'];
  test.each(['error-frame-mid', 'reset-mid-stream', 'end-mid-stream', ...endsWithout])(
    '[R-47] %s gives an error event, then response.failed, and nothing after',
    async (fault) => {
      const { events, types, reply } = await streamed(
        stand,
        play(`scenario=text-long words=20 tps=50 fault=${fault} after=5`, { model }),
      );
      expect(joined(events.filter(({ type }) => type.endsWith('text.delta')))).toMatch(/\S/);
      expect(types.slice(-2)).toEqual(['error', 'response.failed']);
      expect(types.filter((type) => /error|completed$|incomplete|failed/.test(type))).toHaveLength(2);
      const [error, failed] = events.slice(-2);
      expect(error).toMatchObject({ code: expect.any(String), message: expect.any(String), param: null });
      expect(failed?.['response']).toMatchObject({
        id: `resp_${reply.headers.get('x-request-id')}`,
        status: 'failed',
        error: { code: 'server_error', message: error?.['message'] },
      });
      const numbers = events.map((event) => event.sequence_number);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    },
  );
});

describe('what streams hold', () => {
  test('[R-42] annotations come between the text deltas and the end of the text', async () => {
    const search = { tools: [{ type: 'web_search' }] };
    for (const model of [OWN, MESSAGES, GOOGLE]) {
      const stream = await streamed(stand, play('scenario=web-search', { model, ...search }));
      const notes = eventsAt(stream, 'response.output_text.annotation.added');
      expect(notes.length).toBeGreaterThan(0);
      for (const note of notes) {
        const part = stream.events.filter(
          (event) => event['output_index'] === note['output_index'] && event['content_index'] === note['content_index'],
        );
        expect(part[0]?.type).toBe('response.content_part.added');
        expect(part.slice(-2).map(({ type }) => type)).toEqual([
          'response.output_text.done',
          'response.content_part.done',
        ]);
        expect(part.slice(1, -2)).toContain(note);
      }
      const parts = stream.output.flatMap((item) => (item.type === 'message' ? (item['content'] as Json[]) : []));
      expect(notes.map(({ annotation }) => annotation)).toEqual(parts.flatMap((part) => part['annotations']));
    }
  });
  test.each([OWN, CHAT])('[R-43] a refusal of %s is streamed as refusal deltas', async (model) => {
    const stream = await streamed(stand, play('scenario=refusal', { model }));
    expect(courseOf(stream, 0)).toEqual([
      'output_item.added',
      'content_part.added',
      'refusal.delta',
      'refusal.done',
      'content_part.done',
      'output_item.done',
    ]);
    const words = joined(eventsAt(stream, 'response.refusal.delta'));
    expect(words).toMatch(/\S/);
    expect(eventsAt(stream, 'response.refusal.done')[0]?.['refusal']).toBe(words);
    expect(stream.output[0]?.['content']).toEqual([{ type: 'refusal', refusal: words }]);
  });
  const SUMMARY = [
    'output_item.added',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'output_item.done',
  ];
  const FULL = [
    'output_item.added',
    'content_part.added',
    'reasoning_text.delta',
    'reasoning_text.done',
    'content_part.done',
    'output_item.done',
  ];
  test.each<[string, Json, string[], boolean]>([
    [OWN_THINKER, { summary: 'auto' }, SUMMARY, true],
    [CHAT_THINKER, {}, FULL, false],
    [CHAT_THINKER, { summary: 'auto' }, SUMMARY, false],
    [MESSAGES, { effort: 'low', summary: 'auto' }, SUMMARY, true],
    [GOOGLE, { effort: 'low', summary: 'auto' }, SUMMARY, false],
  ])('[R-44] reasoning events of %s with %j come in order', async (model, reasoning, course, sealed) => {
    const stream = await streamed(stand, play('scenario=reasoning', { model, reasoning }));
    expect(stream.output[0]?.type).toBe('reasoning');
    expect(courseOf(stream, 0)).toEqual(course);
    const [done] = eventsAt(stream, 'response.output_item.done');
    expect(JSON.stringify(done).includes('"encrypted_content":"')).toBe(sealed);
    const words = joined(stream.events.filter(({ type }) => /reasoning.*\.delta$/.test(type)));
    expect(words).toMatch(/\S/);
    expect(JSON.stringify(stream.output[0])).toContain(JSON.stringify(words));
  });
});

describe('odd upstreams', () => {
  const ITEM = spoken('Hi') as Json;
  const upstreamEvents = (): Json[] => [
    { type: 'response.created', response: responseOf([], { status: 'in_progress', usage: null }) },
    { type: 'response.in_progress', response: responseOf([], { status: 'in_progress', usage: null }) },
    { type: 'response.output_item.added', output_index: 0, item: { ...ITEM, status: 'in_progress', content: [] } },
    { type: 'response.output_item.done', output_index: 0, item: ITEM },
    { type: 'response.completed', response: responseOf([ITEM]) },
  ];
  test('[R-38] event names are added for an upstream that sends none', async () => {
    canned.say(streamedAnswer(upstreamEvents().map((event, sequence_number) => ({ ...event, sequence_number }))));
    const stream = await streamed(canned, ask({ model: cannedModel('canned-responses') }));
    expect(stream.types).toEqual(upstreamEvents().map(({ type }) => type));
    expectNumbers(stream);
  });
  test('[R-45] custom tool calls are streamed as deltas', async () => {
    const custom = (members: Json) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...members }] }, finish_reason: null }],
    });
    canned.say(
      streamedAnswer([
        custom({ id: 'call_1', type: 'custom', custom: { name: 'shell', input: 'ls ' } }),
        custom({ custom: { input: '-l' } }),
        { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
        '[DONE]',
      ]),
    );
    const stream = await streamed(
      canned,
      ask({ model: cannedModel('canned-chat'), tools: [{ type: 'custom', name: 'shell' }] }),
    );
    expect(courseOf(stream, 0)).toEqual([
      'output_item.added',
      'custom_tool_call_input.delta',
      'custom_tool_call_input.done',
      'output_item.done',
    ]);
    expect(joined(eventsAt(stream, 'response.custom_tool_call_input.delta'))).toBe('ls -l');
    expect(stream.output[0]).toMatchObject({
      type: 'custom_tool_call',
      call_id: 'call_1',
      name: 'shell',
      input: 'ls -l',
    });
  });
  test('[R-50] a call with unreadable arguments is a failure', async () => {
    const body = playing(GOOGLE, 'malformed-call');
    const whole = await post(stand, body);
    expect(whole.status).toBe(502);
    expect(whole.json['error']).toMatchObject({ type: 'server_error' });
    canned.say(
      streamedAnswer([
        { candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Let me see' }] } }] },
        { candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason: 'MALFORMED_FUNCTION_CALL' }] },
      ]),
    );
    const { types } = await streamed(canned, ask({ model: cannedModel('canned-google'), tools: TOOLS }));
    expect(types).toContain('response.output_text.delta');
    expect(types.slice(-2)).toEqual(['error', 'response.failed']);
    expect(types).not.toContain('response.completed');
  });
});

describe('requests to upstreams', () => {
  const sentStreaming = async (members: Json): Promise<Json> => {
    await streamed(stand, ask(members));
    return stand.simulator.truth.last()?.body as Json;
  };
  const seen = (include_obfuscation: boolean): Json => ({ stream_options: { include_obfuscation } });
  test.each([{}, seen(true), seen(false), { stream_options: null }, { stream_options: {} }])(
    '[R-51] no padding is requested, whatever the caller sends: %j',
    async (members) => {
      expect((await sentStreaming(members))['stream_options']).toEqual({ include_obfuscation: false });
      const rebuilt = await sentStreaming({ ...members, input: [BARE_REASONING, user(inputText('Hello'))] });
      expect(rebuilt['stream_options']).toEqual({ include_obfuscation: false });
      expect((await served(stand, ask())).sent).not.toHaveProperty('stream_options');
    },
  );
  test('[R-51] include_obfuscation must be a boolean', async () => {
    const reply = await post(stand, ask({ stream: true, stream_options: { include_obfuscation: 'no' } }));
    expect([reply.status, (reply.json['error'] as Json)['param']]).toEqual([400, 'stream_options.include_obfuscation']);
  });
});
