// The queue of operation polls, on a real database: every poll gets its turn, however long others take.
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { OperationJobs } from '../../packages/gateway/src/store/jobs/jobs.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const PATIENCE = { timeout: 20_000 };

let database: TestDatabase;
let store: Store;
const open: OperationJobs[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((jobs) => jobs.stop()));
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

async function node(look: (id: string) => Promise<void>): Promise<OperationJobs> {
  const jobs = await OperationJobs.open(database.settings, () => undefined);
  open.push(jobs);
  await jobs.work(look);
  return jobs;
}

const wake = (jobs: OperationJobs, id: string): Promise<void> =>
  store.writer.transaction().execute((db) => jobs.send(db, id, 0));

test('slow polls do not delay other operations', async () => {
  const seen = new Set<string>();
  const slow = new AbortController();
  const jobs = await node(async (id) => {
    seen.add(id);
    if (id.startsWith('slow')) await once(slow.signal, 'abort');
  });
  for (let nth = 0; nth < 20; nth++) {
    await wake(jobs, `slow-${nth}`);
    await vi.waitFor(() => expect(seen).toContain(`slow-${nth}`), PATIENCE);
  }
  await wake(jobs, 'quick');
  await vi.waitFor(() => expect(seen).toContain('quick'), PATIENCE);
  slow.abort();
});

test('a failed poll is repeated, a successful one is not', async () => {
  const looks: string[] = [];
  const jobs = await node(async (id) => {
    looks.push(id);
    if (looks.length === 1) throw new Error('the host is away');
  });
  await wake(jobs, 'tried twice');
  await vi.waitFor(() => expect(looks).toEqual(['tried twice', 'tried twice']), PATIENCE);
  await wake(jobs, 'last');
  await vi.waitFor(() => expect(looks).toContain('last'), PATIENCE);
  expect(looks).toEqual(['tried twice', 'tried twice', 'last']);
});

test('an unfinished poll of a stopped node is taken over by another', async () => {
  const begun: string[] = [];
  const leaving = await node((id) => {
    begun.push(id);
    return new Promise(() => undefined);
  });
  await wake(leaving, 'left behind');
  await vi.waitFor(() => expect(begun).toEqual(['left behind']), PATIENCE);
  open.length = 0;
  await leaving.stop();
  const taken: string[] = [];
  await node(async (id) => void taken.push(id));
  await vi.waitFor(() => expect(taken).toEqual(['left behind']), PATIENCE);
});
