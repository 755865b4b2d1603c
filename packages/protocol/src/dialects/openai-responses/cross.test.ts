import { describe, expect, test } from 'vitest';
import type { DialectId } from '../../canonical/dialect-id.ts';
import type { Event } from '../../canonical/events.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { grammarProblem } from '../../stream/grammar.ts';
import { anthropicMessages } from '../anthropic-messages/index.ts';
import { messagesQuirks } from '../anthropic-messages/quirks.ts';
import { runToEnd, targetFacts, USAGE_WANTED } from '../dialect.fixture.ts';
import type { AnswerContext, Dialect, Frame, Sealing, TargetFacts } from '../dialect.ts';
import { googleGenerate } from '../google-generate/index.ts';
import { generateQuirks } from '../google-generate/quirks.ts';
import { openaiChat } from '../openai-chat/index.ts';
import { chatQuirks } from '../openai-chat/quirks.ts';
import { openaiResponses } from './index.ts';
import { responsesQuirks } from './quirks.ts';

const sealing: Sealing = {
  wrap: (seal) => `ENV${JSON.stringify(seal)}`,
  unwrap: (text) => (text.startsWith('ENV') ? JSON.parse(text.slice(3)) : undefined),
  isEnvelope: (text) => text.startsWith('ENV'),
};
const facts = (dialect: DialectId, quirks: object, family: string): TargetFacts =>
  targetFacts({ dialect, family, scope: 's' }, quirks, {
    maxOutputTokens: 5000,
    thinking: { kind: dialect === 'anthropic-messages' ? 'budget' : 'effort', canDisable: true, levels: [] },
  });
const toResponses = facts('openai-responses', responsesQuirks(), 'gpt');
const toChat = facts('openai-chat', chatQuirks(), 'deepseek');
const toMessages = facts('anthropic-messages', messagesQuirks(), 'anthropic');
const context: AnswerContext = {
  requestId: 'r',
  model: 'p/m',
  createdAtSeconds: 1,
  responseOptions: USAGE_WANTED,
  sealing,
};
const head = { header: (name: string) => (name === 'anthropic-version' ? '2023-06-01' : undefined), sealing };
const request = (from: Dialect, to: Dialect, target: TargetFacts, body: JsonObject) =>
  to.client.encodeCall(from.server.understand(body, head).call(), target);
const events = (upstream: Dialect, target: TargetFacts, frames: readonly Frame[]): Event[] =>
  runToEnd(upstream.client.eventDecoder(target), frames);
const written = (caller: Dialect, given: readonly Event[]): JsonObject[] => {
  const encoder = caller.server.eventEncoder(context);
  return given
    .flatMap((event) => encoder.push(event))
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data));
};

const codexLike: JsonObject = {
  model: 'p/m',
  instructions: 'be brief',
  max_output_tokens: 2000,
  tools: [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false }],
  tool_choice: 'required',
  parallel_tool_calls: false,
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'go' }] },
    { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a": 1.0}' },
    { type: 'function_call_output', call_id: 'c1', output: 'ok' },
    { role: 'user', content: 'and?' },
  ],
};

