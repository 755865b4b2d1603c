import cluster, { type Worker as Process } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { startClusterWorker } from './cluster-worker.ts';

/** A worker process that answers when the test says so. */
function startPuppet() {
  const channel = Object.assign(new EventEmitter(), {
    pid: 7,
    send: () => true,
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  });
  const asked: unknown[] = [];
  const child = Object.assign(new EventEmitter(), {
    process: channel,
    isConnected: () => true,
    send: (message: unknown) => asked.push(message) > 0,
  });
  vi.spyOn(cluster, 'fork').mockReturnValueOnce(child as unknown as Process);
  const nothing = (): void => undefined;
  const worker = startClusterWorker({}, { onMessage: nothing, writeLog: nothing, writeError: nothing });
  return { child, asked, worker };
}

const FOREVER_MS = 2 ** 31 - 1;

test('scrapes at the same time all end with the next figures, none by its time limit', async () => {
  const { child, asked, worker } = startPuppet();
  const scrapes = [worker.refreshFigures(FOREVER_MS), worker.refreshFigures(FOREVER_MS)];
  expect(asked).toHaveLength(2);
  child.emit('message', { kind: 'own-figures', figures: { up: 1 } });
  await Promise.all(scrapes);
  expect(worker.figures).toEqual({ up: 1 });
});

test('a scrape ends with the worker process', async () => {
  const { child, worker } = startPuppet();
  const scrape = worker.refreshFigures(FOREVER_MS);
  child.emit('exit', null, 'SIGKILL');
  await scrape;
  expect(worker.figures).toBeUndefined();
});

test('a worker that fails more than once does not end the supervisor', async () => {
  const { child, worker } = startPuppet();
  for (const address of ['data', 'admin']) child.emit('error', new Error(`write EPIPE, ${address}`));
  expect(await worker.ended).toBe('write EPIPE, data');
});
