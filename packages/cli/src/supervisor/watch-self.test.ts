// S8 without workers: each case is a separate process that blocks its event loop for longer than the limit.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { SelfLimits } from './watch-self.ts';

const MODULE = new URL('watch-self.ts', import.meta.url).href;
const LIMIT_MS = 1000;
const STANDSTILL_MS = 4000;
const PATIENCE_MS = 60_000;

const SPIN = `for (const untilMs = performance.now() + ${STANDSTILL_MS}; performance.now() < untilMs; );`;
const SLEEP = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${STANDSTILL_MS});`;

async function standStill(how: string, limits: SelfLimits, ...node: readonly string[]) {
  const program = `
    import { watchSelf } from ${JSON.stringify(MODULE)};
    const watch = watchSelf(${JSON.stringify(limits)}, (error) => { throw error; });
    setTimeout(() => {
      ${how}
      watch.stop();
    }, 50);`;
  const args = ['--conditions=trivium-source', ...node, '--input-type=module', '--eval', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, said };
}

test('a process with a blocked event loop prints one line and exits', { timeout: PATIENCE_MS }, async () => {
  const { signal, said } = await standStill(SPIN, { replaceMs: LIMIT_MS, busyMs: LIMIT_MS });
  expect(signal).toBe('SIGKILL');
  expect(said.trim().split('\n')).toHaveLength(1);
  expect(JSON.parse(said)).toMatchObject({ level: 'error', msg: 'event loop blocked; killing the process' });
});

test('a process that is blocked without using CPU time ends at the shorter limit', {
  timeout: PATIENCE_MS,
}, async () => {
  const { signal } = await standStill(SLEEP, { replaceMs: LIMIT_MS, busyMs: PATIENCE_MS });
  expect(signal).toBe('SIGKILL');
});

test('a process that uses CPU time while it is blocked has the longer limit', { timeout: PATIENCE_MS }, async () => {
  const { code, said } = await standStill(SPIN, { replaceMs: LIMIT_MS, busyMs: PATIENCE_MS });
  expect(said).toBe('');
  expect(code).toBe(0);
});

test.each([
  ['switched off', 0, []],
  ['under a debugger', LIMIT_MS, ['--inspect=127.0.0.1:0']],
])('%s it may stand still', { timeout: PATIENCE_MS }, async (_name, replaceMs, node) => {
  const { code, said } = await standStill(SPIN, { replaceMs, busyMs: LIMIT_MS }, ...node);
  expect(code).toBe(0);
  expect(said).not.toContain('does not turn');
});
