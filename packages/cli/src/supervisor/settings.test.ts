import type { ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { readSettings, type SettingsOutcome } from './settings.ts';

const ANSWER: SettingsOutcome = { problems: ['trivium.yaml:1:1: is empty'] };

/** Children that end, or answer, as the list says. */
const children = (...ends: readonly ('SIGKILL' | number | SettingsOutcome)[]) => {
  let started = 0;
  const start = (): ChildProcess => {
    const end = ends[started++];
    const child = new EventEmitter();
    setImmediate(() => {
      if (typeof end === 'object') child.emit('message', end);
      else if (typeof end === 'number') child.emit('exit', end, null);
      else child.emit('exit', null, end);
    });
    return child as ReturnType<typeof fork>;
  };
  return { start, started: () => started };
};

test('a child that is killed before it has answered is started anew', async () => {
  const { start, started } = children('SIGKILL', 'SIGKILL', ANSWER);
  expect(await readSettings('trivium.yaml', {}, 'start', start)).toEqual(ANSWER);
  expect(started()).toBe(3);
});

test('a child that ends by itself, or is killed again and again, ends the start', async () => {
  const ended = children(1);
  await expect(readSettings('trivium.yaml', {}, 'start', ended.start)).rejects.toThrow('ended with code 1');
  const killed = children('SIGKILL', 'SIGKILL', 'SIGKILL', ANSWER);
  await expect(readSettings('trivium.yaml', {}, 'start', killed.start)).rejects.toThrow('ended with SIGKILL');
  expect([ended.started(), killed.started()]).toEqual([1, 3]);
});
