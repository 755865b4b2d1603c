import { describe, expect, test } from 'vitest';
import type { TextAnswer } from '../../canonical/answer.ts';
import type { Block } from '../../canonical/content.ts';
import type { Event, Finish, OpenBlock } from '../../canonical/events.ts';
import { arrayAt, type JsonObject } from '../../canonical/json.ts';
import type { SealOwner } from '../../canonical/sealed.ts';
import { fold } from '../../stream/fold.ts';
import { grammarProblem } from '../../stream/grammar.ts';
import { unfold } from '../../stream/unfold.ts';
import { runToEnd, USAGE_WANTED } from '../dialect.fixture.ts';
import type { AnswerContext, Frame, ResponseOptions } from '../dialect.ts';
import { openaiResponses } from './index.ts';
import { responsesTarget } from './target.fixture.ts';

const target = responsesTarget();
const { sealOwner: OWNER } = target;
const context = (responseOptions: Partial<ResponseOptions> = {}): AnswerContext => ({
  requestId: 'r1',
  model: 'o/m',
  createdAtSeconds: 7,
  responseOptions: { ...USAGE_WANTED, ...responseOptions },
  sealing: {
    wrap: ({ data }) => `ENV(${data})`,
    unwrap: () => undefined,
    isEnvelope: (text) => text.startsWith('ENV'),
  },
});
const decode = (frames: readonly Frame[]): Event[] => runToEnd(openaiResponses.client.eventDecoder(target), frames);
const encode = (events: readonly Event[], responseOptions: Partial<ResponseOptions> = {}): Frame[] =>
  runToEnd(openaiResponses.server.eventEncoder(context(responseOptions)), events);
const wires = (frames: readonly Frame[]): JsonObject[] => frames.map(({ data }) => JSON.parse(data));
const types = (frames: readonly Frame[]): unknown[] => wires(frames).map(({ type }) => type);
const frame = (type: string, members: JsonObject = {}): Frame => ({
  event: type,
  data: JSON.stringify({ type, ...members, sequence_number: 0 }),
});
const answer = (blocks: readonly Block[], finish: Finish = { reason: 'stop' }): TextAnswer => ({
  id: 'resp_r1',
  model: 'o/m',
  createdAtSeconds: 7,
  candidates: [{ blocks, finish }],
  usage: { prompt: 60, inputCacheRead: 40, inputCacheWrite: 0, completion: 15, internalReasoning: 5 },
});
const seal = { owner: OWNER, kind: 'sealed', data: 'SECRET', itemId: 'rs_up' } as const;
const FULL = answer(
  [
    { kind: 'thinking', text: 'let me see', form: 'summary', seal },
    { kind: 'text', text: 'Well: ', citations: [{ kind: 'web', url: 'https://x.test', title: 'X', from: 0, to: 4 }] },
    { kind: 'text', text: 'more' },
    { kind: 'tool-call', id: 'call_1', name: 'f', form: 'function', argumentsJson: '{"a": 1.0}' },
    { kind: 'tool-call', id: 'call_2', name: 'g', form: 'custom', argumentsJson: 'free' },
    { kind: 'redacted', seal: { ...seal, data: 'S2', itemId: 'rs_2' } },
    { kind: 'text', text: 'bye' },
  ],
  { reason: 'tool-call', raw: 'completed' },
);
/** As a live upstream sends it: the id of a reasoning item is known before its text. */
const live = (given: TextAnswer): Event[] =>
  unfold(given).flatMap((event): Event[] =>
    event.type === 'block-start' && event.block.kind === 'thinking'
      ? [
          event,
          { type: 'block-note', index: event.index, note: { extras: { 'openai-responses': { itemId: 'rs_up' } } } },
        ]
      : [event],
  );

