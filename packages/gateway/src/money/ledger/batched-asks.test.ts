import { expect, test } from 'vitest';
import { BatchedAsks } from './batched-asks.ts';
import type { Command, Result } from './core/commands.ts';
import type { LedgerDatabase } from './ledger-database.ts';

const hold = (request: number): Command => ({
  do: 'hold',
  account: 'a',
  request: `r${request}`,
  epoch: 'e',
  amount: 1n,
  scopes: [],
  priceVersion: 'v',
  idempotencyKey: '',
});

test('a few batches run at once; commands that arrive meanwhile join the next batch, and each gets its own result', async () => {
  const batches: (readonly Command[])[] = [];
  const answers: ((fail?: Error) => void)[] = [];
  const apply = (commands: readonly Command[]): Promise<readonly Result[]> => {
    batches.push(commands);
    return new Promise((resolve, reject) => {
      answers.push((fail) => {
        const results = commands.map(
          (command): Result => ({ is: 'duplicate', of: 'request' in command ? command.request : '' }),
        );
        if (fail === undefined) resolve(results);
        else reject(fail);
      });
    });
  };
  const asks = new BatchedAsks({ apply, isRefusal: () => false } as unknown as LedgerDatabase);
  const asked = Array.from({ length: 700 }, (_, number) => asks.ask(hold(number)));
  expect(batches.map((batch) => batch.length)).toEqual([128, 128, 128, 128]);
  const away = new Error('away');
  answers[0]!(away);
  await expect(asked[0]).rejects.toBe(away);
  await Promise.allSettled(asked.slice(0, 128));
  for (const answer of answers.slice(1)) answer();
  expect(await asked[200]).toEqual({ is: 'duplicate', of: 'r200' });
  await expect.poll(() => batches.length).toBe(6);
  expect(batches.slice(4).map((batch) => batch.length)).toEqual([128, 60]);
  for (const answer of answers.slice(4)) answer();
  expect(await asked[699]).toEqual({ is: 'duplicate', of: 'r699' });
});
