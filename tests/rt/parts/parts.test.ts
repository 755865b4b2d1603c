/** Tests of the test harness: what passes, what counts as a timeout, what a percentile is. */
import { describe, expect, test } from 'vitest';
import { atLeast, atMost, exactly, passes } from '../scenario.ts';
import type { Reply } from './ask.ts';
import { percentile, startLoad } from './load.ts';
import { notATimeout } from './native-error.ts';
import { Stage } from './stage.ts';
import { waitFor } from './wait.ts';

const REPLY: Reply = { status: 200, headers: {}, text: '', complete: true, headMs: 1, totalMs: 2 };

test('a scenario passes only if it has checks and all of them pass', () => {
  expect(passes({ figures: {}, checks: [] })).toBe(false);
  expect(passes({ figures: {}, checks: [atMost('a', 1, 1), atLeast('b', 1, 1), exactly('c', 1, 1)] })).toBe(true);
  expect(passes({ figures: {}, checks: [atMost('a', 1, 1), atMost('b', 2, 1)] })).toBe(false);
  expect(passes({ figures: {}, checks: [atMost('a', Number.NaN, 1)] })).toBe(false);
});

test('percentiles are measured values', () => {
  expect(percentile([], 0.99)).toBe(0);
  expect(percentile([3, 1, 2], 0.5)).toBe(2);
  expect(
    percentile(
      Array.from({ length: 100 }, (_, at) => at),
      0.99,
    ),
  ).toBe(99);
});

test('a load does not wait for answers, and latencies are measured from the due time of a request', async () => {
  const answers: (() => void)[] = [];
  const load = startLoad(200, () => new Promise((resolve) => answers.push(() => resolve(REPLY))));
  await waitFor('twenty are under way', () => answers.length >= 20, 5000);
  expect(load.shots).toHaveLength(0);
  for (const answer of answers) answer();
  const stopped = load.stop();
  for (const answer of answers) answer();
  const shots = await stopped;
  expect(shots.length).toBe(load.fired);
  // The requests due first have waited longest.
  expect(shots[0]?.latencyMs).toBeGreaterThan(shots[15]?.latencyMs ?? Number.POSITIVE_INFINITY);
});

test('the same seed gives the same random values', async () => {
  const [one, other, third] = [new Stage(7), new Stage(7), new Stage(8)];
  const diced = ({ random }: Stage): number[] => [random(), random(), random()];
  const first = diced(one);
  expect(diced(other)).toEqual(first);
  expect(diced(third)).not.toEqual(first);
  for (const value of first) expect(value >= 0 && value < 1).toBe(true);
  await Promise.all([one.close(), other.close(), third.close()]);
});

describe('a timeout in a protocol’s error format', () => {
  const plain = JSON.stringify({ error: { message: 'm', type: 'server_error', param: null, code: 'timeout' } });
  const streamed = 'data: {"choices":[]}\n\ndata: {"error":{"type":"server_error","code":"timeout"}}\n\n';
  const cut = { ...REPLY, complete: false };
  test('a timeout is recognised by its status, or in a stream that is then cut', () => {
    expect(notATimeout('chat', { ...REPLY, status: 504, text: plain })).toBeUndefined();
    expect(notATimeout('chat', { ...cut, text: streamed })).toBeUndefined();
    expect(
      notATimeout('messages', {
        ...cut,
        text: 'event: error\ndata: {"type":"error","error":{"type":"api_error"}}\n\n',
      }),
    ).toBeUndefined();
  });
  test.each<[string, Reply]>([
    ['a finished answer', { ...cut, text: `${streamed}data: [DONE]\n\n` }],
    ['a stream that ends well after its error', { ...REPLY, text: streamed }],
    ['a stream that is cut without a word', { ...cut, text: 'data: {"choices":[]}\n\n' }],
    ['another status', { ...REPLY, status: 502, text: plain }],
    [
      'the words of another protocol',
      { ...REPLY, status: 504, text: '{"type":"error","error":{"type":"timeout_error"}}' },
    ],
    ['no answer', { ...cut, status: 0 }],
  ])('a timeout is not recognised in %s', (_what, reply) => {
    expect(notATimeout('chat', reply)).toBeTypeOf('string');
  });
});
