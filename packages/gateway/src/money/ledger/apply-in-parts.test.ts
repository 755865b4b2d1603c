import { expect, test } from 'vitest';
import { applyInParts, ParkedCommandError, postInParts } from './apply-in-parts.ts';
import { BatchedAsks } from './batched-asks.ts';
import { type Command, DONE } from './core/commands.ts';
import type { LedgerDatabase } from './ledger-database.ts';

class Refusal extends Error {}

const release = (hold: string): Command => ({ do: 'release', account: 'a', hold });
const nameOf = (command: Command): string => (command.do === 'release' ? command.hold : command.do);

/** A database that refuses every batch containing one of these commands. */
function databaseRefusing(...bad: readonly string[]) {
  const seen = { calls: 0, done: [] as string[], parked: [] as string[] };
  const database: LedgerDatabase = {
    apply: async (commands) => {
      seen.calls++;
      if (commands.some((command) => bad.includes(nameOf(command)))) throw new Refusal('does not fit');
      seen.done.push(...commands.map(nameOf));
      return commands.map(() => DONE);
    },
    isRefusal: (error) => error instanceof Refusal,
    park: async (command) => void seen.parked.push(nameOf(command)),
    standing: async () => ({ timeline: '1', beats: Number.MAX_SAFE_INTEGER }),
    openAccount: async () => undefined,
    termsOf: async (accounts) => accounts.map(() => ({ unlimited: true, budgeted: new Set() })),
  };
  return { database, seen };
}

const names = Array.from({ length: 256 }, (_, index) => `r${index}`);

test('only the refused command of a batch is parked; the others are posted in order and each gets its result', async () => {
  const { database, seen } = databaseRefusing('r77', 'r200');
  const troubles: unknown[] = [];
  const results = await postInParts(database, names.map(release), (error) => troubles.push(error));
  expect(seen.parked).toEqual(['r77', 'r200']);
  expect(seen.done).toEqual(names.filter((name) => name !== 'r77' && name !== 'r200'));
  expect(results.map(({ is }) => is).flatMap((is, index) => (is === 'done' ? [] : [names[index]]))).toEqual([
    'r77',
    'r200',
  ]);
  expect(troubles).toEqual([expect.any(ParkedCommandError), expect.any(ParkedCommandError)]);
  expect(seen.calls).toBeLessThan(40);
});

test('when every command is refused, the number of calls is bounded by the number of commands', async () => {
  const { database, seen } = databaseRefusing(...names);
  await postInParts(database, names.map(release), () => undefined);
  expect(seen.parked).toEqual(names);
  expect(seen.calls).toBe(2 * names.length - 1);
});

test('a connection error is rethrown, so that the whole batch is retried', async () => {
  const { database } = databaseRefusing();
  const away = { ...database, apply: () => Promise.reject(new Error('away')) };
  await expect(applyInParts(away, [release('r1'), release('r2')], async () => DONE)).rejects.toThrow('away');
});

test('a command that cannot even be parked is logged and does not block the others', async () => {
  const { database, seen } = databaseRefusing('r1');
  const troubles: unknown[] = [];
  const full = { ...database, park: () => Promise.reject(new Refusal('nor this')) };
  await postInParts(full, [release('r1'), release('r2')], (error) => troubles.push(error));
  expect(seen.done).toEqual(['r2']);
  expect(troubles).toHaveLength(2);
});

test('a refused hold fails without failing the rest of its batch', async () => {
  const { database } = databaseRefusing('bad');
  const asks = new BatchedAsks(database);
  const answers = await Promise.allSettled(['one', 'bad', 'two'].map((name) => asks.ask(release(name))));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
