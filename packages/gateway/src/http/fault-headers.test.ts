import { FAULT_RULES, type FaultKind } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import { faultHeaders } from './fault-headers.ts';

const KINDS = Object.keys(FAULT_RULES) as FaultKind[];

test.each(KINDS)('a %s is not retried by clients if only a person can change its outcome', (kind) => {
  const headers = faultHeaders({ kind, message: 'no' });
  const isFinal = [401, 402, 403].includes(FAULT_RULES[kind].status) || kind === 'over-budget';
  expect(headers.includes('x-should-retry')).toBe(isFinal);
});
