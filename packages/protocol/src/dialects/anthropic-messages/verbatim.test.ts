import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { LearntFrame } from '../../framing/learnt-frame.ts';
import { spliceText } from '../../framing/splice.fixture.ts';
import { fold } from '../../stream/fold.ts';
import { runToEnd, USAGE_WANTED } from '../dialect.fixture.ts';
import type { AnswerContext, Frame, Reading, ResponseOptions } from '../dialect.ts';
import { anthropicMessages } from './index.ts';
import { messagesTarget as facts } from './target.fixture.ts';

const DEPTH = 64;
const context = (responseOptions: Partial<ResponseOptions> = {}): AnswerContext => ({
  requestId: 'r1',
  model: 'anthropic/m',
  createdAtSeconds: 1,
  responseOptions: { ...USAGE_WANTED, ...responseOptions },
  sealing: {
    wrap: ({ data }) => `ENV(${data})`,
    unwrap: () => undefined,
    isEnvelope: (text) => text.startsWith('ENV'),
  },
});
const body = (more: JsonObject): JsonObject => ({
  model: 'a/m',
  max_tokens: 2000,
  messages: [{ role: 'user', content: 'hi' }],
  ...more,
});
const request = (more: JsonObject, target = facts()) =>
  anthropicMessages.server.understand(body(more)).verbatim(target);
const edited = (more: JsonObject, target = facts()): JsonObject => {
  const result = request(more, target);
  if ('why' in result) throw new Error(result.why);
  return JSON.parse(spliceText(JSON.stringify(body(more)), result.edits, DEPTH));
};
const adaptive = {
  maxOutputTokens: 5000,
  thinking: { kind: 'adaptive', canDisable: true, levels: ['low', 'medium', 'high', 'max'] },
} as const;

describe('a request for its own dialect', () => {
  test('keeps every character except the model', () => {
    const text =
      '{"model": "a/m","max_tokens":20, "messages":[{"role":"user","content":[{"type":"text","text":"é","n":1.0}]}], "foo": 1e3}';
    const result = anthropicMessages.server.understand(JSON.parse(text)).verbatim(facts());
    if ('why' in result) throw new Error(result.why);
    expect(spliceText(text, result.edits, DEPTH)).toBe(text.replace('a/m', 'up'));
  });
  test('hints and nulls are removed', () => {
    expect(edited({ metadata: { user_id: 'u' }, service_tier: 'auto', temperature: null })).toEqual({
      ...body({}),
      model: 'up',
    });
  });
  test('consecutive messages of one role are merged', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'user', content: [{ type: 'text', text: 'b' }] },
    ];
    expect(edited({ messages })['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
  });
  test('an output limit above the model’s, and thinking on a model without it, are refused', () => {
    expect(() => request({ max_tokens: 10_001 })).toThrow(/at most 10000/);
    expect(() =>
      request(
        { thinking: { type: 'enabled', budget_tokens: 1024 } },
        facts({ thinking: { kind: 'none', canDisable: false, levels: [] } }),
      ),
    ).toThrow(/thinking/);
  });
  test('thinking is written in the form the model supports', () => {
    const enabled = { thinking: { type: 'enabled', budget_tokens: 1500 } };
    expect(edited(enabled)['thinking']).toEqual(enabled.thinking);
    expect(edited(enabled, facts(adaptive))).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'medium' },
    });
    expect(request(enabled, facts(adaptive))).toMatchObject({
      losses: [{ field: 'reasoning.budgetTokens', why: 'approximated' }],
    });
    expect(edited({ thinking: { type: 'adaptive' } }, facts())['thinking']).toMatchObject({ type: 'enabled' });
  });
  test('sampling is dropped for models without it, and the default is no loss', () => {
    const fixed = facts({ temperature: false });
    expect(edited({ temperature: 0.5, top_k: 3 }, fixed)).toEqual({ ...body({}), model: 'up' });
    expect(request({ temperature: 1, top_p: 0.5 }, fixed)).toMatchObject({ losses: [{ field: 'sampling.topP' }] });
  });
  test('version, betas and streaming are written where the host reads them', () => {
    const cloud = facts({}, { bodyVersion: 'cloud-1', streamMember: false, bodyBetas: true });
    const headers: Record<string, string> = { 'anthropic-version': '2023-06-01' };
    const sent = (target = cloud) => {
      const result = anthropicMessages.server
        .understand(body({ stream: true }), { header: (name) => headers[name] })
        .verbatim(target);
      if ('why' in result) throw new Error(result.why);
      return JSON.parse(spliceText(JSON.stringify(body({ stream: true })), result.edits, DEPTH));
    };
    const { model: _, ...rest } = body({});
    expect(sent()).toEqual({ ...rest, anthropic_version: 'cloud-1' });
    headers['anthropic-beta'] = 'context-1m-2025-08-07';
    expect(sent()).toEqual({ ...rest, anthropic_version: 'cloud-1', anthropic_beta: ['context-1m-2025-08-07'] });
    expect(sent(facts())).toEqual({ ...rest, model: 'up', stream: true });
  });
  test('a request with unsupported features is rebuilt', () => {
    const image = {
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://a/b' } }] }],
    };
    expect(request(image, facts({}, { fetchesUrls: false }))).toHaveProperty('why');
    expect(request(image)).toHaveProperty('edits');
    expect(
      request(
        {
          messages: [
            { role: 'user', content: 'q' },
            { role: 'assistant', content: 'a' },
          ],
        },
        facts({}, { prefill: false }),
      ),
    ).toHaveProperty('why');
  });
});

