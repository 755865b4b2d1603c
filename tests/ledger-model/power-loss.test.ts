// S12: the journal of a machine that lost its power, cut at every byte, filled with zeros or garbage: it is read without an error,
// charges nothing twice and nothing above what was used, and exactly what it holds whole.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Journal, journalsIn } from '../../packages/gateway/src/money/journal/journal.ts';
import { readLines } from '../../packages/gateway/src/money/journal/lines.ts';
import type { Command } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import { violationsOf } from '../../packages/gateway/src/money/ledger/core/invariants.ts';
import {
  type JournalRecord,
  recordFromJson,
  recordToJson,
  replay,
} from '../../packages/gateway/src/money/ledger/core/journal-records.ts';
import {
  correctionOf,
  emptyLedger,
  keyOf,
  type LedgerState,
} from '../../packages/gateway/src/money/ledger/core/ledger-state.ts';
import { apply } from './reference/apply.ts';

const ACCOUNT = 'a';
const EPOCH = 'n.1';
const LEASE = 'lease';
const REQUESTS = 12;
const nameOf = (index: number): string => `r${index}`;
const leaseOf = (index: number): string => (index % 2 === 0 ? '' : LEASE);
const costOf = (index: number): bigint => BigInt(100 + index);
const isReleased = (index: number): boolean => index % 5 === 4;

/** Requests that overlap: each begins, is metered, extended and ended while others are on their way. */
function story(): JournalRecord[] {
  const stages = Array.from({ length: REQUESTS }, (_, index): JournalRecord[] => {
    const request = nameOf(index);
    return [
      { at: 'admit', request, account: ACCOUNT, lease: leaseOf(index), amount: 150n, priceVersion: 'v1' },
      { at: 'checkpoint', request, cost: 40n },
      { at: 'extend', request, amount: 200n },
      { at: 'checkpoint', request, cost: 90n },
      isReleased(index)
        ? { at: 'release', request }
        : { at: 'settle', request, cost: costOf(index), estimated: index % 3 === 0, memo: 'für 漢字' },
    ];
  });
  const records: JournalRecord[] = [];
  for (let turn = 0; turn < REQUESTS + 5; turn++)
    for (const [index, stage] of stages.entries())
      records.push(...stage.slice(turn - index, turn - index + 1).filter(() => turn >= index));
  return records;
}

let folder: string;
let bytes: Buffer;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-power-'));
  const journal = new Journal(folder, EPOCH, (error) => {
    throw error;
  });
  journal.append(story().map(recordToJson));
  journal.close();
  bytes = readFileSync(journalsIn(folder, () => true).get(EPOCH)![0]!);
});
afterAll(() => rmSync(folder, { recursive: true }));

const zeros = (length: number): Buffer => Buffer.alloc(length);
const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => (at * 151 + 7) % 256));

const DAMAGES: readonly [string, (at: number) => Buffer][] = [
  ['cut', (at) => bytes.subarray(0, at)],
  ['zeros to the end', (at) => Buffer.concat([bytes.subarray(0, at), zeros(bytes.length - at)])],
  ['a block of zeros', (at) => Buffer.concat([bytes.subarray(0, at), zeros(64), bytes.subarray(at + 64)])],
  ['garbage to the end', (at) => Buffer.concat([bytes.subarray(0, at), noise(bytes.length - at)])],
  ['a block lost', (at) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 64)])],
];

/** The state as the dead node has left it: holds and a lease open, some ends posted already. */
function bookBefore(isPosted: (index: number) => boolean): { state: LedgerState; tell: (command: Command) => void } {
  const state = emptyLedger((text) => `h${text.length}`);
  const tell = (command: Command): void => void apply(state, command, { nowMs: 1000, upSinceMs: 0 });
  tell({ do: 'open-account', account: ACCOUNT, kind: 'prepaid', overdraft: 0n });
  tell({ do: 'deposit', account: ACCOUNT, id: 'paid', amount: 100_000n, memo: '' });
  tell({ do: 'register', node: 'n', epoch: EPOCH });
  tell({ do: 'lease', account: ACCOUNT, lease: LEASE, epoch: EPOCH, wanted: 5_000n, least: 100n, scopes: [] });
  for (let index = 0; index < REQUESTS; index++)
    if (leaseOf(index) === '')
      tell({
        do: 'hold',
        account: ACCOUNT,
        request: nameOf(index),
        epoch: EPOCH,
        amount: 200n,
        scopes: [],
        priceVersion: 'v1',
        idempotencyKey: '',
      });
  for (const command of replay(story()))
    if (command.do === 'settle' && isPosted(Number(command.request.slice(1)))) tell(command);
  return { state, tell };
}

const chargedTo = (state: LedgerState, index: number): bigint =>
  [nameOf(index), correctionOf(nameOf(index))].reduce((sum, id) => {
    const entry = state.entries.get(keyOf(ACCOUNT, id));
    return sum + (entry === undefined ? 0n : entry.debit === ACCOUNT ? entry.amount : -entry.amount);
  }, 0n);

test.each(DAMAGES)('%s at every byte: only complete records are read', (_, damaged) => {
  const whole = story().map(recordToJson);
  const wrongAt: number[] = [];
  let linesBefore = 0;
  for (let at = 0; at <= bytes.length; at++) {
    // As a node reads it at its start.
    const left = [...readLines(damaged(at).toString('utf8'))];
    if (left.length < linesBefore || left.some((json, line) => json !== whole[line])) wrongAt.push(at);
    if (bytes[at] === 0x0a) linesBefore++;
  }
  expect(wrongAt).toEqual([]);
  expect(linesBefore).toBe(whole.length);
  expect([...replay([...readLines(bytes.toString('utf8'))].map(recordFromJson))]).toHaveLength(REQUESTS);
});

test.each(['none', 'some', 'all'])(
  'a journal replayed twice, with %s of the ends posted before, charges exactly once',
  (posted) => {
    const isPosted = (index: number): boolean => posted === 'all' || (posted === 'some' && index % 4 === 1);
    const records = story();
    for (let count = 0; count <= records.length; count++) {
      const left = records.slice(0, count);
      const { state, tell } = bookBefore(isPosted);
      for (const command of [...replay(left), ...replay(left)]) tell(command);
      tell({ do: 'end', epoch: EPOCH });
      tell({ do: 'bury', account: ACCOUNT });
      expect(violationsOf(state)).toEqual([]);
      expect(state.accounts.get(ACCOUNT)).toMatchObject({ pending: 0n, overrun: 0n });
      for (let index = 0; index < REQUESTS; index++) {
        const charged = chargedTo(state, index);
        const isEnded = left.some(({ at, request }) => at === 'settle' && request === nameOf(index));
        if (isReleased(index)) expect(charged).toBeLessThanOrEqual(90n);
        else expect(charged).toBeLessThanOrEqual(costOf(index));
        if (isEnded || (isPosted(index) && !isReleased(index))) expect(charged).toBe(costOf(index));
      }
    }
  },
);
