import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { anthropicMessages } from '../anthropic-messages/index.ts';
import { runToEnd, targetFacts, USAGE_WANTED } from '../dialect.fixture.ts';
import type { AnswerContext, Dialect, Frame, RequestHead, Sealing, TargetFacts } from '../dialect.ts';
import { openaiChat } from '../openai-chat/index.ts';
import { googleGenerate } from './index.ts';

const envelopes = new Map<string, Sealed>();
const sealing: Sealing = {
  wrap(seal) {
    const text = `ENV${envelopes.size}`;
    envelopes.set(text, seal);
    return text;
  },
  unwrap: (text) => envelopes.get(text),
  isEnvelope: (text) => text.startsWith('ENV'),
};
const head: RequestHead = {
  model: 'a/m',
  header: (name) => (name === 'anthropic-version' ? '2023-06-01' : undefined),
  sealing,
};
const context: AnswerContext = {
  requestId: 'req',
  model: 'a/m',
  createdAtSeconds: 1,
  responseOptions: USAGE_WANTED,
  sealing,
};
const target = (dialect: Dialect, family: string): TargetFacts =>
  targetFacts(
    { dialect: dialect.id, family },
    {},
    {
      maxOutputTokens: 10_000,
      thinking: { kind: family === 'gemini' ? 'level' : 'effort', canDisable: false, levels: ['low', 'high'] },
    },
  );
const GEMINI = target(googleGenerate, 'gemini');
const CHAT = target(openaiChat, 'gpt');

const relay = (
  from: Dialect,
  facts: TargetFacts,
  to: Dialect,
  chunks: readonly JsonObject[],
  own = context,
): Frame[] => {
  const decoder = from.client.eventDecoder(facts);
  const encoder = to.server.eventEncoder(own);
  const events = runToEnd(
    decoder,
    chunks.map((chunk) => ({ data: JSON.stringify(chunk) })),
  );
  return runToEnd(encoder, events);
};

describe('chat callers, Gemini upstream', () => {
  test('a conversation with tools, instructions and a schema', () => {
    const { body, losses } = googleGenerate.client.encodeCall(
      openaiChat.server
        .understand({
          model: 'a/m',
          messages: [
            { role: 'system', content: 'be kind' },
            { role: 'user', content: 'weather?' },
            {
              role: 'assistant',
              content: null,
              tool_calls: [
                { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
                { id: 'c2', type: 'function', function: { name: 'g', arguments: '' } },
              ],
            },
            { role: 'tool', tool_call_id: 'c2', content: 'two' },
            { role: 'tool', tool_call_id: 'c1', content: 'one' },
          ],
          tools: [
            { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: { a: {} } } } },
            { type: 'function', function: { name: 'g' } },
          ],
          tool_choice: 'required',
          reasoning_effort: 'high',
          max_completion_tokens: 100,
        })
        .call(),
      GEMINI,
    );
    expect(losses).toEqual([]);
    expect(body).toMatchObject({
      systemInstruction: { parts: [{ text: 'be kind' }] },
      contents: [
        { role: 'user', parts: [{ text: 'weather?' }] },
        {
          role: 'model',
          parts: [{ functionCall: { id: 'c1', args: { a: 1 } } }, { functionCall: { id: 'c2', args: {} } }],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'c1', name: 'f', response: { output: 'one' } } },
            { functionResponse: { id: 'c2', name: 'g', response: { output: 'two' } } },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      generationConfig: { maxOutputTokens: 100, thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true } },
    });
  });
  test('a stream with thoughts and a call looks like any chat stream', () => {
    const chunk = (part: JsonObject, more: JsonObject = {}): JsonObject => ({
      responseId: 'r',
      candidates: [{ content: { role: 'model', parts: [part] }, ...more }],
    });
    const frames = relay(googleGenerate, GEMINI, openaiChat, [
      chunk({ text: 'hm', thought: true }),
      chunk({ text: 'Hi' }),
      chunk({ functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' }, { finishReason: 'STOP' }),
    ]);
    const text = frames.map((frame) => frame.data).join('\n');
    expect(text).toContain('"content":"Hi"');
    expect(text).toContain('"reasoning_content":"hm"');
    expect(text).toContain('"finish_reason":"tool_calls"');
    expect(text).toContain('call_r_0');
    expect(frames.at(-1)?.data).toBe('[DONE]');
  });
});

