import { expect, test } from 'vitest';
import { progressLine } from './operations.ts';

const NOW_MS = Date.parse('2026-11-15T10:01:12Z');
const operation = (own: Record<string, unknown>) => ({
  state: 'running',
  percent: null,
  model: 'google/veo-3.1',
  createdAt: '2026-11-15T10:00:00Z',
  finishedAt: null,
  ...own,
});

test.each([
  [{ percent: 33 }, '[########----------------]  33 %  running  1:12  google/veo-3.1'],
  [{ percent: null }, '[------------------------]     …  running  1:12  google/veo-3.1'],
  [
    { state: 'done', percent: 100, finishedAt: '2026-11-15T10:00:40Z' },
    '[########################] 100 %  done  0:40  google/veo-3.1',
  ],
  [
    { state: 'failed', percent: 50, finishedAt: '2026-11-15T10:00:05Z' },
    '[############------------]  50 %  failed  0:05  google/veo-3.1',
  ],
])('%j', (own, line) => {
  expect(progressLine(operation(own), NOW_MS)).toBe(line);
});