const passed = (data: string, reading: Reading): string => {
  if (reading.patch.kind !== 'pass') throw new Error('dropped');
  return spliceText(data, reading.patch.edits, DEPTH);
};
const whole = (wire: JsonObject, responseOptions: Partial<ResponseOptions> = {}, target = facts()): JsonObject =>
  JSON.parse(passed(JSON.stringify(wire), anthropicMessages.verbatim.answer(wire, context(responseOptions), target)));

describe('a complete answer', () => {
  const wire: JsonObject = {
    id: 'msg_up',
    type: 'message',
    role: 'assistant',
    model: 'up',
    content: [{ type: 'text', text: 'x', news: 1 }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 2, inference_geo: 'eu' },
    container: null,
  };
  test('gets the gateway’s id and model and full usage, and keeps the rest', () => {
    expect(whole(wire)).toEqual({
      ...wire,
      id: 'msg_r1',
      model: 'anthropic/m',
      usage: {
        input_tokens: 1,
        output_tokens: 2,
        inference_geo: 'eu',
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
        server_tool_use: { web_search_requests: 0 },
        service_tier: 'standard',
      },
    });
  });
  test('a complete answer has one of the six stop reasons', () => {
    expect(whole({ ...wire, stop_reason: 'model_context_window_exceeded', stop_sequence: 'x' })).toMatchObject({
      stop_reason: 'max_tokens',
      stop_sequence: null,
    });
    expect(whole({ ...wire, content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] })).toMatchObject({
      stop_reason: 'tool_use',
    });
  });
  test('a complete answer has at most one call', () => {
    const call = { type: 'tool_use', id: 'a', name: 'f', input: {} };
    expect(whole({ ...wire, content: [call, call] }, { oneToolCall: true })['content']).toEqual([call]);
  });
  test('state of another host is sent in envelopes', () => {
    const content = [
      { type: 'thinking', thinking: 't', signature: 'S' },
      { type: 'redacted_thinking', data: 'D' },
      { type: 'text', text: 'x', citations: [{ type: 'web_search_result_location', encrypted_index: 'I' }] },
    ];
    expect(whole({ ...wire, content })['content']).toEqual(content);
    expect(JSON.stringify(whole({ ...wire, content }, {}, facts({}, {}, 'minimax'))['content'])).toBe(
      JSON.stringify(content).replace('"S"', '"ENV(S)"').replace('"D"', '"ENV(D)"').replace('"I"', '"ENV(I)"'),
    );
  });
});

