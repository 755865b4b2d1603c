/** What is captured and what is not, with a fake clock. */
import { expect, test } from 'vitest';
import type { CallerPort } from '../../kernel/caller-port.ts';
import type { RequestRecord } from '../../kernel/record.ts';
import { Capture, type CapturedAbout } from './capture.ts';
import type { CaptureRule } from './rules.ts';
import { type StoredWire, storedWire } from './stored-wire.ts';
import { whyNotCaptured } from './why-not.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 1);

const RULE: CaptureRule = {
  accountId: 'acme',
  keyId: null,
  bodies: 'all',
  samplePercent: 10,
  keepHours: 2,
  untilMs: START_MS + HOUR_MS,
  fromMs: START_MS,
};

const REPLY: CallerPort = {
  gone: false,
  address: '',
  onGone: () => undefined,
  answer: () => undefined,
  open: () => undefined,
  write: () => true,
  onDrain: () => undefined,
  finish: () => undefined,
  cut: () => undefined,
};

const firstOf = (kept: readonly { readonly wire: StoredWire }[]): StoredWire => {
  const [first] = kept;
  if (first === undefined) throw new Error('nothing was kept');
  return first.wire;
};

const OK = { how: 'done', attempts: [] } as unknown as RequestRecord;
const FAILED = { how: 'fault', attempts: [{ fault: 'upstream-broken' }] } as unknown as RequestRecord;
const FAILED_OVER = { how: 'done', attempts: [{ fault: 'upstream-broken' }, {}] } as unknown as RequestRecord;

const ROOMY = { keep: () => true, drop: () => undefined };

function open(rules: readonly CaptureRule[], bounds = { paneLength: 1000, memoryLength: 100_000 }, memory = ROOMY) {
  const kept: { readonly wire: StoredWire; readonly about: CapturedAbout }[] = [];
  const time = { nowMs: START_MS };
  const capture = new Capture({
    memory,
    clock: { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs - START_MS },
    redact: () => (text) => text.replaceAll('secret', '[redacted]'),
    keep: async (wire, about) => {
      kept.push({ wire, about });
      return true;
    },
    bounds,
    onTrouble: (error) => {
      throw error;
    },
  });
  capture.follow(rules);
  const begin = (id: string, text: string, accountId = 'acme', keyId = 'k1') =>
    capture.begin(
      {
        id,
        path: '/api/v1/chat/completions',
        headers: new Map([['authorization', 'Bearer secret']]),
        caller: { accountId, keyId },
        receivedAtMs: time.nowMs,
        startedAtMs: time.nowMs - START_MS,
      },
      text,
    );
  /** A whole request. */
  const pass = async (id: string, record: RequestRecord = OK, text = 'question', answer = 'answer') => {
    const tape = begin(id, text);
    if (tape === undefined) return;
    const reply = tape.through(REPLY);
    const call = tape.attempt({ provider: 'p', modelId: 'm', lane: 'verbatim' });
    call.sent({ origin: 'https://host', path: '/v1', headers: ['x-api-key', 'secret'], body: text });
    call.head(200, []);
    call.text(answer);
    if (record.how === 'fault') {
      tape.finished(record);
      tape.refused(502, [], 'failed');
    } else {
      reply.answer(200, [], answer);
      tape.finished(record);
    }
    await capture.drained();
  };
  return { capture, kept, time, begin, pass };
}

test('without a rule nothing is captured, and `isOn` is false', async () => {
  const { capture, kept, pass } = open([]);
  expect(capture.isOn).toBe(false);
  await pass('r1');
  expect(kept).toEqual([]);
});

test('nothing is written after the end date: neither of later requests nor of one that started before', async () => {
  const { capture, kept, time, begin, pass } = open([RULE]);
  await pass('r1');
  expect(kept).toHaveLength(1);
  const late = begin('r2', 'question');
  time.nowMs = START_MS + HOUR_MS;
  late?.through(REPLY).answer(200, [], 'answer');
  late?.finished(OK);
  await pass('r3');
  await capture.drained();
  expect(kept).toHaveLength(1);
  expect(capture.isOn).toBe(false);
  expect(capture.held).toBe(0);
});

