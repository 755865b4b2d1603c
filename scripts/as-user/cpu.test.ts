import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { cpuOf, endedSeconds } from './cpu.ts';

test('what has ended is counted with what it started', () => {
  const before = endedSeconds();
  execFileSync('bash', ['-c', '(i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done)']);
  expect(endedSeconds() - before).toBeGreaterThan(0.02);
});

test('a running process is counted, and one that nobody named is not', () => {
  expect(cpuOf('a text that no command line has, not even this one\0', process.pid)).toBeGreaterThan(0);
  expect(cpuOf('a text that no command line has, not even this one\0', -1)).toBe(0);
});
