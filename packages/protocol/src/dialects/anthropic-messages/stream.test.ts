import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TextAnswer } from '../../canonical/answer.ts';
import type { Block } from '../../canonical/content.ts';
import { type Event, FINISH_REASONS } from '../../canonical/events.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { fold } from '../../stream/fold.ts';
import { grammarProblem } from '../../stream/grammar.ts';
import { unfold } from '../../stream/unfold.ts';
import { runToEnd, USAGE_WANTED } from '../dialect.fixture.ts';
import type { AnswerContext, Frame, ResponseOptions } from '../dialect.ts';
import { anthropicMessages } from './index.ts';
import { messagesTarget } from './target.fixture.ts';

const target = messagesTarget();
const { sealOwner: owner } = target;
const context = (responseOptions: Partial<ResponseOptions> = {}): AnswerContext => ({
  requestId: 'r1',
  model: 'anthropic/m',
  createdAtSeconds: 1,
  responseOptions: { ...USAGE_WANTED, ...responseOptions },
});
const write = (events: readonly Event[], responseOptions: Partial<ResponseOptions> = {}): Frame[] =>
  runToEnd(anthropicMessages.server.eventEncoder(context(responseOptions)), events);
const read = (frames: readonly Frame[]): Event[] => runToEnd(anthropicMessages.client.eventDecoder(target), frames);
const data = (frames: readonly Frame[]): JsonObject[] => frames.map((frame) => JSON.parse(frame.data));
const answer = (blocks: readonly Block[], more: Partial<TextAnswer> = {}): TextAnswer => ({
  id: 'msg_r1',
  model: 'anthropic/m',
  candidates: [{ blocks, finish: { reason: 'stop', raw: 'end_turn' } }],
  usage: { prompt: 3, inputCacheRead: 0, inputCacheWrite5Min: 0, inputCacheWrite1H: 0, completion: 5, webSearch: 0 },
  ...more,
});
const toolCall: Block = { kind: 'tool-call', id: 'toolu_1', name: 'f', form: 'function', argumentsJson: '{"a":1}' };
const search: Block = {
  kind: 'server-tool',
  id: 'srvtoolu_1',
  name: 'web_search',
  argumentsJson: '{"query":"q"}',
  result: { content: [{ type: 'web_search_result', url: 'u', title: 't', encrypted_content: 'E' }] },
  extras: { 'anthropic-messages': { resultType: 'web_search_tool_result' } },
};
const everything: Block[] = [
  { kind: 'thinking', text: 'hm', form: 'full', seal: { owner, kind: 'signature', data: 'S' } },
  { kind: 'redacted', seal: { owner, kind: 'sealed', data: 'R' } },
  search,
  {
    kind: 'text',
    text: 'so',
    citations: [{ kind: 'web', url: 'u', title: 't', quote: 'q', seal: { owner, kind: 'cite', data: 'I' } }],
  },
  { kind: 'foreign', dialect: 'anthropic-messages', wire: { type: 'mystery', x: 1 } },
  toolCall,
];

