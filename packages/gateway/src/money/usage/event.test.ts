import { expect, test } from 'vitest';
import type { Bill, RefusedRequest, RequestRecord } from '../../kernel/record.ts';
import { refusalEventOf, usageEventOf, withoutSecrets } from './event.ts';

const BILL: Bill = {
  usage: { prompt: 1, completion: 3 },
  estimated: true,
  cost: { lines: [], attoUsd: 160_000_000_000n, nanoUsd: 160n, priceVersion: 'v1', unpriced: [] },
};

const costOf = (record: Partial<RequestRecord>): string =>
  usageEventOf({ how: 'done', attempts: [], ...record } as RequestRecord, (text) => text).costNano;

test('a request costs its bill, or the charged amount if that was less, or nothing', () => {
  expect(costOf({ bill: BILL })).toBe('160');
  expect(costOf({ bill: BILL, chargedNanoUsd: 152n })).toBe('152');
  expect(costOf({})).toBe('0');
});

test('S6: the reported usage is recorded beside the charged one', () => {
  const suspect = { why: ['output-cap'], reported: { prompt: 1, completion: 1_000_000 } } as const;
  const record = { how: 'done', attempts: [], bill: { ...BILL, suspect } } as unknown as RequestRecord;
  const { outputTokens, details } = usageEventOf(record, (text) => text);
  expect({ outputTokens, usage: details.usage, suspect: details.suspect }).toEqual({
    outputTokens: 3,
    usage: BILL.usage,
    suspect,
  });
});

test('a refused request is recorded without a secret that was sent as a model name', () => {
  const refused: RefusedRequest = {
    requestId: 'r',
    protocol: 'chat',
    route: 'text-call',
    askedModel: 'sk-secret',
    fault: { kind: 'unknown-model', message: "There is no model 'sk-secret'.", field: 'model' },
    receivedAtMs: 0,
    durationMs: 1,
  };
  const clean = withoutSecrets(refused, (text) => text.replaceAll('sk-secret', '[redacted]'));
  const event = refusalEventOf(clean, 0, (text) => text);
  expect(event.details.problem).toBe("There is no model '[redacted]'.");
  expect(JSON.stringify(event)).not.toContain('sk-secret');
});
