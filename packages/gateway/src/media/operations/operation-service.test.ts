import { expect, test } from 'vitest';
import type { OperationEvent } from './operation.ts';
import { newOperationId, OperationService } from './operation-service.ts';
import type { OperationStore } from './ports.ts';

const SPANS = { submitMs: 1, deadlineMs: 1, keepMs: 1 };
const TASK = { id: 'clip-1', path: '' };

/** A database that fails this many times first. */
function serviceOver(failures: number, everyLookMs: number) {
  const written: OperationEvent[] = [];
  const troubles: unknown[] = [];
  let nowMs = 0;
  let left = failures;
  const store = {
    move: async (_id: string, event: OperationEvent) => {
      nowMs += everyLookMs;
      if (left-- > 0) throw new Error('away');
      written.push(event);
      return undefined;
    },
  } as Partial<OperationStore> as OperationStore;
  const service = new OperationService({
    store,
    clock: { monotonicMs: () => nowMs, nowMs: () => nowMs },
    settings: () => ({ submitMs: 1, spans: SPANS, unknownMs: 1 }),
    onTrouble: (error) => troubles.push(error),
  });
  return { service, written, troubles };
}

test('the result of a submission is written when the database is back', async () => {
  const { service, written, troubles } = serviceOver(2, 1);
  await service.submitted('a', { kind: 'accepted', task: TASK, cadenceMs: 5000 });
  expect(written).toEqual([{ name: 'accepted', task: TASK, nextInMs: 5000 }]);
  expect(troubles).toEqual([]);
});

test('waiting for an unreachable database is bounded, and the caller gets the operation name anyway', async () => {
  const { service, written, troubles } = serviceOver(Number.POSITIVE_INFINITY, 10_000);
  await service.submitted('a', { kind: 'accepted', task: TASK, cadenceMs: 5000 });
  expect(written).toEqual([]);
  expect(troubles).toHaveLength(1);
});

// `trivium operations watch <account> -id` failed with "unknown option" for one id in 64.
test('no id begins with a dash, which command lines take for an option', () => {
  const ids = Array.from({ length: 5000 }, newOperationId);
  expect(ids.filter((id) => id.startsWith('-'))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});
