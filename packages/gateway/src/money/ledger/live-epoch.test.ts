import { expect, test } from 'vitest';
import type { Journal } from '../journal/journal.ts';
import type { Command, Result } from './core/commands.ts';
import { type Ask, NodeLedgerCore } from './core/node-ledger-core.ts';
import { LiveEpoch } from './live-epoch.ts';

const ask = (request: string): Ask => ({
  request,
  account: 'a',
  scopes: [],
  amount: 5n,
  priceVersion: 'v',
  idempotencyKey: '',
});

/** A database that answers on the test's command, and a journal with numbered segments. */
function stand() {
  const [batches, removed, answers]: [(readonly Command[])[], number[], (() => void)[]] = [[], [], []];
  let [segment, nowMs] = [0, 0];
  const journal = {
    isFull: false,
    append: () => true,
    rotate: () => {
      const old = segment++;
      journal.isFull = false;
      return { remove: () => removed.push(old) };
    },
    delete: () => undefined,
    close: () => undefined,
  };
  const core = new NodeLedgerCore('n.1', () => 'lease');
  core.beaten(0, { is: 'alive', recalled: [] }, 0);
  const epoch = new LiveEpoch(core, journal as unknown as Journal, {
    database: {
      apply: (commands) => {
        batches.push(commands);
        const results = commands.map(
          (command): Result =>
            command.do === 'lease' ? { is: 'granted', amount: 160n, validForMs: 1e9 } : { is: 'done' },
        );
        return new Promise((resolve) => answers.push(() => resolve(results)));
      },
      isRefusal: () => false,
      park: async () => undefined,
      standing: async () => ({ timeline: '1', beats: Number.MAX_SAFE_INTEGER }),
      openAccount: async () => undefined,
      termsOf: async (accounts) => accounts.map(() => ({ unlimited: true, budgeted: new Set() })),
    },
    monotonicMs: () => nowMs,
    onTrouble: (error) => {
      throw error;
    },
  });
  const settle = (from: number, count: number): Promise<boolean> => {
    for (let number = from; number < from + count; number++) {
      core.admitFreely(ask(`r${number}`), nowMs);
      core.settle(`r${number}`, 3n, false, '');
    }
    return epoch.written();
  };
  return {
    core,
    epoch,
    journal,
    batches,
    removed,
    settle,
    passMs: (ms: number): void => {
      nowMs += ms;
    },
    answer: (): void => answers.shift()!(),
    sent: (count: number) => expect.poll(() => batches.length, { timeout: 10_000 }).toBe(count),
  };
}

test('batches grow with the backlog, and follow each other without a pause', async () => {
  const { settle, batches, sent, answer, epoch, passMs } = stand();
  await settle(0, 3_000);
  passMs(700);
  await sent(1);
  expect(epoch.core.outbox.queue.settles).toBe(3_000);
  expect(epoch.unpostedMs).toBe(700);
  for (const count of [2, 3, 4]) {
    answer();
    await sent(count);
  }
  answer();
  await expect.poll(() => epoch.core.unposted, { timeout: 10_000 }).toBe(3_000 - 256 - 512 - 1_024 - 1_024);
  await sent(5);
  answer();
  await expect.poll(() => epoch.unpostedMs, { timeout: 10_000 }).toBe(0);
  expect(batches.map((batch) => batch.length)).toEqual([256, 512, 1_024, 1_024, 184]);
});

test('a journal segment stays until its settlements are posted, whatever was posted before them', async () => {
  const { core, epoch, journal, settle, sent, answer, batches, removed, passMs } = stand();
  await settle(0, 300);
  journal.isFull = true;
  await settle(300, 1);
  passMs(1e6);
  core.beaten(1e6, { is: 'alive', recalled: [] }, 1e6);
  await sent(1);
  // Admission requests a lease for each of these accounts, and leases are posted first.
  for (let number = 0; number < 600; number++) core.admit({ ...ask(`asked-${number}`), account: `b${number}` }, 1e6);
  await epoch.written();
  answer();
  await sent(2);
  expect(batches[1]!.filter((command) => command.do === 'lease')).toHaveLength(512);
  answer();
  await sent(3);
  expect(core.outbox.queue.settles).toBe(45);
  expect(removed).toEqual([]);
  answer();
  await expect.poll(() => removed, { timeout: 10_000 }).toEqual([0]);
  expect(core.outbox.queue.settles).toBe(0);
});

test('a journal that cannot open a new segment continues in the old one, and postings go on', async () => {
  const noFile = new Error('EMFILE: too many open files');
  const journal = {
    isFull: true,
    append: () => true,
    rotate: () => {
      throw noFile;
    },
    delete: () => undefined,
  } as unknown as Journal;
  const posted: Command[] = [];
  const troubles: unknown[] = [];
  const core = new NodeLedgerCore('n.1', () => 'lease');
  const epoch = new LiveEpoch(core, journal, {
    database: {
      apply: async (commands): Promise<readonly Result[]> => {
        posted.push(...commands);
        return commands.map(() => ({ is: 'done' }));
      },
      isRefusal: () => false,
      park: async () => undefined,
      standing: async () => ({ timeline: '1', beats: Number.MAX_SAFE_INTEGER }),
      openAccount: async () => undefined,
      termsOf: async (accounts) => accounts.map(() => ({ unlimited: true, budgeted: new Set() })),
    },
    monotonicMs: () => performance.now(),
    onTrouble: (error) => troubles.push(error),
  });
  core.admitFreely(ask('r'), performance.now());
  core.settle('r', 3n, false, '');
  await epoch.written();
  expect(await epoch.close(5_000)).toBe(true);
  expect(posted).toMatchObject([{ do: 'settle', request: 'r', cost: 3n }]);
  expect(troubles).toContain(noFile);
});
