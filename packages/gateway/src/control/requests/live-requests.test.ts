import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EVERY_ACCOUNT } from '../../money/usage/record-query.ts';
import { AdminProblem } from '../api/problem.ts';
import { LiveRequests } from './live-requests.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const KEEP_ALIVE = { done: false, value: ': keep-alive\n\n' };

test('a live view ends soon after its viewer has lost the permission, but not with the database', async () => {
  const checks = [
    async () => undefined,
    () => Promise.reject(new Error('the database does not answer')),
    () => Promise.reject(new AdminProblem('unauthenticated', 'revoked')),
  ];
  const live = new LiveRequests({ fromMs: 0, untilMs: 1, account: EVERY_ACCOUNT }, () => checks.shift()!());
  const ended = vi.fn();
  live.onOver(ended);
  expect(await live.next()).toEqual(KEEP_ALIVE);
  for (let round = 0; round < 2; round++) {
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await live.next()).toEqual(KEEP_ALIVE);
  }
  const last = live.next();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await last).toEqual(KEEP_ALIVE);
  expect(await live.next()).toEqual({ done: true, value: undefined });
  expect(ended).toHaveBeenCalledOnce();
});
