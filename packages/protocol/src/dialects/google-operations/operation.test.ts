import { expect, test } from 'vitest';
import type { FaultKind } from '../../canonical/fault.ts';
import { encodeOperation } from './operation.ts';

const errorOf = (kind: FaultKind): unknown =>
  encodeOperation('operations/1', { state: 'failed', fault: { kind, message: 'no' } })['error'];

/** The official numbers of the rpc statuses. */
test.each<[FaultKind, number]>([
  ['cancelled', 1],
  ['malformed', 3],
  ['unsupported', 3],
  ['refused', 3],
  ['context-exceeded', 3],
  ['too-large', 3],
  ['upstream-timeout', 4],
  ['unknown-model', 5],
  ['unknown-operation', 5],
  ['forbidden', 7],
  ['over-budget', 8],
  ['over-rate', 8],
  ['upstream-over-rate', 8],
  ['method-not-allowed', 12],
  ['upstream-broken', 13],
  ['internal', 13],
  ['upstream-overloaded', 14],
  ['overloaded', 14],
  ['unauthenticated', 16],
])('an operation that failed with %s has the rpc code %i', (kind, code) => {
  expect(errorOf(kind)).toMatchObject({ code });
});
