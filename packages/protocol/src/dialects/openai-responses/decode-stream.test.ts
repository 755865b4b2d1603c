import { describe, expect, test } from 'vitest';
import type { TextAnswer } from '../../canonical/answer.ts';
import type { Event } from '../../canonical/events.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { fold } from '../../stream/fold.ts';
import { grammarProblem } from '../../stream/grammar.ts';
import { runToEnd, USAGE_WANTED } from '../dialect.fixture.ts';
import type { Frame, ResponseOptions } from '../dialect.ts';
import { openaiResponses } from './index.ts';
import { responsesTarget } from './target.fixture.ts';

const target = responsesTarget();
const decode = (frames: readonly Frame[]): Event[] => runToEnd(openaiResponses.client.eventDecoder(target), frames);
const encode = (events: readonly Event[], responseOptions: Partial<ResponseOptions> = {}): Frame[] => {
  const encoder = openaiResponses.server.eventEncoder({
    requestId: 'r1',
    model: 'o/m',
    createdAtSeconds: 7,
    responseOptions: { ...USAGE_WANTED, ...responseOptions },
  });
  return events.flatMap((event) => encoder.push(event));
};
const wires = (frames: readonly Frame[]): JsonObject[] => frames.map(({ data }) => JSON.parse(data));
const frame = (type: string, members: JsonObject = {}): Frame => ({
  event: type,
  data: JSON.stringify({ type, ...members, sequence_number: 0 }),
});