describe('a Responses caller', () => {
  test('with a chat upstream: the request keeps its meaning', () => {
    const { body, losses } = request(openaiResponses, openaiChat, toChat, codexLike);
    expect(body).toMatchObject({
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'go' },
        { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '{"a": 1.0}' } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'ok' },
        { role: 'user', content: 'and?' },
      ],
      tool_choice: 'required',
      parallel_tool_calls: false,
    });
    expect(losses).toEqual([]);
  });

  test('with a messages upstream: the request keeps its meaning', () => {
    const { body } = request(openaiResponses, anthropicMessages, toMessages, codexLike);
    expect(body).toMatchObject({
      max_tokens: 2000,
      messages: [
        { role: 'user' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f' }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1' },
            { type: 'text', text: 'and?' },
          ],
        },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    });
  });

  test('gets a chat upstream’s stream as its own events', () => {
    const chunk = (delta: JsonObject, finish: string | null = null): Frame => ({
      data: JSON.stringify({ id: 'c', model: 'x', choices: [{ index: 0, delta, finish_reason: finish }] }),
    });
    const given = events(openaiChat, toChat, [
      chunk({ role: 'assistant', reasoning_content: 'hm' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }] }),
      chunk({}, 'tool_calls'),
      { data: '[DONE]' },
    ]);
    const last = written(openaiResponses, given).at(-1);
    expect(last).toMatchObject({
      type: 'response.completed',
      response: {
        output: [
          { type: 'reasoning', content: [{ text: 'hm' }] },
          { type: 'message', content: [{ text: 'Hello' }] },
          { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        ],
      },
    });
  });

  test('carries a Claude signature both ways', () => {
    const answer = anthropicMessages.client.decodeAnswer(
      {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'x',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'SIG' },
          { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
        ],
        stop_reason: 'tool_use',
        usage: { input_tokens: 1, output_tokens: 2 },
      },
      toMessages,
    );
    const { body } = openaiResponses.server.encodeAnswer(answer, context);
    const output = body['output'];
    if (!Array.isArray(output)) throw new Error('no output');
    const again = request(openaiResponses, anthropicMessages, toMessages, {
      model: 'p/m',
      reasoning: { effort: 'low' },
      input: [
        { role: 'user', content: 'go' },
        ...output,
        { type: 'function_call_output', call_id: 'toolu_1', output: 'ok' },
      ],
    });
    expect(again.body).toMatchObject({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'SIG' },
            { type: 'tool_use', id: 'toolu_1' },
          ],
        },
        { role: 'user' },
      ],
    });
    const elsewhere = request(openaiResponses, openaiResponses, toResponses, {
      model: 'p/m',
      input: [{ role: 'user', content: 'go' }, ...output],
    });
    expect(JSON.stringify(elsewhere.body)).not.toContain('SIG');
    expect(elsewhere.losses).toContainEqual({ field: 'block.seal', why: 'foreign-seal' });
  });
});

describe('a Responses caller with Gemini', () => {
  test('signatures attached to calls and text return to their places', () => {
    const toGemini = facts('google-generate', generateQuirks(), 'google');
    const answer = googleGenerate.client.decodeAnswer(
      {
        candidates: [
          {
            content: {
              role: 'model',
              parts: [
                { text: 'so', thoughtSignature: 'VDE=' },
                { functionCall: { name: 'f', args: {}, id: 'c1' }, thoughtSignature: 'VDI=' },
                { functionCall: { name: 'g', args: {}, id: 'c2' } },
              ],
            },
            finishReason: 'STOP',
          },
        ],
      },
      toGemini,
    );
    const { body, losses } = openaiResponses.server.encodeAnswer(answer, context);
    expect(losses).toEqual([]);
    const output = body['output'];
    if (!Array.isArray(output)) throw new Error('no output');
    expect(output.map((item: JsonObject) => item['type'])).toEqual([
      'message',
      'reasoning',
      'function_call',
      'reasoning',
      'function_call',
    ]);
    const again = request(openaiResponses, googleGenerate, toGemini, {
      model: 'p/m',
      input: [
        { role: 'user', content: 'go' },
        ...output,
        { type: 'function_call_output', call_id: 'c1', output: 'ok' },
        { type: 'function_call_output', call_id: 'c2', output: 'ok' },
      ],
    });
    expect(again.body['contents']).toMatchObject([
      { role: 'user' },
      {
        role: 'model',
        parts: [
          { text: 'so', thoughtSignature: 'VDE=' },
          { functionCall: { name: 'f' }, thoughtSignature: 'VDI=' },
          { functionCall: { name: 'g' } },
        ],
      },
      { role: 'user' },
    ]);
  });
});

