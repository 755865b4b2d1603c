import type { Replay, Wire } from '@trivium/gateway/commands';
import { expect, test } from 'vitest';
import { replayLines, storedLines, wireLines } from './wire.ts';

const pane = (startLine: string, body: string) => ({
  startLine,
  headers: [{ name: 'authorization', value: '[redacted]', redacted: true }],
  body,
  bytes: body.length,
  truncated: false,
  frames: [
    { atMs: 1, bytes: 2 },
    { atMs: 30, bytes: 2 },
  ],
});

const WIRE = {
  captured: true,
  why: null,
  expiresAt: '2026-11-17T12:00:00.000Z',
  attempt: 2,
  attempts: [{}, {}],
  panes: {
    callerRequest: pane('POST /v1/chat/completions', '{"seed":3}'),
    hostRequest: null,
    hostResponse: null,
    callerResponse: pane('HTTP/1.1 200', 'x'.repeat(5000)),
  },
  marks: [
    { kind: 'L', path: 'seed', why: 'no-equivalent', from: { pane: 'callerRequest', start: 1, end: 9 }, to: null },
    {
      kind: 'K',
      path: 'authorization',
      why: 'removed',
      from: { pane: 'callerRequest', start: null, end: null },
      to: null,
    },
  ],
};

test('a captured request is printed pane by pane, then its marks with their places', () => {
  const lines = wireLines(WIRE as Wire);
  expect(lines[0]).toBe('call 2 of 2, kept until 2026-11-17T12:00:00.000Z');
  expect(lines).toContain('caller to gateway: 10 bytes, 2 frames from 1 to 30 ms');
  expect(lines).toContain('authorization: [redacted]');
  expect(lines).toContain('{"seed":3}');
  expect(lines).toContain('… 1000 more characters; --json prints all');
  expect(lines).not.toContainEqual(expect.stringContaining('gateway to provider'));
  expect(lines.slice(-2)).toEqual([
    'L  seed  no-equivalent  callerRequest 1-9',
    'K  authorization  removed  callerRequest',
  ]);
});

test('why a request is not captured is one line', () => {
  expect(wireLines({ captured: false, why: 'not-sampled' } as Wire)).toEqual(['not captured: not-sampled']);
});

test('a plan has a line for each provider with its losses; an answer its new id', () => {
  const plan = [
    {
      provider: 'anthropic',
      model: 'm',
      lane: 'translated',
      losses: [{ field: 'seed', why: 'no-equivalent' }],
      refusal: null,
    },
    { provider: 'google', model: 'm', lane: null, losses: [], refusal: 'no images' },
  ];
  expect(replayLines({ sealsRemoved: 2, secretsRemoved: 0, plan, requestId: null, answer: null } as Replay)).toEqual([
    'left out: 2 seals',
    '1  anthropic  m  translated  loses seed (no-equivalent)',
    '2  google  m  refused: no images',
  ]);
  expect(
    replayLines({ plan: null, requestId: '01M8', answer: { status: 200, body: '{}', truncated: false } } as Replay),
  ).toEqual(['01M8  200', '', '{}']);
});

test('a stored response is printed with its input, and what is not stored in one line', () => {
  const part = (body: string) => ({ body, bytes: body.length, truncated: false });
  const stored = {
    stored: true,
    responseId: 'resp_2',
    createdAt: '2026-11-19T12:00:00.000Z',
    expiresAt: '2026-11-19T13:00:00.000Z',
    previousRequestId: '1',
    conversationId: null,
    input: part('["Hello"]'),
    response: part('{"id":"resp_2"}'),
  };
  expect(storedLines(stored)).toEqual([
    'resp_2  kept until 2026-11-19T13:00:00.000Z',
    'follows the response of 1',
    '',
    'input: 9 bytes',
    '["Hello"]',
    '',
    'response: 15 bytes',
    '{"id":"resp_2"}',
  ]);
  expect(storedLines({ ...stored, stored: false })).toEqual(['resp_2  not stored']);
});