describe('a stream for a caller', () => {
  const frames = write(
    unfold(answer(everything, { candidates: [{ blocks: everything, finish: { reason: 'tool-call' } }] })),
  );
  const events = data(frames);

  test('every frame is named, in order, and nothing follows the stop', () => {
    expect(frames.every((frame, at) => frame.event === events[at]?.['type'])).toBe(true);
    const types = events.map((event) => event['type']);
    expect([types[0], ...types.slice(-2)]).toEqual(['message_start', 'message_delta', 'message_stop']);
    expect(events.at(-1)).toEqual({ type: 'message_stop' });
  });
  test('blocks follow one another, each with a delta if its type has one', () => {
    let open: number | undefined;
    let next = 0;
    let deltas = 0;
    let type: unknown;
    for (const event of events) {
      if (event['type'] === 'content_block_start') {
        expect(open).toBeUndefined();
        expect(event['index']).toBe(next++);
        open = next - 1;
        deltas = 0;
        type = (event['content_block'] as JsonObject)['type'];
      } else if (event['type'] === 'content_block_delta') {
        expect(event['index']).toBe(open);
        deltas++;
      } else if (event['type'] === 'content_block_stop') {
        expect(event).toEqual({ type: 'content_block_stop', index: open });
        if (['text', 'thinking', 'tool_use', 'server_tool_use'].includes(String(type)))
          expect(deltas).toBeGreaterThan(0);
        open = undefined;
      }
    }
    expect(next).toBe(7);
  });
  test('the start is empty', () => {
    expect(events[0]?.['message']).toMatchObject({
      id: 'msg_r1',
      type: 'message',
      role: 'assistant',
      model: 'anthropic/m',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { output_tokens: 0 },
    });
    expect(
      events.filter((event) => event['type'] === 'content_block_start').map((event) => event['content_block']),
    ).toMatchObject([
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'redacted_thinking', data: 'R' },
      { type: 'server_tool_use', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1' },
      { type: 'text', text: '' },
      { type: 'mystery', x: 1 },
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
    ]);
  });
  test('one signature, last in its block', () => {
    const deltas = events
      .filter((event) => event['index'] === 0 && event['type'] === 'content_block_delta')
      .map((event) => (event['delta'] as JsonObject)['type']);
    expect(deltas).toEqual(['thinking_delta', 'signature_delta']);
  });
  test('usage is in both places', () => {
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'tool_use', stop_sequence: null, usage: { output_tokens: 5 } },
      usage: { input_tokens: 3, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    });
  });
  test('input counted at the start is reported at the start', () => {
    const [start] = data(
      write([
        { type: 'answer-start', id: '', model: '' },
        { type: 'usage-update', usage: { prompt: 7 } },
        { type: 'answer-end', candidate: 0, finish: { reason: 'stop' } },
      ]),
    );
    expect(start?.['message']).toMatchObject({ usage: { input_tokens: 7, output_tokens: 0 } });
  });
  test('interleaved calls are sent one after the other, and a stop after them is tool_use', () => {
    const open = (index: number): Event => ({
      type: 'block-start',
      index,
      candidate: 0,
      block: { kind: 'tool-call', id: `c${index}`, name: 'f', form: 'function' },
    });
    const piece = (index: number, text: string): Event => ({ type: 'block-delta', index, text });
    const given: Event[] = [
      { type: 'answer-start', id: '', model: '' },
      open(0),
      piece(0, '{"a"'),
      open(1),
      piece(1, '{"b"'),
      piece(0, ':1}'),
      piece(1, ':2}'),
      { type: 'block-end', index: 0 },
      { type: 'block-end', index: 1 },
      { type: 'answer-end', candidate: 0, finish: { reason: 'stop' } },
    ];
    const decoded = read(write(given));
    expect(grammarProblem(decoded)).toBeUndefined();
    expect(fold(decoded).candidates[0]).toMatchObject({
      blocks: [
        { id: 'c0', argumentsJson: '{"a":1}' },
        { id: 'c1', argumentsJson: '{"b":2}' },
      ],
      finish: { reason: 'tool-call' },
    });
    expect(fold(read(write(given, { oneToolCall: true }))).candidates[0]?.blocks).toHaveLength(1);
  });
  test('at most one call, also in a complete answer, and the rest is reported', () => {
    const both = answer([toolCall, { ...toolCall, id: 'toolu_2' }]);
    const { body, losses } = anthropicMessages.server.encodeAnswer(both, context({ oneToolCall: true }));
    expect(body['content']).toHaveLength(1);
    expect(losses).toEqual([{ path: 'content.tool_use', why: 'no-equivalent' }]);
  });
  test('a block without a delta gets an empty one', () => {
    const events = data(
      write(
        unfold(
          answer([
            { ...toolCall, argumentsJson: '' },
            { kind: 'thinking', text: '', form: 'full' },
          ]),
        ),
      ),
    );
    expect(events.filter((event) => event['type'] === 'content_block_delta').map((event) => event['delta'])).toEqual([
      { type: 'input_json_delta', partial_json: '' },
      { type: 'thinking_delta', thinking: '' },
      { type: 'signature_delta', signature: '' },
    ]);
  });
  test('empty text before the first piece is not sent, and a block of nothing but a signature neither', () => {
    const text = (index: number, ...events: Event[]): Event[] => [
      { type: 'block-start', index, candidate: 0, block: { kind: 'text' } },
      { type: 'block-delta', index, text: '' },
      ...events,
      { type: 'block-end', index },
    ];
    const events = data(
      write([
        { type: 'answer-start', id: '', model: '' },
        ...text(0, { type: 'block-delta', index: 0, text: 'a' }, { type: 'block-delta', index: 0, text: 'b' }),
        ...text(1, { type: 'block-seal', index: 1, seal: { owner, kind: 'carry', data: 'G' } }),
        { type: 'answer-end', candidate: 0, finish: { reason: 'stop' } },
      ]),
    );
    expect(events.slice(1, -2)).toEqual([
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'b' } },
      { type: 'content_block_stop', index: 0 },
    ]);
  });
  test('an answer that ends in an unreadable call is a failure, not a stop', () => {
    const types = data(
      write(unfold(answer([], { candidates: [{ blocks: [], finish: { reason: 'bad-tool-call' } }] }))),
    ).map((event) => event['type']);
    expect(types).toEqual(['message_start', 'error']);
  });
});

