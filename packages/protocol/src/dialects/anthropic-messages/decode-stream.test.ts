import { describe, expect, test } from 'vitest';
import type { Event } from '../../canonical/events.ts';
import { FAULT_KINDS } from '../../canonical/fault.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { EMIT_TOOL } from '../../passes/bind-output.ts';
import { fold } from '../../stream/fold.ts';
import { grammarProblem } from '../../stream/grammar.ts';
import { runToEnd } from '../dialect.fixture.ts';
import type { Frame } from '../dialect.ts';
import { decodeFault, encodeFault, streamFault } from './faults.ts';
import { anthropicMessages } from './index.ts';
import { messagesTarget } from './target.fixture.ts';

const target = messagesTarget();
const read = (frames: readonly Frame[]): Event[] => runToEnd(anthropicMessages.client.eventDecoder(target), frames);
const named = (...events: JsonObject[]): Frame[] =>
  events.map((event) => ({ event: String(event['type']), data: JSON.stringify(event) }));

describe('a stream from an upstream', () => {
  const start = {
    type: 'message_start',
    message: { id: 'm', model: 'x', usage: { input_tokens: 4, output_tokens: 1 } },
  };
  const text = (value: string): JsonObject[] => [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: value } },
    { type: 'content_block_stop', index: 0 },
  ];
  const done: JsonObject = {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 2 },
  };

  test.each<[string, JsonObject, JsonObject[], JsonObject]>([
    [
      'compaction',
      { type: 'compaction', content: null },
      [
        { type: 'compaction_delta', content: 'The user ' },
        { type: 'compaction_delta', content: 'greeted.' },
      ],
      { type: 'compaction', content: 'The user greeted.' },
    ],
    [
      'tool',
      { type: 'mystery', text: 'a', input: {} },
      [
        { type: 'text_delta', text: 'b' },
        { type: 'input_json_delta', partial_json: '{"c":' },
        { type: 'input_json_delta', partial_json: '1}' },
      ],
      { type: 'mystery', text: 'ab', input: { c: 1 } },
    ],
  ])('the pieces of a block of another type are put together: %s', (_name, content_block, deltas, wire) => {
    const block = [
      { type: 'content_block_start', index: 0, content_block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
      { type: 'content_block_stop', index: 0 },
    ];
    expect(fold(read(named(start, ...block, done, { type: 'message_stop' }))).candidates[0]?.blocks).toEqual([
      { kind: 'foreign', dialect: 'anthropic-messages', wire },
    ]);
  });

  test('pings and unknown events are ignored; usage is read in either place', () => {
    const inner = { type: 'message_delta', delta: { stop_reason: 'end_turn', usage: { output_tokens: 2 } } };
    for (const last of [done, inner]) {
      const events = read(
        named(
          start,
          { type: 'ping' },
          ...text('a'),
          { type: 'news' },
          last,
          { type: 'message_stop' },
          { type: 'ping' },
        ),
      );
      expect(grammarProblem(events)).toBeUndefined();
      expect(fold(events)).toMatchObject({
        id: 'm',
        usage: { prompt: 4, completion: 2 },
        candidates: [{ blocks: [{ text: 'a' }] }],
      });
    }
  });
  test('a repeated start changes nothing, a missing stop is tolerated, a missing finish is a fault', () => {
    expect(fold(read(named(start, start, ...text('a'), done))).candidates).toHaveLength(1);
    expect(read(named(start, ...text('a'))).at(-1)).toMatchObject({
      type: 'answer-fault',
      fault: { kind: 'upstream-broken' },
    });
    expect(read(named(start, ...text('a'), { type: 'message_stop' })).at(-1)).toMatchObject({ type: 'answer-fault' });
  });
  test('a stream cut anywhere never looks finished', () => {
    const whole = named(start, ...text('a'), done, { type: 'message_stop' });
    for (let cut = 0; cut < 5; cut++) {
      const events = read(whole.slice(0, cut));
      expect(grammarProblem(events), `cut at ${cut}`).toBeUndefined();
      expect(events.at(-1)?.type).toBe('answer-fault');
    }
  });
  test('errors become faults, with or without the event line', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } };
    expect(read([{ event: 'error', data: JSON.stringify(error) }])).toEqual([
      expect.objectContaining({ fault: expect.objectContaining({ kind: 'upstream-overloaded' }) }),
    ]);
    expect(read([{ data: JSON.stringify(error) }])).toHaveLength(1);
    expect(read([{ event: 'message_start', data: '{' }])).toMatchObject([{ fault: { kind: 'upstream-broken' } }]);
  });
  test('what a host puts into the start of a block is part of it', () => {
    const whole = (index: number, content_block: JsonObject): JsonObject[] => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ];
    const events = read(
      named(
        start,
        ...whole(0, { type: 'thinking', thinking: 'hm', signature: 'S' }),
        ...whole(1, { type: 'text', text: 'so' }),
        ...whole(2, { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } }),
        done,
      ),
    );
    expect(fold(events).candidates[0]).toMatchObject({
      blocks: [
        { kind: 'thinking', text: 'hm', seal: { data: 'S' } },
        { kind: 'text', text: 'so' },
        { kind: 'tool-call', argumentsJson: '{"a":1}' },
      ],
      finish: { reason: 'tool-call' },
    });
  });
  test('a search without a result ends where the next block starts', () => {
    const call = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
    const events = read(
      named(
        start,
        { type: 'content_block_start', index: 1, content_block: call },
        { type: 'content_block_stop', index: 1 },
        ...text('a'),
        done,
      ),
    );
    expect(grammarProblem(events)).toBeUndefined();
    expect(fold(events).candidates[0]?.blocks).toMatchObject([{ kind: 'server-tool' }, { kind: 'text', text: 'a' }]);
  });
  test.each([
    ['tool_use', [], 'stop'],
    ['max_tokens', [], 'length'],
    ['tool_use', [{ type: 'tool_use', id: 'c', name: 'f', input: {} }], 'tool-call'],
  ])('a structured answer by a tool that ends with %s and the calls %j ends with %s', (stop_reason, calls, reason) => {
    const answer = { type: 'tool_use', id: 'x', name: EMIT_TOOL, input: { n: 3 } };
    const events = read(
      named(
        start,
        ...[answer, ...calls].flatMap((content_block, index) => [
          { type: 'content_block_start', index, content_block },
          { type: 'content_block_stop', index },
        ]),
        { type: 'message_delta', delta: { stop_reason } },
      ),
    );
    const [candidate] = fold(events).candidates;
    expect(candidate?.blocks[0]).toEqual({ kind: 'text', text: '{"n":3}' });
    expect(candidate?.finish).toEqual({ reason, raw: stop_reason });
  });
  test('a result of a call in an earlier turn is kept unchanged', () => {
    const result = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_0', content: [] };
    const events = read(
      named(
        start,
        { type: 'content_block_start', index: 0, content_block: result },
        { type: 'content_block_stop', index: 0 },
        done,
      ),
    );
    expect(fold(events).candidates[0]?.blocks).toEqual([
      { kind: 'foreign', dialect: 'anthropic-messages', wire: result },
    ]);
  });
});