describe('generateContent callers, chat upstream', () => {
  test('a conversation whose calls have no ids', () => {
    const { body } = openaiChat.client.encodeCall(
      googleGenerate.server
        .understand(
          {
            contents: [
              { parts: [{ text: 'q' }] },
              { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] },
              { parts: [{ functionResponse: { name: 'f', response: { ok: true } } }] },
            ],
            systemInstruction: { parts: [{ text: 'one' }, { text: 'two' }] },
            tools: [
              {
                functionDeclarations: [
                  { name: 'f', parameters: { type: 'OBJECT', properties: { a: { type: 'INTEGER' } } } },
                ],
              },
            ],
            toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
          },
          head,
        )
        .call(),
      CHAT,
    );
    const messages = body['messages'] as unknown as JsonObject[];
    const [call] = (messages[2]?.['tool_calls'] ?? []) as unknown as JsonObject[];
    expect(messages.map((message) => message['role'])).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(messages[3]).toMatchObject({ tool_call_id: call?.['id'], content: '{"ok":true}' });
    expect(body['tools']).toMatchObject([
      { function: { parameters: { type: 'object', properties: { a: { type: 'integer' } } } } },
    ]);
    expect(body['tool_choice']).toEqual({ type: 'function', function: { name: 'f' } });
  });
  test('parts that chat has no field for are refused or reported', () => {
    const encode = (more: JsonObject) =>
      openaiChat.client.encodeCall(
        googleGenerate.server.understand({ contents: [{ parts: [{ text: 'q' }] }], ...more }, head).call(),
        CHAT,
      );
    expect(() => encode({ cachedContent: 'projects/p/locations/l/cachedContents/1' })).toThrow('cachedContent');
    const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }];
    expect(encode({ safetySettings }).losses).toEqual([{ field: 'call.safety', why: 'no-equivalent' }]);
    expect(encode({ generationConfig: { routingConfig: { autoMode: {} } } }).losses).toEqual([]);
  });
  test('a refusal in a field of its own becomes text and a safety stop, streamed or not', () => {
    const choice = { index: 0, message: { role: 'assistant', refusal: 'No.' }, finish_reason: 'stop' };
    const answer = openaiChat.client.decodeAnswer({ id: 'x', choices: [choice] }, CHAT);
    expect(googleGenerate.server.encodeAnswer(answer, context).body['candidates']).toMatchObject([
      { content: { parts: [{ text: 'No.' }] }, finishReason: 'FINISH_REASON_SAFETY' },
    ]);
    const chunk = (delta: JsonObject, finish_reason: string | null): JsonObject => ({
      id: 'x',
      choices: [{ index: 0, delta, finish_reason }],
    });
    const frames = relay(openaiChat, CHAT, googleGenerate, [chunk({ refusal: 'No.' }, null), chunk({}, 'stop')]);
    expect(frames.map((frame) => JSON.parse(frame.data).candidates[0])).toMatchObject([
      { content: { parts: [{ text: 'No.' }] } },
      { finishReason: 'FINISH_REASON_SAFETY' },
    ]);
  });
  test('argument fragments become one call', () => {
    const delta = (each: JsonObject, finish: string | null = null): JsonObject => ({
      id: 'x',
      choices: [{ index: 0, delta: each, finish_reason: finish }],
    });
    const call = (fragment: JsonObject): JsonObject => delta({ tool_calls: [{ index: 0, ...fragment }] });
    const frames = relay(openaiChat, CHAT, googleGenerate, [
      delta({ role: 'assistant', content: 'Hi' }),
      call({ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a"' } }),
      call({ function: { arguments: ':1}' } }),
      delta({}, 'tool_calls'),
    ]).map((frame) => JSON.parse(frame.data));
    expect(frames.map((frame) => frame.candidates[0].content.parts)).toEqual([
      [{ text: 'Hi' }],
      [{ functionCall: { id: 'c1', name: 'f', args: { a: 1 } } }],
      [{ text: '' }],
    ]);
    expect(frames.at(-1).candidates[0].finishReason).toBe('FINISH_REASON_STOP');
  });
});

describe('messages callers, Gemini upstream, and back', () => {
  test('a signature survives the round trip through a messages caller and returns on its call', () => {
    const answer = googleGenerate.client.decodeAnswer(
      {
        responseId: 'r',
        candidates: [
          {
            content: { parts: [{ functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' }] },
            finishReason: 'STOP',
          },
        ],
      },
      GEMINI,
    );
    const { body } = anthropicMessages.server.encodeAnswer(answer, context);
    const content = body['content'] as unknown as JsonObject[];
    const call = content.find((block) => block['type'] === 'tool_use');
    const again = googleGenerate.client.encodeCall(
      anthropicMessages.server
        .understand(
          {
            model: 'a/m',
            max_tokens: 100,
            messages: [
              { role: 'user', content: 'q' },
              { role: 'assistant', content },
              { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.['id'] ?? '', content: 'ok' }] },
            ],
            tools: [{ name: 'f', input_schema: { type: 'object' } }],
          },
          head,
        )
        .call(),
      GEMINI,
    );
    const contents = again.body['contents'] as unknown as JsonObject[];
    expect(contents[1]).toMatchObject({
      role: 'model',
      parts: [{ functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' }],
    });
  });
  test('thinking signed by Claude survives the round trip through a generateContent caller in an envelope', () => {
    const owner = { dialect: 'anthropic-messages', family: 'claude', scope: 's' } as const;
    const { body } = googleGenerate.server.encodeAnswer(
      {
        id: '',
        model: '',
        usage: {},
        candidates: [
          {
            blocks: [
              { kind: 'thinking', text: 'hm', form: 'full', seal: { owner, kind: 'signature', data: 'raw' } },
              { kind: 'text', text: 'a' },
            ],
            finish: { reason: 'stop' },
          },
        ],
      },
      context,
    );
    const content = (body['candidates'] as unknown as JsonObject[])[0]?.['content'] as JsonObject;
    const { turns } = googleGenerate.server
      .understand({ contents: [{ parts: [{ text: 'q' }] }, content] }, head)
      .call();
    expect(turns[1]?.blocks[0]).toMatchObject({ kind: 'thinking', text: 'hm', seal: { owner, data: 'raw' } });
  });
});
