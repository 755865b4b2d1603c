import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RequestRecord } from '../kernel/record.ts';
import { createLog } from './log.ts';
import { createMetrics } from './metrics.ts';
import { observe } from './observe.ts';

const RECORD: RequestRecord = {
  how: 'done',
  requestId: '01H',
  protocol: 'chat',
  accountId: 'team',
  keyId: 'app',
  modelId: 'openai/gpt-4o',
  provider: 'openai',
  stream: false,
  attempts: [{ provider: 'openai', lane: 'verbatim', durationMs: 20 }],
  receivedAtMs: 1_700_000_000_000,
  durationMs: 250,
  firstByteMs: 200,
  metadata: undefined,
};

function stage(logsRequests = true) {
  const written: string[] = [];
  const zero = (): number => 0;
  const metrics = createMetrics({
    protocols: ['chat'],
    routes: ['text-call'],
    providers: ['openai'],
    gauges: { inFlight: zero, openStreams: zero, openHolds: zero, configGeneration: zero, shedShare: zero },
    refusals: () => new Map(),
    cuts: () => new Map(),
    withProcessMetrics: false,
  });
  const log = createLog({ level: 'info', write: (text) => void written.push(text) });
  const lines = (): unknown[] =>
    written
      .join('')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { observing: observe(log, metrics, () => logsRequests), metrics, written, lines };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('records are batched, but wait no longer than 100 ms', () => {
  const { observing, lines } = stage();
  observing.record(RECORD);
  expect(lines()).toEqual([]);
  vi.advanceTimersByTime(100);
  expect(lines()).toHaveLength(1);
});

test('requests are counted, and failures of upstreams logged, where the lines of requests are left out', async () => {
  const { observing, lines, metrics } = stage(false);
  observing.record(RECORD);
  observing.flush();
  expect(lines()).toEqual([]);
  expect(await metrics.render()).toMatch(/trivium_request_duration_seconds_count\{[^}]*\} 1/);
});

test('a line has the time at which its request ended, however long it waited', () => {
  const { observing, lines } = stage();
  observing.record(RECORD);
  observing.flush();
  expect(lines()).toEqual([expect.objectContaining({ time: '2023-11-14T22:13:20.250Z', requestId: '01H' })]);
});

test('many records become many lines in one write, and are counted', async () => {
  const { observing, metrics, written, lines } = stage();
  for (let index = 0; index < 64; index++) observing.record({ ...RECORD, requestId: `r${index}` });
  expect(written).toHaveLength(1);
  expect(lines()).toHaveLength(64);
  expect(await metrics.render()).toContain('trivium_request_duration_seconds_count{protocol="chat"} 64');
});

test('a failed call is logged with its own model, and a request without an answer counts neither tokens nor cost', async () => {
  const { observing, metrics, lines } = stage();
  const fault = { kind: 'upstream-broken', message: 'm' } as const;
  const failed = { provider: 'openai', lane: 'verbatim', durationMs: 1, fault: fault.kind, heard: { text: 'no' } };
  const attempts = ['openai/gpt-4o', 'openai/gpt-5'].map((modelId) => ({ ...failed, modelId }));
  observing.record({ ...RECORD, how: 'fault', fault, modelId: 'openai/gpt-5', attempts, firstByteMs: undefined });
  observing.flush();
  expect(lines().slice(1)).toMatchObject(
    attempts.map(({ modelId: model }) => ({ msg: 'upstream call failed', model })),
  );
  const rendered = await metrics.render();
  expect(rendered).toContain('outcome="upstream-broken"} 2');
  expect(rendered).not.toMatch(/trivium_(tokens|cost_usd)_total\{/);
});

test('S6: implausible usage is an error in the log and counted by reason', async () => {
  const { observing, metrics, lines } = stage();
  const cost = { lines: [], attoUsd: 0n, nanoUsd: 0n, priceVersion: 'v', unpriced: [] };
  const usage = { prompt: 9, completion: 33 };
  const suspect = { why: ['output-cap', 'answer-length'], reported: { prompt: 9, completion: 1_000_000 } } as const;
  observing.record({ ...RECORD, bill: { usage, estimated: false, cost, suspect } });
  observing.flush();
  expect(lines()).toEqual([
    expect.objectContaining({ msg: 'request', suspect: { why: suspect.why, charged: usage } }),
    expect.objectContaining({
      level: 'error',
      msg: 'implausible upstream usage',
      requestId: '01H',
      provider: 'openai',
      why: 'output-cap, answer-length',
      reportedTokens: 1_000_009,
      chargedTokens: 42,
    }),
  ]);
  const text = await metrics.render();
  expect(text).toContain('trivium_suspect_usage_total{provider="openai",why="answer-length"} 1');
});
