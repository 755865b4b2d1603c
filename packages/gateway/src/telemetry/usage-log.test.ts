import { expect, test } from 'vitest';
import type { Bill, RequestRecord } from '../kernel/record.ts';
import type { Log } from './log.ts';
import { usageLog } from './usage-log.ts';

const bill: Bill = {
  usage: { prompt: 1, completion: 3 },
  estimated: true,
  cost: { lines: [], attoUsd: 160_000_000_000n, nanoUsd: 160n, priceVersion: 'v1', unpriced: [] },
};
const recordOf = (more: Partial<RequestRecord>): RequestRecord =>
  ({ how: 'done', attempts: [], receivedAtMs: 0, durationMs: 0, bill, ...more }) as RequestRecord;

test('the log line of a request shows the charge if it is less than its bill', () => {
  const lines: object[] = [];
  const log = { usage: (some: readonly object[]) => void lines.push(...some), redact: (text: string) => text };
  const records = [recordOf({}), recordOf({ chargedNanoUsd: 152n })];
  usageLog(log as unknown as Log)(records);
  expect(lines).toMatchObject([{ costUsd: '0.00000016' }, { costUsd: '0.000000152' }]);
});
