// The errors with which upstreams report a prompt longer than the model's context, and similar errors that mean
// something else.
import { expect, test } from 'vitest';
import type { DialectId } from '../canonical/dialect-id.ts';
import type { Json } from '../canonical/json.ts';
import { findAnyDialect, findDialect } from './index.ts';

const decoded = (dialect: DialectId, body: Json) => findDialect(dialect)?.client.decodeFault(400, body);
const api = (message: string, more: object = {}): Json => ({
  error: { message, type: 'invalid_request_error', ...more },
});

const TOO_LONG: readonly (readonly [DialectId, Json])[] = [
  ['openai-chat', api('Too long.', { code: 'context_length_exceeded', param: 'messages' })],
  ['openai-responses', api('Too long.', { code: 'context_length_exceeded', param: 'input' })],
  ['openai-chat', api("This model's maximum context length is 131072 tokens. You asked for 140000.", { code: 400 })],
  ['openai-chat', api('Prompt contains 40000 tokens, too large for model with 32768 maximum context length')],
  ['openai-chat', { error: "This model's maximum prompt length is 131072 but the request contains 200000 tokens." }],
  ['openai-chat', api('the request exceeds the available context size', { type: 'exceed_context_size_error' })],
  ['openai-chat', api('Invalid request: Your request exceeded model token limit: 131072')],
  ['openai-chat', api('Range of input length should be [1, 129024]')],
  ['anthropic-messages', { type: 'error', ...(api('prompt is too long: 214898 tokens > 200000 maximum') as object) }],
  ['anthropic-messages', api('input length and `max_tokens` exceed context limit: 199000 + 8000 > 200000')],
  ['anthropic-messages', { message: 'Input is too long for requested model.' }],
  [
    'google-generate',
    {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      },
    },
  ],
];

test.each(TOO_LONG)('%s: %j', (dialect, body) => {
  const fault = decoded(dialect, body);
  expect(fault?.kind).toBe('context-exceeded');
  // The caller gets the error code of its own format, not the host's.
  expect(fault?.code).toBeUndefined();
});

test.each<[DialectId, Json]>([
  ['openai-chat', api("Invalid 'messages[0].content': string too long.", { code: 'string_above_max_length' })],
  ['openai-chat', api('max_tokens is too large: 200000.')],
  ['openai-chat', api('The response was filtered.', { code: 'content_filter' })],
  ['anthropic-messages', api('messages.0.content.0.image.source: image exceeds 5 MB maximum')],
  ['google-generate', { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'topK must be positive' } }],
])('not a context error: %s: %j', (dialect, body) => {
  expect(decoded(dialect, body)?.kind).toBe('refused');
});

test('llama.cpp fails where a document or an input is longer than it reads at once', () => {
  const message =
    'input (3607 tokens) is too large to process. increase the physical batch size (current batch size: 512)';
  const body = { error: { code: 500, message, type: 'server_error' } };
  for (const id of ['cohere-rerank', 'openai-embeddings'] as const)
    expect(findAnyDialect(id)?.client.decodeFault(500, body).kind).toBe('context-exceeded');
  const other = { error: { code: 500, message: 'out of memory', type: 'server_error' } };
  expect(findAnyDialect('cohere-rerank')?.client.decodeFault(500, other).kind).toBe('upstream-broken');
});

test('a context error is reported to callers of every protocol as their own mistake', () => {
  for (const id of ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-generate'] as const)
    expect(findDialect(id)?.server.encodeFault({ kind: 'context-exceeded', message: 'm' }, 'id').status).toBe(400);
});
