import { expect, test, vi } from 'vitest';
import { guarded } from './budgets.tsx';

test('a change is reported once the API has answered', async () => {
  const report = vi.fn();
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = guarded(promise, report);
  await Promise.resolve();
  expect(report).not.toHaveBeenCalled();
  resolve();
  await ended;
  expect(report).toHaveBeenCalledOnce();
});

test('a change that the API refuses is not reported as done', async () => {
  const report = vi.fn();
  await guarded(Promise.reject(new Error('403')), report);
  expect(report).not.toHaveBeenCalled();
});