describe('a Responses upstream', () => {
  const upstream: Frame[] = [
    [
      'response.created',
      { response: { id: 'resp_up', model: 'gpt', created_at: 5, status: 'in_progress', output: [] } },
    ],
    ['response.output_item.added', { output_index: 0, item: { id: 'rs_1', type: 'reasoning', summary: [] } }],
    ['response.reasoning_summary_text.delta', { output_index: 0, summary_index: 0, delta: 'hm' }],
    [
      'response.output_item.done',
      {
        output_index: 0,
        item: {
          id: 'rs_1',
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'hm' }],
          encrypted_content: 'E',
        },
      },
    ],
    [
      'response.output_item.added',
      { output_index: 1, item: { id: 'fc_1', type: 'function_call', call_id: 'c1', name: 'f', arguments: '' } },
    ],
    ['response.function_call_arguments.delta', { output_index: 1, delta: '{"a":' }],
    ['response.function_call_arguments.delta', { output_index: 1, delta: '1}' }],
    [
      'response.output_item.done',
      { output_index: 1, item: { id: 'fc_1', type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' } },
    ],
    [
      'response.completed',
      {
        response: {
          id: 'resp_up',
          status: 'completed',
          usage: { input_tokens: 9, output_tokens: 4, output_tokens_details: { reasoning_tokens: 1 } },
        },
      },
    ],
  ].map(([type, members]) => ({ event: String(type), data: JSON.stringify({ type, ...(members as JsonObject) }) }));

  test('answers a chat caller', () => {
    const given = events(openaiResponses, toResponses, upstream);
    expect(grammarProblem(given)).toBeUndefined();
    const chunks = written(openaiChat, given);
    expect(JSON.stringify(chunks)).toContain('"reasoning":"hm"');
    expect(chunks.some((chunk) => JSON.stringify(chunk).includes('"finish_reason":"tool_calls"'))).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } });
  });

  test('answers a messages caller, whose signed thinking returns under its own id', () => {
    const frames = written(anthropicMessages, events(openaiResponses, toResponses, upstream));
    const signature = frames.flatMap(({ delta }) =>
      typeof delta === 'object' && delta !== null && 'signature' in delta ? [Reflect.get(delta, 'signature')] : [],
    )[0];
    if (typeof signature !== 'string') throw new Error('no signature');
    const { body, losses } = request(anthropicMessages, openaiResponses, toResponses, {
      model: 'p/m',
      max_tokens: 100,
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature },
            { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }] },
      ],
    });
    expect(body['input']).toMatchObject([
      { role: 'user' },
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'E', summary: [{ text: 'hm' }] },
      { type: 'function_call', call_id: 'c1', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'c1', output: 'ok' },
    ]);
    expect(losses).toEqual([]);
  });

  test('accepts a chat caller’s request, its custom tools and its system messages inside the conversation', () => {
    const { body, losses, watchFor } = request(openaiChat, openaiResponses, toResponses, {
      model: 'p/m',
      stop: ['x'],
      messages: [
        { role: 'system', content: 'a' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }] },
        { role: 'system', content: 'b' },
        { role: 'user', content: 'c, as JSON' },
      ],
      tools: [
        {
          type: 'custom',
          custom: { name: 'g', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'd' } } },
        },
      ],
      response_format: { type: 'json_object' },
      verbosity: 'low',
    });
    expect(body).toMatchObject({
      instructions: 'a',
      input: [
        { role: 'user', content: [{ type: 'input_image', image_url: 'https://x.test/a.png', detail: 'auto' }] },
        { role: 'developer', content: [{ type: 'input_text', text: 'b' }] },
        { role: 'user', content: [{ type: 'input_text', text: 'c, as JSON' }] },
      ],
      tools: [{ type: 'custom', name: 'g', format: { type: 'grammar', syntax: 'lark', definition: 'd' } }],
      text: { format: { type: 'json_object' }, verbosity: 'low' },
    });
    expect({ losses, watchFor }).toEqual({ losses: [], watchFor: ['x'] });
  });
});
