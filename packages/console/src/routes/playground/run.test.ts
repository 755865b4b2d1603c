import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Sent } from './draft.ts';
import { makeCall, type Run } from './run.ts';

const SENT: Sent = { no: 1, keyId: 'key_1', mode: 'chat', isStrict: false, isStream: false, body: {} };
const HELLO = { choices: [{ message: { content: 'Hello' } }] };

/** The call as it is shown last. `answers`: of the data plane, in order; the admin API does not answer. */
async function lastRun(sent: Sent, ...answers: readonly Response[]): Promise<Run | undefined> {
  const shown = vi.fn<(run: Run) => void>();
  const left = [...answers];
  vi.stubGlobal('fetch', () => Promise.resolve(left.shift()));
  const call = makeCall(sent, 'simulator/echo', undefined, new AbortController().signal, shown);
  await vi.runAllTimersAsync();
  await call;
  return shown.mock.lastCall?.[0];
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('an answer is complete, although its cost cannot be read', async () => {
  const run = await lastRun(SENT, Response.json(HELLO, { headers: { 'x-request-id': 'r1' } }));
  expect(run).toMatchObject({ state: 'done', status: 200, costUsd: null });
  expect(run?.answer).toMatchObject({ text: 'Hello' });
  expect(run?.answer.problem).toBeUndefined();
});

test('a video whose state cannot be read says why', async () => {
  const order = Response.json({ name: 'operations/1' });
  const run = await lastRun({ ...SENT, mode: 'video' }, order, new Response('<html>', { status: 502 }));
  expect(run).toMatchObject({ state: 'done', answer: { problem: 'HTTP 502' } });
});

test('subtitles and bare words of a recording are shown as they came, also where they look like JSON', async () => {
  const sent: Sent = { ...SENT, mode: 'transcription' };
  const run = await lastRun(sent, new Response('42', { headers: { 'content-type': 'text/plain' } }));
  expect(run?.answer.text).toBe('42');
});
