import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Fault } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import type { Target } from '../../kernel/target.ts';
import type { Timed } from '../../kernel/timeouts.ts';
import type { RequestSigner, UpstreamListener, UpstreamRequest } from '../../kernel/upstream.ts';
import { sendTo } from './attempt-request.ts';

const POLL_MS = 100;
const ORDER = {
  path: '/order',
  body: (asked: object, { file }: { file?: string }) => (file === undefined ? undefined : { ...asked, file }),
};
const targetPolledEvery = (pollEveryMs: number, order?: typeof ORDER) =>
  ({
    basePath: '/base',
    facts: {},
    dialect: {
      operation: 'image',
      client: {
        job: {
          pollEveryMs,
          ...(order && { order }),
          begun: (body: { resultPath?: string }) => ({ path: '/job', ...body }),
          read: ({ state }: { state: string }) => (state === 'busy' ? 'waiting' : 'done'),
        },
      },
    },
  }) as unknown as Target;
const RESET: Fault = { kind: 'upstream-broken', message: 'gone', unbegun: true };

/** A job that was accepted, at a host scripted by the test; `jitter` is from 0 to 1. */
function takenJob(jitter: number, resultPath?: string, signer?: RequestSigner, pollEveryMs = POLL_MS) {
  const job = submittedJob(jitter, signer, pollEveryMs);
  job.answer(200, JSON.stringify({ resultPath }));
  job.untilAsked();
  return job;
}

function submittedJob(jitter: number, signer?: RequestSigner, pollEveryMs = POLL_MS, order?: typeof ORDER) {
  const world = { nowMs: 0, aborted: 0, watched: new Set<Timed>() };
  const sent: { readonly atMs: number; readonly request: UpstreamRequest; readonly to: UpstreamListener }[] = [];
  const reported: string[] = [];
  const listener: UpstreamListener = {
    onSent: () => void reported.push('sent'),
    onHead: (status) => void reported.push(`head ${status}`),
    onText: (text) => void reported.push(text),
    onEnd: () => void reported.push('end'),
    onFail: (fault, _cause, how) =>
      void reported.push(`${fault.kind}${fault.unbegun === true ? ' unbegun' : ''} ${how ?? ''}`.trim()),
  };
  const headers = signer === undefined ? [] : ['authorization', 'of the submission'];
  const request = { origin: 'http://u', path: '/', headers, body: '{}' };
  const job = sendTo(
    { ...targetPolledEvery(pollEveryMs, order), ...(signer !== undefined && { signer }) },
    order === undefined ? {} : { order: { asked: 1 } },
    request,
    [],
    listener,
    {
      upstream: {
        send: (request: UpstreamRequest, to: UpstreamListener) => {
          sent.push({ atMs: world.nowMs, request, to });
          return { pause: () => {}, resume: () => {}, drain: () => {}, abort: () => void world.aborted++ };
        },
      },
      clock: { nowMs: () => 0, monotonicMs: () => world.nowMs },
      random: () => jitter,
      timeouts: { watch: (one: Timed) => world.watched.add(one), unwatch: (one: Timed) => world.watched.delete(one) },
      limits: { answerLength: 1000 },
    } as never,
  );
  const answer = (status: number, body = '', headers: Record<string, string> = {}): void => {
    const to = sent.at(-1)?.to;
    to?.onHead(status, (name) => headers[name]);
    to?.onText(body);
    to?.onEnd();
  };
  /** Advances the clock with a tick every 50 ms until another request is sent; returns how many ms that took. */
  const untilAsked = (mostMs = 60_000): number | undefined => {
    const [from, count] = [world.nowMs, sent.length];
    while (sent.length === count && world.nowMs - from < mostMs) {
      world.nowMs += 50;
      for (const one of world.watched) one.tick(world.nowMs);
    }
    return sent.length === count ? undefined : world.nowMs - from;
  };
  return { world, sent, reported, answer, untilAsked, abort: () => job.abort() };
}

test('a file is brought, and what is ordered then is the work that counts as sent', () => {
  const { sent, reported, answer, untilAsked } = submittedJob(0, undefined, POLL_MS, ORDER);
  sent[0]?.to.onSent?.();
  expect(reported).toEqual([]);
  answer(200, '{"file":"f"}');
  expect(sent[1]?.request).toMatchObject({ origin: 'http://u', path: '/base/order', body: '{"asked":1,"file":"f"}' });
  expect(sent[1]?.request).not.toHaveProperty('method');
  sent[1]?.to.onSent?.();
  expect(reported).toEqual(['sent']);
  answer(200, '{}');
  untilAsked();
  expect(sent[2]?.request).toMatchObject({ method: 'GET', path: '/base/job' });
  answer(200, '{"state":"ready"}');
  expect(reported).toEqual(['sent', 'head 200', '{"state":"ready"}', 'end']);
});

test('a file that was not taken, or an order that was refused, is the answer of the host', () => {
  const unnamed = submittedJob(0, undefined, POLL_MS, ORDER);
  unnamed.answer(200, '{}');
  expect(unnamed.reported).toEqual(['upstream-broken']);
  const full = submittedJob(0, undefined, POLL_MS, ORDER);
  full.answer(413, 'too large');
  expect(full.reported).toEqual(['head 413', 'too large', 'end']);
  const refused = submittedJob(0, undefined, POLL_MS, ORDER);
  refused.answer(200, '{"file":"f"}');
  refused.answer(400, 'no such model');
  expect(refused.reported).toEqual(['head 400', 'no such model', 'end']);
  const unsent = submittedJob(0, undefined, POLL_MS, ORDER);
  unsent.answer(200, '{"file":"f"}');
  unsent.sent[1]?.to.onFail({ kind: 'upstream-broken', message: 'gone' }, undefined, 'unsent');
  expect(unsent.reported).toEqual(['upstream-broken unsent']);
});