describe('faults', () => {
  test('a stream has four error types', () => {
    const words = FAULT_KINDS.map((kind) => {
      const [line, json] = streamFault({ kind, message: 'm' }).split('\n');
      expect(line).toBe('event: error');
      const body: { error: { type: string }; type: string } = JSON.parse(json?.slice('data: '.length) ?? '');
      expect(Object.keys(body)).toEqual(['type', 'error']);
      return body.error.type;
    });
    expect(new Set(words)).toEqual(
      new Set(['invalid_request_error', 'authentication_error', 'rate_limit_error', 'api_error']),
    );
    expect(streamFault({ kind: 'upstream-overloaded', message: 'm' })).toContain('api_error');
    expect(encodeFault({ kind: 'upstream-overloaded', message: 'm' }, 'r')).toMatchObject({
      status: 529,
      body: { request_id: 'r' },
    });
  });
  test.each([
    ['invalid_request_error', 'refused'],
    ['request_too_large', 'refused'],
    ['rate_limit_error', 'upstream-over-rate'],
    ['overloaded_error', 'upstream-overloaded'],
    ['timeout_error', 'upstream-timeout'],
    ['validationException', 'refused'],
    ['throttlingException', 'upstream-over-rate'],
    ['modelTimeoutException', 'upstream-timeout'],
    ['serviceUnavailableException', 'upstream-overloaded'],
    ['api_error', 'upstream-broken'],
    ['news', 'upstream-broken'],
  ])('the error %s inside a stream is %s', (type, kind) => {
    expect(read(named({ type: 'error', error: { type, message: 'm' } }))).toMatchObject([{ fault: { kind } }]);
  });
  test('failures between gateway and upstream are not reported as the caller’s', () => {
    const body = (type: string, message = 'secret') => ({ type: 'error', error: { type, message } });
    expect(decodeFault(401, body('authentication_error')).kind).toBe('upstream-broken');
    expect(decodeFault(400, body('invalid_request_error', 'Your credit balance is too low')).kind).toBe(
      'upstream-overloaded',
    );
    expect(decodeFault(400, body('invalid_request_error', 'max_tokens: too big'))).toMatchObject({
      kind: 'refused',
      message: 'max_tokens: too big',
    });
    expect(decodeFault(529, undefined).kind).toBe('upstream-overloaded');
    expect(JSON.stringify(decodeFault(403, body('permission_error')))).not.toContain('secret');
  });
});
