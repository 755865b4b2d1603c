import type { Fault } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import type { Target } from '../kernel/target.ts';
import type { Timed } from '../kernel/timeouts.ts';
import type { UpstreamListener, UpstreamRequest } from '../kernel/upstream.ts';
import { sendTo } from './polled-job.ts';

const POLL_MS = 100;
const target = {
  basePath: '/base',
  facts: {},
  dialect: {
    operation: 'image',
    client: {
      job: {
        pollEveryMs: POLL_MS,
        begun: (body: { resultPath?: string }) => ({ path: '/job', ...body }),
        read: ({ state }: { state: string }) => (state === 'busy' ? 'waiting' : 'done'),
      },
    },
  },
} as unknown as Target;
const RESET: Fault = { kind: 'upstream-broken', message: 'gone', unbegun: true };

/** A job that was taken, at a host whose answers the test gives; `dice` is what chance gives. */
function takenJob(dice: number, resultPath?: string) {
  const world = { nowMs: 0, aborted: 0, watched: new Set<Timed>() };
  const sent: { readonly atMs: number; readonly request: UpstreamRequest; readonly to: UpstreamListener }[] = [];
  const told: string[] = [];
  const listener: UpstreamListener = {
    onHead: (status) => void told.push(`head ${status}`),
    onText: (text) => void told.push(text),
    onEnd: () => void told.push('end'),
    onFail: (fault) => void told.push(`${fault.kind}${fault.unbegun === true ? ' unbegun' : ''}`),
  };
  sendTo(target, { origin: 'http://u', path: '/', headers: [], body: '{}' }, listener, {
    upstream: {
      send: (request: UpstreamRequest, to: UpstreamListener) => {
        sent.push({ atMs: world.nowMs, request, to });
        return { pause: () => {}, resume: () => {}, abort: () => void world.aborted++ };
      },
    },
    clock: { nowMs: () => 0, monotonicMs: () => world.nowMs },
    random: () => dice,
    timeouts: { watch: (one: Timed) => world.watched.add(one), unwatch: (one: Timed) => world.watched.delete(one) },
    limits: { answerLength: 1000 },
  } as never);
  const answer = (status: number, body = '', headers: Record<string, string> = {}): void => {
    const to = sent.at(-1)?.to;
    to?.onHead(status, (name) => headers[name]);
    to?.onText(body);
    to?.onEnd();
  };
  /** Lets time go by, a beat every 50 ms, until something new is sent; gives how long that took. */
  const untilAsked = (mostMs = 60_000): number | undefined => {
    const [from, count] = [world.nowMs, sent.length];
    while (sent.length === count && world.nowMs - from < mostMs) {
      world.nowMs += 50;
      for (const one of world.watched) one.tick(world.nowMs);
    }
    return sent.length === count ? undefined : world.nowMs - from;
  };
  answer(200, JSON.stringify({ resultPath }));
  untilAsked();
  return { world, sent, told, answer, untilAsked };
}

test('a question that fails for a reason that passes is asked again after ever longer pauses, and the job is not lost', () => {
  const { sent, told, answer, untilAsked } = takenJob(1);
  const pauses: (number | undefined)[] = [];
  for (const fail of [() => answer(503), () => sent.at(-1)?.to.onFail(RESET, undefined), () => answer(200, '<html>')]) {
    fail();
    pauses.push(untilAsked());
  }
  for (let more = 0; more < 20; more++) {
    answer(500);
    pauses.push(untilAsked());
  }
  expect(pauses.slice(0, 6)).toEqual([100, 200, 400, 800, 1600, 3200]);
  expect(pauses.at(-1)).toBe(15_000);
  answer(200, '{"state":"busy"}');
  expect(untilAsked()).toBe(POLL_MS);
  answer(502);
  expect(untilAsked()).toBe(POLL_MS);
  answer(200, '{"state":"ready"}');
  expect(told).toEqual(['head 200', '{"state":"ready"}', 'end']);
  expect(sent.every(({ request }, at) => at === 0 || request.path === '/base/job')).toBe(true);
});

test('of a job that is done, five failures in a row are the result', () => {
  const { sent, told, answer, untilAsked } = takenJob(1, '/result');
  answer(200, '{"state":"ready"}');
  for (let more = 0; more < 5; more++) {
    expect(told).toEqual([]);
    answer(500);
    untilAsked();
  }
  expect(told).toEqual(['upstream-broken']);
  expect(sent.slice(2).map(({ request }) => request.path)).toEqual(Array(5).fill('/base/result'));
});

test('chance shortens a pause, never below that of the host’s own pace nor the one it asks for', () => {
  const { answer, untilAsked } = takenJob(0);
  for (const [headers, pauseMs] of [
    [{}, POLL_MS],
    [{ 'retry-after': '7' }, 7_000],
    [{}, POLL_MS],
  ] as const) {
    answer(429, '', headers);
    expect(untilAsked()).toBe(pauseMs);
  }
});

test('a question of which nothing is heard is given up and asked again', () => {
  const { world, told, answer, untilAsked } = takenJob(0);
  expect(untilAsked()).toBeGreaterThan(30_000);
  expect(world.aborted).toBe(1);
  answer(200, '{"state":"ready"}');
  expect(told.at(-1)).toBe('end');
});

test.each([400, 401, 403, 404, 410])('%i will not pass: the job is lost at once, and may have been made', (status) => {
  const { world, told, answer, untilAsked } = takenJob(0);
  answer(status, '{"detail":"no"}');
  expect(told).toEqual(['upstream-broken']);
  expect(untilAsked(1_000)).toBeUndefined();
  expect(world.watched.size).toBe(0);
});