test('content waiting to be written at the end date is not written', async () => {
  const { capture, kept, time, begin } = open([RULE]);
  const tape = begin('r1', 'question');
  tape?.through(REPLY).answer(200, [], 'answer');
  tape?.finished(OK);
  time.nowMs = START_MS + HOUR_MS;
  await capture.drained();
  expect(kept).toEqual([]);
  expect(capture.held).toBe(0);
});

test('content expires the hours of its rule after it was written', async () => {
  const { kept, pass } = open([RULE]);
  await pass('r1');
  expect(kept[0]?.about).toEqual({
    accountId: 'acme',
    receivedAtMs: START_MS,
    expiresAtMs: START_MS + 2 * HOUR_MS,
  });
});

test('a rule of a key takes precedence over that of its account, and the latest over earlier ones', async () => {
  const own = (bodies: CaptureRule['bodies'], fromMs: number): CaptureRule => ({
    ...RULE,
    keyId: 'k1',
    bodies,
    fromMs,
  });
  expect(open([RULE, own('off', START_MS)]).begin('r1', 'q')).toBeUndefined();
  expect(open([RULE, own('inherit', START_MS)]).begin('r1', 'q')).toBeDefined();
  expect(open([own('all', START_MS + 1), own('off', START_MS)]).begin('r1', 'q')).toBeDefined();
  expect(open([own('off', START_MS + 1), own('all', START_MS), RULE]).begin('r1', 'q')).toBeUndefined();
  expect(open([RULE]).begin('r1', 'q', 'other')).toBeUndefined();
});

test('with errors only, failed requests and those with a failed attempt are captured', async () => {
  const { kept, pass } = open([{ ...RULE, bodies: 'errors' }]);
  await pass('fine');
  await pass('failed', FAILED);
  await pass('failed-over', FAILED_OVER);
  expect(kept.map(({ wire }) => wire.requestId)).toEqual(['failed', 'failed-over']);
});

test('a sample is a share of all requests, the same on every node, and the API says which were left out', async () => {
  const rule: CaptureRule = { ...RULE, bodies: 'sample', samplePercent: 25 };
  const { begin } = open([rule]);
  const ids = Array.from({ length: 4000 }, (_, at) => `01M7GG2XXA0CZN3Z0WZM${at.toString(36).padStart(6, '0')}`);
  const taken = new Set(ids.filter((id) => begin(id, '') !== undefined));
  expect(taken.size).toBeGreaterThan(800);
  expect(taken.size).toBeLessThan(1200);
  const why = (requestId: string) =>
    whyNotCaptured(
      { requestId, accountId: 'acme', keyId: 'k1', receivedAtMs: START_MS, hasFailed: false },
      [rule],
      START_MS,
    );
  expect(ids.filter((id) => why(id) === 'not-sampled').length).toBe(ids.length - taken.size);
});

test('a failure is stored with the answer its caller got, in whichever order they come', async () => {
  const { kept, pass } = open([RULE]);
  await pass('failed', FAILED);
  expect(kept[0]?.wire.callerResponse).toMatchObject({ startLine: 'HTTP/1.1 502', body: 'failed' });
});

test('a repeated answer of an Idempotency-Key is not stored', async () => {
  const { capture, kept, begin } = open([RULE]);
  begin('r1', 'question')?.close();
  await capture.drained();
  expect(kept).toEqual([]);
  expect(capture.held).toBe(0);
});

test('a body beyond the limit is truncated and marked so; its full length is still reported', async () => {
  const { kept, pass } = open([RULE], { paneLength: 1000, memoryLength: 100_000 });
  await pass('r1', OK, 'q'.repeat(5000));
  const { callerRequest, callerResponse } = firstOf(kept);
  expect(callerRequest).toMatchObject({ truncated: true, bytes: 5000 });
  expect(callerRequest.body.length).toBeLessThan(1000);
  expect(callerResponse).toMatchObject({ truncated: false, bytes: 'answer'.length });
});