test('a poll that fails temporarily is repeated with increasing backoff, and the job is not lost', () => {
  const { sent, reported, answer, untilAsked } = takenJob(1);
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
  expect(reported).toEqual(['head 200', '{"state":"ready"}', 'end']);
  expect(sent.every(({ request }, at) => at === 0 || request.path === '/base/job')).toBe(true);
});

test('the first polls come sooner than the host’s own interval, so that a quick image is seen soon', () => {
  const { world, answer, untilAsked } = takenJob(0, undefined, undefined, 1000);
  expect(world.nowMs).toBe(200);
  const pauses = Array.from({ length: 4 }, () => {
    answer(200, '{"state":"busy"}');
    return untilAsked();
  });
  expect(pauses).toEqual([400, 800, 1000, 1000]);
});

test('how a submission failed is reported, and how a poll failed proves nothing', () => {
  for (const how of ['unsent', 'lapsed'] as const) {
    const { sent, reported } = submittedJob(0);
    sent[0]?.to.onFail({ kind: 'upstream-broken', message: 'gone' }, undefined, how);
    expect(reported).toEqual([`upstream-broken ${how}`]);
  }
  const { sent, reported, answer, untilAsked } = takenJob(0, '/result');
  answer(200, '{"state":"ready"}');
  for (let more = 0; more < 5; more++) {
    sent.at(-1)?.to.onFail(RESET, undefined, 'unsent');
    untilAsked();
  }
  expect(reported).toEqual(['upstream-broken']);
});

test('five consecutive failures to fetch the result of a finished job fail the request', () => {
  const { sent, reported, answer, untilAsked } = takenJob(1, '/result');
  answer(200, '{"state":"ready"}');
  for (let more = 0; more < 5; more++) {
    expect(reported).toEqual([]);
    answer(500);
    untilAsked();
  }
  expect(reported).toEqual(['upstream-broken']);
  expect(sent.slice(2).map(({ request }) => request.path)).toEqual(Array(5).fill('/base/result'));
});

test('jitter shortens a pause, never below the poll interval nor the host’s retry-after', () => {
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

test('a poll without an answer times out and is repeated', () => {
  const { world, reported, answer, untilAsked } = takenJob(0);
  expect(untilAsked()).toBeGreaterThan(30_000);
  expect(world.aborted).toBe(1);
  answer(200, '{"state":"ready"}');
  expect(reported.at(-1)).toBe('end');
});

test.each([400, 401, 403, 404, 410])(
  '%i is permanent: the job is lost at once, and may have been executed',
  (status) => {
    const { world, reported, answer, untilAsked } = takenJob(0);
    answer(status, '{"detail":"no"}');
    expect(reported).toEqual(['upstream-broken']);
    expect(untilAsked(1_000)).toBeUndefined();
    expect(world.watched.size).toBe(0);
  },
);

test('every poll is signed anew: the signature of the submission may expire before the job is done', () => {
  const signed: UpstreamRequest[] = [];
  const sign = (request: UpstreamRequest) => ['authorization', `signature ${signed.push(request)}`];
  const { sent, answer, untilAsked } = takenJob(0, '/result', { sign });
  answer(200, '{"state":"busy"}');
  untilAsked();
  answer(200, '{"state":"ready"}');
  expect(sent.map(({ request }) => request.headers)).toEqual([
    ['authorization', 'of the submission'],
    ['authorization', 'signature 1'],
    ['authorization', 'signature 2'],
    ['authorization', 'signature 3'],
  ]);
  expect(signed.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /base/job',
    'GET /base/job',
    'GET /base/result',
  ]);
});

/** A job whose first poll waits for its signature; `turns` are the signatures asked for. */
function unsignedPoll() {
  type Turn = { readonly resolve: (headers: readonly string[]) => void; readonly reject: (error: Error) => void };
  const turns: Turn[] = [];
  const sign = (): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      turns.push({ resolve, reject });
    });
  const job = submittedJob(0, { sign });
  job.answer(200, '{}');
  expect(job.untilAsked(POLL_MS)).toBeUndefined();
  expect(turns).toHaveLength(1);
  return { ...job, turns };
}

test('a poll waits for its signature, and is repeated if there is none', async () => {
  const { sent, reported, answer, untilAsked, turns } = unsignedPoll();
  turns[0]?.reject(new Error('no token'));
  await nextTurn();
  untilAsked(POLL_MS);
  turns[1]?.resolve(['authorization', 'late']);
  await nextTurn();
  expect(sent.at(-1)?.request.headers).toEqual(['authorization', 'late']);
  answer(200, '{"state":"ready"}');
  expect(reported.at(-1)).toBe('end');
});

test('a poll that was given up while it was being signed is not sent', async () => {
  const { sent, untilAsked, turns, abort } = unsignedPoll();
  untilAsked(40_000);
  expect(turns).toHaveLength(2);
  turns[0]?.resolve([]);
  await nextTurn();
  expect(sent).toHaveLength(1);
  abort();
  turns[1]?.resolve([]);
  await nextTurn();
  expect(sent).toHaveLength(1);
});

test('a poll whose credential had expired is repeated with the next one', () => {
  let refusals = 0;
  const signer = { sign: () => ['authorization', `token ${refusals}`], refused: () => ++refusals === 1 };
  const { sent, reported, answer, untilAsked } = takenJob(0, undefined, signer);
  answer(401);
  untilAsked();
  expect(sent.at(-1)?.request.headers).toEqual(['authorization', 'token 1']);
  answer(401);
  expect(reported).toEqual(['upstream-broken']);
});
