import { describe, expect, test } from 'vitest';
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
