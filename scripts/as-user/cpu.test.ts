import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { cpuOf, secondsOf, timed } from './cpu.ts';

test('the times of a shell are added up', () => {
  expect(secondsOf('1m1.500s 0m0.250s')).toBe(61.75);
  expect(() => secondsOf('nothing')).toThrow('no times');
});

test('a command is counted with what it started, and keeps its output', () => {
  const { output, cpuSeconds } = timed('echo said; (i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done)', {
    cwd: tmpdir(),
    env: process.env,
  });
  expect(output.trim()).toBe('said');
  expect(cpuSeconds).toBeGreaterThan(0.02);
});

test('a running process is counted, and one that nobody named is not', () => {
  expect(cpuOf('a text that no command line has, not even this one\0', process.pid)).toBeGreaterThan(0);
  expect(cpuOf('a text that no command line has, not even this one\0', -1)).toBe(0);
});