describe('the events a caller gets', () => {
  test('come in the order of the format, numbered without a gap', () => {
    const frames = encode(
      unfold(
        answer([
          { kind: 'text', text: 'hi' },
          { kind: 'tool-call', id: 'c', name: 'f', form: 'function', argumentsJson: '{}' },
        ]),
      ),
    );
    expect(types(frames)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(wires(frames).map((wire) => wire['sequence_number'])).toEqual(frames.map((_, at) => at));
    expect(frames.map(({ event }) => event)).toEqual(types(frames));
  });

  test('reasoning is a summary, or the full text, each with its part', () => {
    const summary = encode(unfold(answer([{ kind: 'thinking', text: 'hm', form: 'summary' }])));
    expect(types(summary).slice(2, -1)).toEqual([
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
    ]);
    const thinking = answer([{ kind: 'thinking', text: 'hm', form: 'full' }]);
    expect(types(encode(unfold(thinking))).slice(2, -1)).toEqual([
      'response.output_item.added',
      'response.content_part.added',
      'response.reasoning_text.delta',
      'response.reasoning_text.done',
      'response.content_part.done',
      'response.output_item.done',
    ]);
    const asked = encode(unfold(thinking), { echo: { reasoning: { summary: 'auto' } } });
    expect(types(asked)).toContain('response.reasoning_summary_text.delta');
  });

  test('a refusal has events of its own', () => {
    const frames = encode(unfold(answer([{ kind: 'refusal', text: 'no' }], { reason: 'refusal' })));
    expect(types(frames)).toContain('response.refusal.delta');
    expect(types(frames)).toContain('response.refusal.done');
    expect(types(frames).at(-1)).toBe('response.completed');
  });

  test.each<[Finish['reason'], string, string | null]>([
    ['stop', 'completed', null],
    ['tool-call', 'completed', null],
    ['length', 'incomplete', 'max_output_tokens'],
    ['context-full', 'incomplete', 'max_output_tokens'],
    ['filter', 'incomplete', 'content_filter'],
    ['refusal', 'incomplete', 'content_filter'],
  ])('%s ends as %s', (reason, status, detail) => {
    const last = wires(encode(unfold(answer([{ kind: 'text', text: 'x' }], { reason })))).at(-1);
    expect(last).toMatchObject({
      type: `response.${status}`,
      response: { status, incomplete_details: detail === null ? null : { reason: detail } },
    });
  });

  test('a fault ends it as an error and a failed response, and never as complete', () => {
    const events: Event[] = [
      ...unfold(answer([{ kind: 'text', text: 'half' }])).slice(0, 3),
      { type: 'answer-fault', fault: { kind: 'upstream-broken', message: 'gone' } },
    ];
    const frames = encode(events);
    expect(types(frames).slice(-2)).toEqual(['error', 'response.failed']);
    expect(types(frames)).not.toContain('response.completed');
    expect(wires(frames).at(-1)).toMatchObject({
      response: {
        id: 'resp_r1',
        status: 'failed',
        error: { code: 'server_error', message: 'gone' },
        output: [{ status: 'incomplete', content: [{ text: 'half' }] }],
      },
    });
  });

  test('an unreadable call is a failure, complete or streamed', () => {
    const bad = answer([], { reason: 'bad-tool-call' });
    expect(types(encode(unfold(bad))).at(-1)).toBe('response.failed');
    expect(() => openaiResponses.server.encodeAnswer(bad, context())).toThrow(/cannot be read/);
  });

  test('at most one call is sent if the caller allowed one', () => {
    const encoder = openaiResponses.server.eventEncoder(context({ oneToolCall: true }));
    const frames = unfold(FULL).flatMap((event) => encoder.push(event));
    expect(types(frames).filter((type) => type === 'response.function_call_arguments.done')).toHaveLength(1);
    expect(types(frames)).not.toContain('response.custom_tool_call_input.done');
    expect(encoder.losses()).toEqual([{ path: 'output.function_call', why: 'no-equivalent' }]);
  });

  const HEAD: Event = { type: 'answer-start', id: 'x', model: 'm' };
  const opened = (index: number, block: OpenBlock): Event => ({ type: 'block-start', index, candidate: 0, block });
  const toolCall = (index: number): Event =>
    opened(index, { kind: 'tool-call', id: `c${index}`, name: 'f', form: 'function' });
  const piece = (index: number, text: string): Event => ({ type: 'block-delta', index, text });

  test('a message is done when all of its parts are, although a call started before', () => {
    const frames = encode([
      HEAD,
      opened(0, { kind: 'text' }),
      piece(0, 'a'),
      opened(1, { kind: 'text' }),
      piece(1, 'b'),
      toolCall(2),
      { type: 'block-end', index: 0 },
      piece(1, 'c'),
      { type: 'block-end', index: 1 },
      piece(2, '{}'),
      { type: 'block-end', index: 2 },
      { type: 'answer-end', candidate: 0, finish: { reason: 'tool-call' } },
    ]);
    const done = wires(frames).filter(({ type }) => type === 'response.output_item.done');
    expect(done).toMatchObject([
      { item: { type: 'message', status: 'completed', content: [{ text: 'a' }, { text: 'bc' }] } },
      { item: { type: 'function_call', arguments: '{}' } },
    ]);
    expect(wires(frames).at(-1)).toMatchObject({ response: { output: done.map(({ item }) => item) } });
  });

  test('overlapping blocks keep their own items', () => {
    const frames = encode([
      HEAD,
      toolCall(0),
      toolCall(1),
      piece(1, '{"b"'),
      piece(0, '{"a"'),
      piece(1, ':2}'),
      piece(0, ':1}'),
      { type: 'block-end', index: 0 },
      { type: 'block-end', index: 1 },
      { type: 'answer-end', candidate: 0, finish: { reason: 'tool-call' } },
    ]);
    expect(wires(frames).at(-1)).toMatchObject({
      response: {
        output: [
          { call_id: 'c0', arguments: '{"a":1}' },
          { call_id: 'c1', arguments: '{"b":2}' },
        ],
      },
    });
  });
});

describe('a complete answer', () => {
  test('an item that only this dialect has is passed on, and gets an id if it has none', () => {
    const item = { type: 'local_shell_call', call_id: 'c', action: { type: 'exec', command: ['ls'] } };
    const foreign = (wire: JsonObject): Block => ({ kind: 'foreign', dialect: 'openai-responses', wire });
    const given = answer([{ kind: 'text', text: 'hi' }, foreign(item), foreign({ ...item, id: 'lsh_1' })]);
    const { body, losses } = openaiResponses.server.encodeAnswer(given, context());
    const passed = [
      { ...item, id: 'item_r1_1' },
      { ...item, id: 'lsh_1' },
    ];
    expect(arrayAt(body, 'output').slice(1)).toEqual(passed);
    expect(losses).toEqual([]);
    const streamed = wires(encode(unfold(given)));
    for (const type of ['response.output_item.added', 'response.output_item.done'])
      expect(streamed.filter((wire) => wire['type'] === type).map((wire) => wire['item'])).toMatchObject([
        { type: 'message' },
        ...passed,
      ]);
  });

  test('is the object the stream ends with', () => {
    const { body } = openaiResponses.server.encodeAnswer(FULL, context());
    const last = wires(encode(live(FULL))).at(-1);
    expect(last?.['response']).toEqual(body);
  });

  test('has every member, and repeats the settings of the request', () => {
    const { body } = openaiResponses.server.encodeAnswer(
      answer([{ kind: 'text', text: 'hi' }]),
      context({ echo: { instructions: 'i', tools: [{ type: 'function', name: 'f' }], metadata: { a: 'b' } } }),
    );
    expect(body).toMatchObject({
      id: 'resp_r1',
      object: 'response',
      created_at: 7,
      status: 'completed',
      model: 'o/m',
      error: null,
      incomplete_details: null,
      instructions: 'i',
      tools: [{ type: 'function', name: 'f' }],
      metadata: { a: 'b' },
      store: false,
      parallel_tool_calls: true,
      tool_choice: 'auto',
      text: { format: { type: 'text' } },
      output: [
        {
          id: 'msg_r1_0',
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'hi', annotations: [], logprobs: [] }],
        },
      ],
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 40, cache_write_tokens: 0 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 5 },
        total_tokens: 120,
      },
    });
  });

  test('seals of other owners are sent in an envelope, those of the home raw', () => {
    const owner: SealOwner = { dialect: 'anthropic-messages', family: 'claude' };
    const { body } = openaiResponses.server.encodeAnswer(
      answer([
        { kind: 'thinking', text: 'a', form: 'full', seal: { owner, kind: 'signature', data: 'SIG' } },
        { kind: 'thinking', text: 'b', form: 'summary', seal },
        { kind: 'text', text: 'x' },
      ]),
      context(),
    );
    expect(body['output']).toMatchObject([
      { type: 'reasoning', encrypted_content: 'ENV(SIG)', content: [{ type: 'reasoning_text', text: 'a' }] },
      { type: 'reasoning', id: 'rs_up', encrypted_content: 'SECRET', summary: [{ text: 'b' }] },
      { type: 'message' },
    ]);
  });
});