test('a secret at the point of truncation is removed with the end', async () => {
  const { kept, pass } = open([RULE], { paneLength: 1000, memoryLength: 100_000 });
  await pass('r1', OK, `${'q'.repeat(997)}secret and more`);
  expect(JSON.stringify(kept[0])).not.toContain('qs');
});

test('a capture without memory is dropped and counted, and its memory is released', async () => {
  const { capture, kept, begin, pass } = open([RULE], { paneLength: 1000, memoryLength: 1500 });
  const open1 = begin('r1', 'q'.repeat(1000));
  const open2 = begin('r2', 'q'.repeat(1000));
  expect(capture.counts.dropped).toBe(1);
  expect(capture.held).toBe(1000);
  open2?.through(REPLY).answer(200, [], 'answer');
  open2?.finished(OK);
  open1?.through(REPLY).answer(200, [], 'answer');
  open1?.finished(OK);
  await capture.drained();
  expect(kept.map(({ wire }) => wire.requestId)).toEqual(['r1']);
  expect(capture.held).toBe(0);
  await pass('r3');
  expect(capture.counts).toEqual({ stored: 2, dropped: 1, failed: 0 });
});

test('headers lose credentials, bodies lose secrets; frames are as long as what is left', async () => {
  const { capture, kept, begin, time } = open([RULE]);
  const tape = begin('r1', 'my secret');
  const reply = tape?.through(REPLY);
  reply?.open(200, []);
  for (const piece of ['one ', 'two sec', 'ret three ', 'four']) {
    time.nowMs += 10;
    reply?.write(piece);
  }
  tape?.finished(OK);
  await capture.drained();
  const { callerRequest, callerResponse } = firstOf(kept);
  expect(callerRequest).toMatchObject({ body: 'my [redacted]', secrets: 1 });
  expect(callerRequest.headers).toEqual([{ name: 'authorization', value: '[redacted]', redacted: true }]);
  expect(callerResponse.body).toBe('one two [redacted] three four');
  expect(callerResponse.frames).toEqual([
    { atMs: 10, bytes: 4 },
    { atMs: 30, bytes: 'two [redacted] three '.length },
    { atMs: 40, bytes: 4 },
  ]);
  expect(JSON.stringify(kept)).not.toContain('secret ');
});

test('a secret that is cut in two does not have every later frame redacted again with all before it', () => {
  const { begin } = open([RULE], { paneLength: 100_000, memoryLength: 1_000_000 });
  const tape = begin('r1', 'question');
  if (tape === undefined) throw new Error('nothing is captured');
  const reply = tape.through(REPLY);
  reply.open(200, []);
  for (const piece of ['key sk-abcd', 'efgh ', ...Array.from({ length: 1000 }, () => 'word ')]) reply.write(piece);
  let redacted = 0;
  const { body, frames } = storedWire(tape, (text) => {
    redacted += text.length;
    return text.replaceAll(/sk-[a-z]{4,}/g, '[redacted]');
  }).callerResponse;
  expect(body).toBe(`key [redacted] ${'word '.repeat(1000)}`);
  expect(frames.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(body.length);
  expect(redacted).toBeLessThan(3 * body.length);
});

test('without memory in this process a capture is dropped, and counted', async () => {
  let held = 0;
  const memory = {
    keep: (_: string, bytes: number) => {
      if (held + bytes > 100) return false;
      held += bytes;
      return true;
    },
    drop: (_: string, bytes: number) => {
      held -= bytes;
    },
  };
  const { capture } = open([RULE], undefined, memory as unknown as typeof ROOMY);
  expect(capture.begin({ ...START, id: 'short' }, 'x'.repeat(40))).toBeDefined();
  expect(held).toBe(80);
  capture.begin({ ...START, id: 'long' }, 'x'.repeat(40));
  expect([capture.counts.dropped, held]).toEqual([1, 80]);
});

const START = {
  path: '/api/v1/chat/completions',
  headers: new Map<string, string>(),
  caller: { accountId: 'acme', keyId: 'k1' },
  receivedAtMs: START_MS,
  startedAtMs: 0,
};