const stream = (frames: readonly Frame[], responseOptions: Partial<ResponseOptions> = {}, target = facts()) => {
  const lane = anthropicMessages.verbatim.frames(context(responseOptions), target);
  const out: Frame[] = [];
  for (const frame of frames) {
    const reading = lane.read(frame);
    if (reading.fault !== undefined) return { out, fault: reading.fault };
    if (reading.patch.kind === 'drop') continue;
    out.push(...(reading.before ?? []));
    const event = reading.event ?? frame.event;
    out.push({ ...(event !== undefined && { event }), data: passed(frame.data, reading) });
    if (reading.last === true) break;
  }
  const { frames: rest, fault } = lane.end();
  return { out: [...out, ...rest], fault };
};
const frame = (event: JsonObject, name: string | undefined = String(event['type'])): Frame => ({
  ...(name !== '' && { event: name }),
  data: JSON.stringify(event),
});
const start = frame({
  type: 'message_start',
  message: {
    id: 'up',
    type: 'message',
    role: 'assistant',
    model: 'up',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 9, cache_read_input_tokens: 4, output_tokens: 1 },
  },
});
const block = (index: number, content_block: JsonObject, ...deltas: JsonObject[]): Frame[] => [
  frame({ type: 'content_block_start', index, content_block }),
  ...deltas.map((delta) => frame({ type: 'content_block_delta', index, delta })),
  frame({ type: 'content_block_stop', index, extra: 1 }),
];
const finish = (stop_reason: string): Frame[] => [
  frame({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } }),
  frame({ type: 'message_stop', metrics: {} }),
];
const parsed = (frames: readonly Frame[]): JsonObject[] => frames.map(({ data }) => JSON.parse(data));