describe('an upstream', () => {
  test('searches are items and are metered', () => {
    const search = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } };
    const page = { id: 'ws_2', type: 'web_search_call', status: 'completed', action: { type: 'open_page', url: 'u' } };
    const events = decode([
      frame('response.created', { response: {} }),
      frame('response.output_item.added', { output_index: 0, item: search }),
      frame('response.web_search_call.searching', { output_index: 0, item_id: 'ws_1' }),
      frame('response.output_item.done', { output_index: 0, item: search }),
      frame('response.completed', {
        response: { output: [search, page], usage: { input_tokens: 1, output_tokens: 2 } },
      }),
    ]);
    expect(grammarProblem(events)).toBeUndefined();
    const { candidates, usage } = fold(events);
    expect(candidates[0]?.blocks[0]).toMatchObject({
      kind: 'server-tool',
      name: 'web_search',
      argumentsJson: '{"query":"q"}',
    });
    expect(usage).toEqual({ prompt: 1, completion: 2, webSearch: 1 });
  });

  test('searches that the last event does not repeat are metered', () => {
    const search = { type: 'web_search_call', action: { type: 'search', query: 'q' } };
    const frames = [
      frame('response.output_item.done', { output_index: 0, item: search }),
      frame('response.completed', { response: { output: [], usage: { input_tokens: 1, output_tokens: 2 } } }),
    ];
    const usage = { prompt: 1, completion: 2, webSearch: 1 };
    expect(fold(decode(frames)).usage).toEqual(usage);
    const context = { requestId: 'r1', model: 'o/m', createdAtSeconds: 7, responseOptions: USAGE_WANTED };
    const verbatim = openaiResponses.verbatim.frames(context, target);
    expect(frames.map((each) => verbatim.read(each).usage)).toEqual([undefined, usage]);
  });

  test('pages that are opened or searched are part of a search; a host may not say what its search did', () => {
    const search = (action: JsonObject): JsonObject => ({ type: 'web_search_call', ...action });
    const output = [
      search({ action: { type: 'search', query: 'a' } }),
      search({}),
      search({ action: { query: 'b' } }),
      search({ action: { type: 'open_page', url: 'u' } }),
      search({ action: { type: 'find_in_page', pattern: 'p' } }),
      { type: 'message', content: [] },
    ];
    const { usage } = openaiResponses.client.decodeAnswer({ status: 'completed', output }, target);
    expect(usage).toEqual({ webSearch: 3 });
  });

  describe('the last event repeats the items', () => {
    const said = (text: string, id?: string): JsonObject => ({
      ...(id !== undefined && { id }),
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text }],
    });
    const delta = frame('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'hello' });
    const done = (item: JsonObject): Frame => frame('response.output_item.done', { output_index: 0, item });
    const blocks = (streamed: readonly Frame[], output: readonly JsonObject[]) => {
      const created = frame('response.created', { response: {} });
      const events = decode([created, ...streamed, frame('response.completed', { response: { output } })]);
      expect(grammarProblem(events)).toBeUndefined();
      return fold(events).candidates[0]?.blocks.map((block) => [block.kind, 'text' in block && block.text]);
    };

    test.each<[string, Frame[], JsonObject[]]>([
      ['at another position', [delta, done(said('hello', 'msg_1'))], [said('', 'msg_0'), said('hello', 'msg_1')]],
      ['with another id', [delta, done(said('hello', 'msg_1'))], [said('hello', 'msg_2')]],
      ['with ids that their deltas did not have', [delta], [said('hello', 'msg_1')]],
      ['without ids', [delta, done(said('hello'))], [said('hello')]],
      ['without the id that it had', [delta, done(said('hello', 'msg_1'))], [said('hello')]],
      ['with more text', [frame('response.output_text.delta', { delta: 'hel' })], [said('hello', 'msg_1')]],
    ])('%s: nothing is emitted twice', (_name, streamed, output) => {
      expect(blocks(streamed, output)).toEqual([['text', 'hello']]);
    });

    test('one of another type is added, although its position is taken', () => {
      const thought = { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] };
      const message = said('hello', 'msg_1');
      expect(blocks([delta, done(message)], [thought, message])).toEqual([
        ['text', 'hello'],
        ['thinking', 'hm'],
      ]);
    });

    test('without ids, they are matched by type where one list has an item that the other omits', () => {
      const thought = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] };
      expect(blocks([delta, done(said('hello'))], [thought, said('hello')])).toEqual([
        ['text', 'hello'],
        ['thinking', 'hm'],
      ]);
      const other = frame('response.output_item.done', { output_index: 0, item: { type: 'later_call' } });
      const second = frame('response.output_text.delta', { output_index: 1, content_index: 0, delta: 'hel' });
      expect(blocks([other, second], [said('hello')])).toEqual([
        ['foreign', false],
        ['text', 'hello'],
      ]);
      const first = frame('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'well, ' });
      expect(blocks([first, second], [{ type: 'later_call' }, said('well, yes'), said('hello')])).toEqual([
        ['text', 'well, '],
        ['text', 'hel'],
        ['foreign', false],
        ['text', 'yes'],
        ['text', 'lo'],
      ]);
    });

    test('an item whose position another one had in the stream is not lost', () => {
      expect(blocks([delta, done(said('hello', 'msg_1'))], [said('well', 'msg_0'), said('hello', 'msg_1')])).toEqual([
        ['text', 'hello'],
        ['text', 'well'],
      ]);
    });

    test('log probabilities and citations are those of the stream, or else of the finished item', () => {
      const logprobs = [{ token: 'hello', logprob: -0.1, bytes: [], top_logprobs: [] }];
      const annotation = { type: 'url_citation', url: 'https://x.test', title: 'X', start_index: 0, end_index: 5 };
      const item = {
        ...said(''),
        content: [{ type: 'output_text', text: 'hello', logprobs, annotations: [annotation] }],
      };
      const streamed = [
        frame('response.output_text.delta', { delta: 'hello', logprobs }),
        frame('response.output_text.annotation.added', { annotation }),
      ];
      for (const before of [[], streamed]) {
        const end = frame('response.completed', { response: {} });
        const { candidates } = fold(decode([frame('response.created', { response: {} }), ...before, done(item), end]));
        expect(candidates[0]?.blocks).toMatchObject([
          { text: 'hello', logprobs: [{ token: 'hello' }], citations: [{ url: 'https://x.test' }] },
        ]);
      }
    });

    test('parts that were numbered differently while they streamed are not emitted twice', () => {
      const part = (text: string): JsonObject => ({ type: 'output_text', text });
      const message = { ...said(''), content: [part(''), part('hello'), part(' there')] };
      expect(blocks([delta, done(message)], [message])).toEqual([
        ['text', 'hello'],
        ['text', ' there'],
      ]);
      const late = frame('response.output_text.delta', { content_index: 2, delta: 'hel' });
      expect(blocks([late, done(said('hello'))], [])).toEqual([['text', 'hello']]);
    });
  });

  describe('citations of a message with several parts', () => {
    const said = (content_index: number, text: string): Frame =>
      frame('response.output_text.delta', { content_index, delta: text });
    const annotation = (url: string): JsonObject => ({ type: 'url_citation', url, title: 'X' });
    const cited = (content_index: number, url: string): Frame =>
      frame('response.output_text.annotation.added', { content_index, annotation: annotation(url) });
    const done = (...parts: (readonly [text: string, url: string])[]): Frame => {
      const content = parts.map(([text, url]) => ({ type: 'output_text', text, annotations: [annotation(url)] }));
      return frame('response.output_item.done', { item: { type: 'message', content } });
    };
    const read = (...frames: Frame[]) => {
      const decoder = openaiResponses.client.eventDecoder(target);
      const events = runToEnd(decoder, [...frames, frame('response.completed', { response: {} })]);
      expect(grammarProblem(events)).toBeUndefined();
      const blocks = fold(events).candidates[0]?.blocks ?? [];
      const urls = blocks.map((block) =>
        block.kind === 'text' ? block.citations?.map((each) => each.kind === 'web' && each.url) : [],
      );
      return [urls, decoder.losses().length];
    };

    test('are those of the finished item for every part that was streamed without any', () => {
      const finished = done(['one', 'a'], ['two', 'b']);
      expect(read(said(0, 'one'), cited(0, 'a'), said(1, 'two'), finished)).toEqual([[['a'], ['b']], 0]);
    });
    test('are those of the finished item if they were streamed for another part', () => {
      expect(read(said(1, 'one'), cited(0, 'a'), said(1, ' more'), done(['one more', 'a']))).toEqual([[['a']], 0]);
    });
    test('that precede their text are kept', () => {
      expect(read(cited(0, 'a'), said(0, 'one'))).toEqual([[['a']], 0]);
    });
    test('that follow the end of their text are a loss', () => {
      expect(read(said(0, 'one'), said(1, 'two'), cited(0, 'a'))).toEqual([[undefined, undefined], 1]);
      expect(read(said(0, 'one'), said(1, 'two'), done(['one', 'a'], ['two', 'b']))).toEqual([[undefined, ['b']], 1]);
    });
  });

  describe('members of items that only this format has reach callers of this format', () => {
    const said = (text: string, phase: string): JsonObject => ({
      type: 'message',
      role: 'assistant',
      status: 'completed',
      phase,
      content: [{ type: 'output_text', text }],
    });
    const output: JsonObject[] = [
      said('Let me see.', 'commentary'),
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}', namespace: 'crm' },
      { type: 'web_search_call', status: 'completed', action: { type: 'open_page', url: 'https://x.test' } },
      { type: 'web_search_call', status: 'failed', action: { type: 'search', query: 'q', queries: ['q', 'r'] } },
      said('I found it.', 'commentary'),
      said('It is 4.', 'final_answer'),
    ];
    const withoutContent = ({ content, ...item }: JsonObject): JsonObject =>
      content === undefined ? item : { ...item, content: [] };
    const lifecycle = (item: JsonObject, output_index: number): Frame[] => [
      frame('response.output_item.added', { output_index, item: withoutContent(item) }),
      frame('response.output_item.done', { output_index, item }),
    ];
    const completed = frame('response.completed', { response: { output } });

    test.each<[string, Frame[]]>([
      ['in streams', [...output.flatMap(lifecycle), completed]],
      ['in the last event of a stream', [completed]],
      [
        'in streams of text',
        [
          ...output.slice(0, 5).flatMap(lifecycle),
          frame('response.output_text.delta', { output_index: 5, delta: 'It is' }),
          frame('response.output_text.delta', { output_index: 5, delta: ' 4.' }),
          frame('response.output_item.done', { output_index: 5, item: output[5] ?? null }),
          completed,
        ],
      ],
    ])('%s', (_name, frames) => {
      const events = decode(frames);
      expect(grammarProblem(events)).toBeUndefined();
      const written = wires(encode(events));
      expect(written.at(-1)).toMatchObject({ response: { output } });
      const done = written.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
      expect(done).toMatchObject(output);
    });

    test('in complete answers', () => {
      const read = openaiResponses.client.decodeAnswer({ status: 'completed', output }, target);
      const context = { requestId: 'r1', model: 'o/m', createdAtSeconds: 7, responseOptions: USAGE_WANTED };
      expect(openaiResponses.server.encodeAnswer(read, context).body).toMatchObject({ output });
    });
  });

  test('items without indexes are not lost', () => {
    const thought = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] };
    const message = { type: 'message', content: [{ type: 'output_text', text: 'hello' }] };
    const events = decode([
      frame('response.output_item.done', { item: thought }),
      frame('response.output_text.delta', { delta: 'hello' }),
      frame('response.output_item.done', { item: message }),
      frame('response.completed', { response: { output: [thought, message] } }),
    ]);
    expect(fold(events).candidates[0]?.blocks).toMatchObject([{ text: 'hm' }, { text: 'hello' }]);
  });

  test('more output items than any model sends are refused', () => {
    const item = (output_index: number): Frame =>
      frame('response.output_item.added', { output_index, item: { type: 'message', content: [] } });
    const decoder = openaiResponses.client.eventDecoder(target);
    for (let index = 0; index < 4096; index++) decoder.push(item(index));
    expect(() => decoder.push(item(4096))).toThrow('output items');
    expect(() => decoder.push(item(4095))).not.toThrow();
  });

  test.each<[string, Frame, string]>([
    ['an error event', frame('error', { code: 'rate_limit_exceeded', message: 'slow' }), 'upstream-over-rate'],
    ['a nested error', frame('error', { error: { code: 'insufficient_quota', message: 'x' } }), 'upstream-overloaded'],
    [
      'a failed response',
      frame('response.failed', { response: { error: { code: 'server_error' } } }),
      'upstream-broken',
    ],
    [
      'a refused prompt',
      frame('response.failed', { response: { error: { code: 'invalid_prompt', message: 'm' } } }),
      'refused',
    ],
    ['no JSON', { data: '{' }, 'upstream-broken'],
  ])('%s is a fault', (_name, bad, kind) => {
    const events = decode([frame('response.created', { response: {} }), bad]);
    expect(events.at(-1)).toMatchObject({ type: 'answer-fault', fault: { kind } });
  });

  test('a non-streamed answer that failed or never ended is a fault', () => {
    const { decodeAnswer } = openaiResponses.client;
    expect(() => decodeAnswer({ status: 'in_progress', output: [] }, target)).toThrow(/without a reason/);
    expect(() => decodeAnswer({ status: 'failed', error: { code: 'server_error' }, output: [] }, target)).toThrow(
      /failed/,
    );
    expect(() => decodeAnswer({ status: 'completed' }, target)).toThrow(/without output/);
    expect(() => decodeAnswer('x', target)).toThrow(/not an object/);
  });

  test('log probabilities before the first text are kept', () => {
    const logprob = (token: string): JsonObject => ({ token, logprob: -0.1, bytes: [], top_logprobs: [] });
    const events = decode([
      frame('response.output_text.delta', { delta: '', logprobs: [logprob('a')] }),
      frame('response.output_text.delta', { delta: 'ab', logprobs: [logprob('b')] }),
      frame('response.completed', { response: {} }),
    ]);
    expect(fold(events).candidates[0]?.blocks).toMatchObject([
      { text: 'ab', logprobs: [{ token: 'a' }, { token: 'b' }] },
    ]);
  });

  test('log probabilities of a refusal are a loss', () => {
    const lossesOf = (logprobs: boolean) => {
      const responseOptions = { ...USAGE_WANTED, logprobs };
      const context = { requestId: 'r1', model: 'o/m', createdAtSeconds: 7, responseOptions };
      const tokens = [{ token: 'no', logprob: -0.1, alternatives: [] }];
      const refused: TextAnswer = {
        id: 'i',
        model: 'm',
        candidates: [{ blocks: [{ kind: 'refusal', text: 'no', logprobs: tokens }], finish: { reason: 'refusal' } }],
        usage: {},
      };
      return openaiResponses.server.encodeAnswer(refused, context).losses;
    };
    expect(lossesOf(true)).toEqual([{ path: 'output.content.logprobs', why: 'no-equivalent' }]);
    expect(lossesOf(false)).toEqual([]);
  });

  test('log probabilities come with their text', () => {
    const logprobs = [
      { token: 'hi', logprob: -0.1, bytes: [104, 105], top_logprobs: [{ token: 'ho', logprob: -2, bytes: [] }] },
    ];
    const events = decode([
      frame('response.created', { response: {} }),
      frame('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'hi', logprobs }),
      frame('response.completed', { response: {} }),
    ]);
    const said = fold(events);
    expect(said.candidates[0]?.blocks[0]).toMatchObject({
      logprobs: [{ token: 'hi', alternatives: [{ token: 'ho' }] }],
    });
    const back = wires(encode(events, { logprobs: true }));
    expect(back.find(({ type }) => type === 'response.output_text.delta')?.['logprobs']).toEqual(logprobs);
    const unasked = wires(encode(events));
    expect(unasked.find(({ type }) => type === 'response.output_text.delta')?.['logprobs']).toEqual([]);
  });
});
