import { expect, test } from 'vitest';
import type { Journal } from '../journal/journal.ts';
import type { Command, Result } from './core/commands.ts';
import { NodeLedgerCore } from './core/node-ledger-core.ts';
import { LiveEpoch } from './live-epoch.ts';

test('a journal that gets no new file goes on in the old one, and what is owed is still posted', async () => {
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
  const till = new NodeLedgerCore('n.1', () => 'lease');
  const epoch = new LiveEpoch(till, journal, {
    book: {
      apply: async (commands): Promise<readonly Result[]> => {
        posted.push(...commands);
        return commands.map(() => ({ is: 'done' }));
      },
      isRefusal: () => false,
      park: async () => undefined,
      timeline: async () => '1',
      openAccount: async () => undefined,
      termsOf: async () => ({ unlimited: true, budgeted: new Set() }),
    },
    monotonicMs: () => performance.now(),
    onTrouble: (error) => troubles.push(error),
  });
  const ask = { request: 'r', account: 'a', scopes: [], amount: 5n, priceVersion: 'v', idempotencyKey: '' };
  till.admitFreely(ask, performance.now());
  till.settle('r', 3n, false, '');
  await epoch.written();
  expect(await epoch.close(5_000)).toBe(true);
  expect(posted).toMatchObject([{ do: 'settle', request: 'r', cost: 3n }]);
  expect(troubles).toContain(noFile);
});
