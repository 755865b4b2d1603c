import { GatewayError } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import { LoopBudget } from '../../kernel/loop-budget.ts';
import type { Identified } from '../request.ts';
import { readingCost, turnToRead } from './turn-to-read.ts';

const TURN_BYTES = 1_048_576;
const COSTLY = JSON.stringify(Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`member${at}`, at])));

function stage(turnBytes = TURN_BYTES) {
  const scheduled: (() => void)[] = [];
  const loop = new LoopBudget(
    () => ({ turnBytes, turnEvents: 4096 }),
    (run) => scheduled.push(run),
  );
  const callers: { gone: boolean }[] = [];
  const read: string[] = [];
  const failed: unknown[] = [];
  const ask = (text: string, accountId = 'a'): void => {
    const reply = { gone: false };
    callers.push(reply);
    const turn = turnToRead(text, { caller: { accountId }, reply } as unknown as Identified, loop);
    if (turn === undefined) read.push(accountId);
    else
      turn.then(
        () => read.push(accountId),
        (error: unknown) => failed.push(error),
      );
  };
  /** What was read in the next turn. */
  const turn = async (): Promise<string[]> => {
    read.length = 0;
    for (const run of scheduled.splice(0)) run();
    await Promise.resolve();
    return [...read];
  };
  return { ask, turn, read, failed, callers, loop };
}

test('128 costly bodies that arrive together are read within the budget of each turn', async () => {
  const { ask, turn, read } = stage();
  const most = Math.ceil(TURN_BYTES / readingCost(COSTLY));
  for (let count = 0; count < 128; count++) ask(COSTLY);
  let done = read.length;
  expect(done).toBe(most);
  while (done < 128) {
    const { length } = await turn();
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThanOrEqual(most);
    done += length;
  }
});

test('another account reads its body in the next turn', async () => {
  const { ask, turn } = stage();
  for (let count = 0; count < 128; count++) ask(COSTLY, 'attacker');
  ask(COSTLY, 'victim');
  expect(await turn()).toContain('victim');
});

test('short texts are read at once and count nothing, texts of few values cost their length', () => {
  const { ask, read, loop } = stage();
  loop.spend(TURN_BYTES);
  for (let count = 0; count < 1000; count++) ask('{"model":"m"}');
  expect(read).toHaveLength(1000);
  expect(readingCost(JSON.stringify({ text: 'x'.repeat(100_000) }))).toBeLessThan(100_200);
});

test('a caller that has left is not read for', async () => {
  const { ask, turn, failed, callers, loop } = stage();
  loop.spend(TURN_BYTES);
  ask(COSTLY);
  callers[0]!.gone = true;
  expect(await turn()).toEqual([]);
  await Promise.resolve();
  expect(failed[0]).toBeInstanceOf(GatewayError);
});

test('a budget that is never used up lets everything be read at once', () => {
  const { ask, read } = stage(1_073_741_824);
  for (let count = 0; count < 128; count++) ask(COSTLY);
  expect(read).toHaveLength(128);
});