describe('a stream', () => {
  test('text is counted at the start of a block, and also if it is not sent to the caller', () => {
    const lane = anthropicMessages.verbatim.frames(context({ oneToolCall: true }), facts());
    const counts = [
      start,
      ...block(0, { type: 'text', text: 'Hello' }, { type: 'text_delta', text: ' there' }),
      ...block(
        1,
        { type: 'tool_use', id: 'a', name: 'f', input: {} },
        { type: 'input_json_delta', partial_json: '{}' },
      ),
      ...block(
        2,
        { type: 'tool_use', id: 'b', name: 'f', input: {} },
        { type: 'input_json_delta', partial_json: '{"a":1}' },
      ),
    ].map((each) => lane.read(each).producedCharacters ?? 0);
    expect(counts.filter((count) => count > 0)).toEqual([5, 6, 2, 7]);
    const whole = anthropicMessages.verbatim.frames(context(), facts());
    whole.read(start);
    const [began] = block(0, { type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } });
    expect(whole.read(began!)).toMatchObject({ producedCharacters: 7 });
  });

  const text = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'hello' });
  test('frames are edited as the table says', () => {
    const { out, fault } = stream([start, frame({ type: 'ping' }), ...text, ...finish('end_turn')]);
    expect(fault).toBeUndefined();
    const events = parsed(out);
    expect(events[0]).toMatchObject({
      message: {
        id: 'msg_r1',
        model: 'anthropic/m',
        usage: { input_tokens: 9, output_tokens: 0, cache_read_input_tokens: 4 },
      },
    });
    expect(events.slice(1, 5)).toEqual([
      { type: 'ping' },
      ...parsed(text).slice(0, 2),
      { type: 'content_block_stop', index: 0 },
    ]);
    expect(events[5]).toMatchObject({
      delta: { stop_reason: 'end_turn', usage: { output_tokens: 7 } },
      usage: { input_tokens: 9, output_tokens: 7, cache_read_input_tokens: 4, cache_creation_input_tokens: 0 },
    });
    expect(events[6]).toEqual({ type: 'message_stop' });
  });
  test('text deltas can be learnt, and a learnt frame gives the same result as a parsed one', () => {
    const lane = anthropicMessages.verbatim.frames(context(), facts());
    lane.read(start);
    lane.read(text[0] ?? start);
    const piece = text[1]?.data ?? '';
    const reading = lane.read({ event: 'content_block_delta', data: piece });
    const learnt = LearntFrame.learn(
      piece,
      passed(piece, reading),
      reading.hole?.text ?? '',
      reading.hole?.copies ?? 0,
    );
    const next = piece.replace('hello', ' world');
    expect(learnt?.rewrite(next)).toBe(passed(next, lane.read({ event: 'content_block_delta', data: next })));
    expect(learnt?.rewrite(next.replace('"index":0', '"index":1'))).toBeUndefined();
  });
  test('frames without an event name get one', () => {
    const bare = [start, ...text, ...finish('end_turn')].map(({ data }) => ({ data }));
    const { out } = stream(bare);
    expect(out.map(({ event }) => event)).toEqual(parsed(out).map((event) => event['type']));
  });
  test('events the host omitted are added', () => {
    const { out } = stream([
      start,
      ...block(0, { type: 'thinking', thinking: '' }),
      ...block(1, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
      ...finish('end_turn'),
    ]);
    expect(parsed(out).slice(1, 8)).toEqual([
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'ENV()' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '' } },
      { type: 'content_block_stop', index: 1 },
    ]);
    expect(parsed(out).at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });
  test('further calls are removed and the rest is renumbered', () => {
    const call = { type: 'tool_use', id: 'a', name: 'f', input: {} };
    const { out } = stream(
      [
        start,
        ...block(0, call),
        ...block(1, call),
        ...block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'x' }),
        ...finish('tool_use'),
      ],
      { oneToolCall: true },
    );
    expect(
      parsed(out)
        .filter((event) => event['type'] === 'content_block_start')
        .map((event) => event['index']),
    ).toEqual([0, 1]);
    expect(
      parsed(out)
        .filter((event) => event['type'] === 'content_block_stop')
        .map((event) => event['index']),
    ).toEqual([0, 1]);
  });
  test('state of another host is sent in envelopes', () => {
    const frames = [
      start,
      ...block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 't' },
        { type: 'signature_delta', signature: 'S' },
      ),
      ...finish('end_turn'),
    ];
    expect(JSON.stringify(stream(frames, {}, facts({}, {}, 'minimax')).out)).toContain('ENV(S)');
    expect(JSON.stringify(stream(frames).out)).not.toContain('ENV');
  });
  test('a cut or an error never looks finished', () => {
    const frames = [start, ...text, ...finish('end_turn')];
    for (let cut = 0; cut < 5; cut++) {
      const { out, fault } = stream(frames.slice(0, cut));
      expect(fault).toBeDefined();
      expect(parsed(out).some((event) => event['type'] === 'message_stop')).toBe(false);
    }
    const { fault } = stream([start, frame({ type: 'error', error: { type: 'overloaded_error', message: 'x' } })]);
    expect(fault?.kind).toBe('upstream-overloaded');
  });
  test('a second start with another id ends the answer, a repeated one changes nothing', () => {
    const begun = (message: JsonObject): Frame => frame({ type: 'message_start', message });
    const rest = [...text, ...finish('end_turn')];
    expect(stream([start, begun({ id: 'another' }), ...rest]).fault?.message).toContain('began another answer');
    const once = stream([start, ...rest]);
    expect(once.fault).toBeUndefined();
    for (const second of [start, begun({ id: '' }), begun({})]) expect(stream([start, second, ...rest])).toEqual(once);
    expect(stream([begun({}), begun({ id: 'late' }), ...rest]).fault).toBeUndefined();
  });
  test('a missing stop is added', () =>
    expect(parsed(stream([start, ...text, finish('end_turn')[0] ?? start]).out).at(-1)).toEqual({
      type: 'message_stop',
    }));

  test('metering agrees with the full decoder', () => {
    const frames = [start, ...text, ...finish('end_turn')];
    const lane = anthropicMessages.verbatim.frames(context(), facts());
    const metered = Object.assign({}, ...frames.map((each) => lane.read(each).usage ?? {}));
    const decoder = anthropicMessages.client.eventDecoder(facts());
    const events = runToEnd(decoder, frames);
    expect(metered).toEqual(fold(events).usage);
  });
});