describe('an upstream stream', () => {
  test('is read back as written, in the grammar of events', () => {
    const events = decode(encode(live(FULL)));
    expect(grammarProblem(events)).toBeUndefined();
    const { candidates, usage } = fold(events);
    const blocks = candidates[0]?.blocks.map(({ extras: _, ...block }) => block);
    expect(blocks).toEqual(FULL.candidates[0]?.blocks);
    expect(candidates[0]?.finish).toEqual(FULL.candidates[0]?.finish);
    expect(usage).toEqual(FULL.usage);
  });

  test('means the same as the complete answer', () => {
    const { body } = openaiResponses.server.encodeAnswer(FULL, context());
    const whole = openaiResponses.client.decodeAnswer(body, target);
    expect(whole.candidates).toEqual(FULL.candidates);
    expect(whole.usage).toEqual(FULL.usage);
  });

  test('is a fault if it is cut anywhere before its end', () => {
    const frames = encode(live(FULL));
    for (let at = 0; at < frames.length; at++) {
      const events = decode(frames.slice(0, at));
      expect(events.at(-1)?.type, `cut after ${at} frames`).toBe('answer-fault');
      if (at > 0) expect(grammarProblem(events), `cut after ${at} frames`).toBeUndefined();
    }
  });

  test('items that arrive only at their end, or only in the last event, are not lost', () => {
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'hello' }],
    };
    const call = { id: 'fc_1', type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' };
    const thought = {
      id: 'rs_1',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'E',
    };
    const events = decode([
      frame('response.created', { response: { id: 'x', model: 'm' } }),
      frame('response.output_item.done', { output_index: 0, item: thought }),
      frame('response.output_item.added', { output_index: 1, item: { ...message, content: [] } }),
      frame('response.output_text.delta', { output_index: 1, content_index: 0, delta: 'hel' }),
      frame('response.output_item.done', { output_index: 1, item: message }),
      frame('response.completed', { response: { id: 'x', output: [thought, message, call] } }),
    ]);
    expect(grammarProblem(events)).toBeUndefined();
    expect(fold(events).candidates[0]).toMatchObject({
      blocks: [
        { kind: 'thinking', text: 'hm', seal: { data: 'E', itemId: 'rs_1' } },
        { kind: 'text', text: 'hello' },
        { kind: 'tool-call', id: 'c', argumentsJson: '{"a":1}' },
      ],
      finish: { reason: 'tool-call' },
    });
  });

  test('parts of a summary are separated by an empty line', () => {
    const delta = (index: number, text: string): Frame =>
      frame('response.reasoning_summary_text.delta', { output_index: 0, summary_index: index, delta: text });
    const events = decode([
      frame('response.created', { response: {} }),
      delta(0, 'one'),
      delta(1, 'two'),
      frame('response.incomplete', { response: { incomplete_details: { reason: 'max_output_tokens' } } }),
    ]);
    expect(fold(events).candidates[0]).toMatchObject({
      blocks: [{ kind: 'thinking', text: 'one\n\ntwo' }],
      finish: { reason: 'length' },
    });
  });
});
