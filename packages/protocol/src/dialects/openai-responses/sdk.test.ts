/**
 * The gateway's output, read by the official SDK: it checks the order and the identity of items more strictly than any
 * specification.
 */
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import type { TextAnswer } from '../../canonical/answer.ts';
import type { Block } from '../../canonical/content.ts';
import type { Event } from '../../canonical/events.ts';
import { writeSse } from '../../framing/frame.ts';
import { unfold } from '../../stream/unfold.ts';
import { USAGE_WANTED } from '../dialect.fixture.ts';
import type { AnswerContext } from '../dialect.ts';
import { openaiResponses } from './index.ts';

const context: AnswerContext = {
  requestId: 'r1',
  model: 'o/m',
  createdAtSeconds: 7,
  responseOptions: USAGE_WANTED,
};
const blocks: readonly Block[] = [
  { kind: 'thinking', text: 'in full', form: 'full' },
  { kind: 'thinking', text: 'in short', form: 'summary' },
  { kind: 'server-tool', id: 'srvtoolu_1', name: 'web_search', argumentsJson: '{"query":"q"}' },
  { kind: 'text', text: 'Hello ', citations: [{ kind: 'web', url: 'https://x.test', title: 'X', from: 0, to: 5 }] },
  { kind: 'text', text: 'world' },
  { kind: 'tool-call', id: 'call_1', name: 'f', form: 'function', argumentsJson: '{"a":1}' },
  { kind: 'tool-call', id: 'call_2', name: 'g', form: 'custom', argumentsJson: 'free' },
  { kind: 'refusal', text: 'not that' },
];
const answer: TextAnswer = {
  id: 'x',
  model: 'm',
  candidates: [{ blocks, finish: { reason: 'tool-call' } }],
  usage: { prompt: 3, completion: 4 },
};

const clientFor = (text: string, type = 'text/event-stream'): OpenAI =>
  new OpenAI({
    apiKey: 'k',
    baseURL: 'http://gateway.test/v1',
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { 'content-type': type } }),
  });
const written = (events: readonly Event[]): string => {
  const encoder = openaiResponses.server.eventEncoder(context);
  return events
    .flatMap((event) => encoder.push(event))
    .map(writeSse)
    .join('');
};
const params = { model: 'o/m', input: 'hi' } as const;

describe('the official SDK', () => {
  test('[R-55] partly: its stream helper puts every item together', async () => {
    const stream = clientFor(written(unfold(answer))).responses.stream(params);
    let text = '';
    const numbers: number[] = [];
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    stream.on('event', (event) => numbers.push(event.sequence_number));
    const final = await stream.finalResponse();
    expect(text).toBe('Hello world');
    expect(numbers).toEqual(numbers.map((_, at) => at));
    expect(final.status).toBe('completed');
    expect(final.output_text).toBe('Hello world');
    expect(final.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'reasoning',
      'web_search_call',
      'message',
      'function_call',
      'custom_tool_call',
      'message',
    ]);
    expect(final.usage?.total_tokens).toBe(7);
  });

  test('reads a complete answer', async () => {
    const { body } = openaiResponses.server.encodeAnswer(answer, context);
    const response = await clientFor(JSON.stringify(body), 'application/json').responses.create(params);
    expect(response.output_text).toBe('Hello world');
    expect(response.id).toBe('resp_r1');
  });

  test('throws at a failure in the middle, sent by the encoder or by the code that cut the stream', async () => {
    const half = unfold(answer).slice(0, 6);
    const fault = { kind: 'upstream-over-rate', message: 'slow down' } as const;
    const texts = [
      written([...half, { type: 'answer-fault', fault }]),
      written(half) + openaiResponses.server.streamFault(fault, 'r1'),
    ];
    for (const text of texts) {
      await expect(clientFor(text).responses.stream(params).finalResponse()).rejects.toThrow('slow down');
      const raw = await clientFor(text).responses.create({ ...params, stream: true });
      const drain = async (): Promise<void> => {
        for await (const _ of raw);
      };
      await expect(drain()).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    }
  });

  test('reads a truncated answer as incomplete', async () => {
    const cut: TextAnswer = {
      ...answer,
      candidates: [{ blocks: [{ kind: 'text', text: 'Hel' }], finish: { reason: 'length' } }],
    };
    const final = await clientFor(written(unfold(cut)))
      .responses.stream(params)
      .finalResponse();
    expect(final.status).toBe('incomplete');
    expect(final.incomplete_details).toEqual({ reason: 'max_output_tokens' });
  });

  test('ignores keep-alives between frames', async () => {
    const ping = openaiResponses.server.keepAlive(context);
    const text = written(unfold(answer)).replaceAll('\n\n', `\n\n${ping}`);
    const final = await clientFor(text).responses.stream(params).finalResponse();
    expect(final.output_text).toBe('Hello world');
  });
});
