import { expect, test, vi } from 'vitest';
import type { RequestRecord } from '../../kernel/record.ts';
import { SpanQueue } from './span-queue.ts';
import type { SpanData } from './spans.ts';

const ids = { traceId: () => 't', spanId: () => 's' };
const record = (own: Partial<RequestRecord> = {}): RequestRecord =>
  ({
    how: 'done',
    requestId: 'r',
    protocol: 'chat',
    accountId: 'a',
    keyId: 'k',
    modelId: 'm',
    stream: false,
    attempts: [{ provider: 'p', lane: 'verbatim', durationMs: 1 }],
    receivedAtMs: 0,
    durationMs: 1,
    firstByteMs: undefined,
    metadata: undefined,
    ...own,
  }) as RequestRecord;

function queueInto(isTaken: (spans: readonly SpanData[]) => Promise<boolean>, maxQueuedSpans = 10) {
  return new SpanQueue({ maxQueuedSpans, batchMs: 10_000 }, isTaken, ids);
}

test('no span is built from a record before a batch is sent', async () => {
  const sent = vi.fn(async () => true);
  const queue = queueInto(sent);
  queue.finished(record());
  expect(sent).not.toHaveBeenCalled();
  expect(queue.waiting).toBe(2);
  await queue.flush();
  expect(sent).toHaveBeenCalledOnce();
  expect({ waiting: queue.waiting, exported: queue.exported }).toEqual({ waiting: 0, exported: 2 });
});

test('spans beyond the limit are dropped and counted while a collector is slow', async () => {
  let take: (isTaken: boolean) => void = () => undefined;
  const queue = queueInto(() => new Promise((resolve) => (take = resolve)));
  queue.finished(record());
  const flushed = queue.flush();
  for (let count = 0; count < 8; count++) queue.finished(record());
  expect({ waiting: queue.waiting, overflowed: queue.overflowed }).toEqual({ waiting: 10, overflowed: 6 });
  take(false);
  await flushed;
  expect(queue.refusedByCollector).toBe(2);
});

test('a request that no host answered has the provider of its last call, and no model of an answer', async () => {
  const sent: SpanData[] = [];
  const queue = queueInto(async (spans) => sent.push(...spans) > 0);
  const fault = { kind: 'upstream-broken', message: 'm' } as const;
  const attempts = [{ provider: 'p', lane: 'verbatim', durationMs: 1, fault: fault.kind }];
  queue.finished(record({ how: 'fault', fault, provider: 'p', attempts }));
  await queue.flush();
  expect(sent[0]?.attributes).toMatchObject({ 'gen_ai.provider.name': 'p', 'gen_ai.request.model': 'm' });
  expect(sent[0]?.attributes).not.toHaveProperty('gen_ai.response.model');
});

test('a trace that is not sampled is not queued', () => {
  const queue = queueInto(async () => true);
  const trace = { traceId: 't', spanId: 's', parentSpanId: undefined, state: undefined, baggage: undefined };
  queue.finished(record({ trace: { ...trace, isSampled: false } }));
  expect(queue.waiting).toBe(0);
});

test('many are sent in several batches', async () => {
  const sizes: number[] = [];
  const queue = queueInto(async (spans) => sizes.push(spans.length) > 0, 10_000);
  for (let count = 0; count < 300; count++) queue.finished(record());
  await queue.flush();
  expect(sizes).toEqual([256, 256, 88]);
});
