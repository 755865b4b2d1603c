import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning } from './unprivileged.ts';

const LOOKS = 500;

test('does not take a killed process that its parent has not reaped for a running one', async () => {
  // The shell becomes a program that never waits for the child it inherited.
  const parent = spawn('/bin/sh', ['-c', 'sleep 600 & echo $!; exec tail -f /dev/null'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  await until(() => isRunning(pid, 'sleep'));
  await until(() => isRunning(parent.pid!, 'tail'));
  process.kill(pid, 'SIGKILL');
  await until(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '));
  expect(isRunning(pid, 'sleep')).toBe(false);
});

async function until(holds: () => boolean): Promise<void> {
  for (let looks = 0; looks < LOOKS; looks++) {
    if (holds()) return;
    await sleep(10);
  }
  throw new Error('it never held');
}
