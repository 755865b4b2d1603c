import { expect, test } from 'vitest';
import { type ReplayCall, type ReplayChange, replayCall } from './replay-call.ts';
import type { WirePane } from './stored-wire.ts';

const pane = (body: string, more: Partial<WirePane> = {}): WirePane => ({
  startLine: '',
  headers: [
    { name: 'authorization', value: '[redacted]', redacted: true },
    { name: 'idempotency-key', value: '[redacted]', redacted: true },
    { name: 'traceparent', value: '00-1-2-01' },
    { name: 'anthropic-version', value: '2023-06-01' },
    { name: 'x-trivium-provider', value: 'openai' },
    { name: 'x-trivium-models', value: 'a/b' },
  ],
  body,
  bytes: body.length,
  truncated: false,
  secrets: 0,
  frames: [],
  ...more,
});

const replayed = (path: string, body: object, change: ReplayChange): ReplayCall => {
  const call = replayCall({ path, callerRequest: pane(JSON.stringify(body)) }, change);
  if (typeof call === 'string') throw new Error(call);
  return call;
};

test('credentials, idempotency keys and trace headers are not sent again', () => {
  const { headers, path } = replayed('/v1/chat/completions', { model: 'a/b' }, {});
  expect(headers).toEqual({
    'anthropic-version': '2023-06-01',
    'x-trivium-provider': 'openai',
    'x-trivium-models': 'a/b',
  });
  expect(path).toBe('/v1/chat/completions');
});

test('a requested model or provider replaces every preference that would choose one', () => {
  const body = { model: 'a/b', models: ['c/d'], provider: { order: ['x'] }, messages: [] };
  const call = replayed('/v1/chat/completions', body, { model: 'e/f', provider: 'azure', strict: true });
  expect(JSON.parse(call.body)).toEqual({ model: 'e/f', messages: [] });
  expect(call.headers).toEqual({
    'anthropic-version': '2023-06-01',
    'x-trivium-provider': 'azure',
    'x-trivium-strict': 'true',
  });
});

test.each([
  [
    '/api/vertex-ai/v1/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    ':streamGenerateContent?alt=sse',
  ],
  ['/api/vertex-ai/v1/models/gemini-2.5-flash:generateContent', ':generateContent'],
])('where the path names the model, the path is changed: %s', (path, end) => {
  const call = replayed(path, { contents: [] }, { model: 'openai/gpt-4o' });
  expect(call.path).toBe(`/api/vertex-ai/v1/publishers/openai/models/gpt-4o${end}`);
  expect(JSON.parse(call.body)).toEqual({ contents: [] });
});

test('a truncated capture, or one that is not JSON, cannot be sent again', () => {
  expect(replayCall({ path: '/', callerRequest: pane('{}', { truncated: true }) }, {})).toBe('truncated');
  expect(replayCall({ path: '/', callerRequest: pane('name: value') }, {})).toBe('no-json');
});