describe('stream and complete answer agree', () => {
  const asOne = (given: TextAnswer): JsonObject =>
    JSON.parse(JSON.stringify(anthropicMessages.server.encodeAnswer(given, context()).body));
  const blocks = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('text' as const), text: fc.string({ minLength: 1, unit: 'grapheme' }) }),
      fc.constantFrom<Block>(...everything),
      fc.record({
        kind: fc.constant('thinking' as const),
        text: fc.string(),
        form: fc.constant('full' as const),
        seal: fc.constant({ owner, kind: 'signature' as const, data: 'S' }),
      }),
    ),
    { maxLength: 8 },
  );
  test('every answer decodes the same from both, in valid grammar', () => {
    fc.assert(
      fc.property(
        blocks,
        fc.constantFrom(...FINISH_REASONS.filter((reason) => reason !== 'bad-tool-call')),
        (content, reason) => {
          const given = answer(content, { candidates: [{ blocks: content, finish: { reason } }] });
          const decoded = read(write(unfold(given)));
          expect(grammarProblem(decoded)).toBeUndefined();
          expect(fold(decoded)).toEqual(anthropicMessages.client.decodeAnswer(asOne(given), target));
        },
      ),
    );
  });
  test('an answer of an upstream of this dialect is restored completely', () => {
    const given = answer(everything, {
      candidates: [{ blocks: everything, finish: { reason: 'tool-call', raw: 'tool_use' } }],
    });
    expect(anthropicMessages.client.decodeAnswer(asOne(given), target)).toEqual(given);
  });
});

describe('a complete answer for a caller', () => {
  const encode = (given: TextAnswer) => anthropicMessages.server.encodeAnswer(given, context()).body;
  test('the members around the content', () => {
    expect(encode(answer([{ kind: 'text', text: 'x' }]))).toMatchObject({
      id: 'msg_r1',
      type: 'message',
      role: 'assistant',
      model: 'anthropic/m',
      content: [{ type: 'text', text: 'x' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
    });
  });
  test('usage', () => {
    const usage = {
      prompt: 60,
      inputCacheRead: 40,
      inputCacheWrite5Min: 2,
      inputCacheWrite1H: 3,
      completion: 4,
      internalReasoning: 6,
      webSearch: 2,
    };
    expect(encode(answer([], { usage }))['usage']).toEqual({
      input_tokens: 60,
      output_tokens: 10,
      cache_creation_input_tokens: 5,
      cache_read_input_tokens: 40,
      cache_creation: { ephemeral_1h_input_tokens: 3, ephemeral_5m_input_tokens: 2 },
      server_tool_use: { web_search_requests: 2 },
      service_tier: 'standard',
      output_tokens_details: { thinking_tokens: 6 },
    });
  });
  test('every finish reason maps to one of the six stop reasons', () => {
    const word = (reason: (typeof FINISH_REASONS)[number]) =>
      encode(answer([], { candidates: [{ blocks: [], finish: { reason, stopMatched: 'END' } }] }))['stop_reason'];
    const words = FINISH_REASONS.filter((reason) => reason !== 'bad-tool-call').map(word);
    expect(new Set(words)).toEqual(
      new Set(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn', 'refusal']),
    );
    expect(
      encode(answer([], { candidates: [{ blocks: [], finish: { reason: 'stop-sequence', stopMatched: 'END' } }] })),
    ).toMatchObject({ stop_sequence: 'END' });
  });
  test('the content of the answer corrects a plain stop; a blocked prompt is a refusal', () => {
    expect(encode(answer([toolCall]))['stop_reason']).toBe('tool_use');
    expect(encode(answer([{ kind: 'refusal', text: 'no' }]))).toMatchObject({
      stop_reason: 'refusal',
      content: [{ type: 'text', text: 'no' }],
    });
    expect(encode(answer([], { candidates: [], promptBlocked: { reason: 'x' } }))).toMatchObject({
      stop_reason: 'refusal',
      content: [],
    });
  });
  test('seals of other owners are sent in envelopes, or not at all', () => {
    const seal = { owner: { dialect: 'google-generate', family: 'gemini' }, kind: 'carry', data: 'G' } as const;
    const given = answer([{ ...toolCall, seal }]);
    const bare = anthropicMessages.server.encodeAnswer(given, context());
    expect(JSON.stringify(bare.body)).not.toContain('"G"');
    expect(bare.losses).toEqual([{ path: 'content.redacted_thinking', why: 'foreign-seal' }]);
    const sealing = { wrap: () => 'ENV', unwrap: () => undefined, isEnvelope: () => false };
    const sealed = anthropicMessages.server.encodeAnswer(given, { ...context(), sealing });
    expect(sealed.body['content']).toMatchObject([{ type: 'redacted_thinking', data: 'ENV' }, { type: 'tool_use' }]);
  });
});
