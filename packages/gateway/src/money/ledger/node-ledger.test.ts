import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HoldRequest } from '../../kernel/admission.ts';
import type { Bill } from '../../kernel/record.ts';
import type { Result } from './core/commands.ts';
import { MOST_UNPOSTED_SETTLES } from './core/posting-queue.ts';
import type { Terms } from './ledger-database.ts';
import { NodeLedger } from './node-ledger.ts';

/**
 * `missing`: when no account at all can be served (S11). The test decides whether the database answers, and sets the
 * clock.
 */
const PREPAID: Terms = { unlimited: false, budgeted: new Set() };
const FREE: Terms = { unlimited: true, budgeted: new Set() };
const BUDGETED: Terms = { unlimited: true, budgeted: new Set(['account']) };

const bill: Bill = {
  usage: {},
  estimated: false,
  cost: { lines: [], attoUsd: 1_000_000_000n, nanoUsd: 1n, priceVersion: 'v', unpriced: [] },
};

let folder: string;
let ledger: NodeLedger;
let nowMs = 0;
let isAway = false;
let isStuck = false;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-node-ledger-'));
  isAway = false;
  isStuck = false;
});
afterEach(async () => {
  await ledger.close(0);
  rmSync(folder, { recursive: true });
});

async function open(terms: Readonly<Record<string, Terms>>): Promise<void> {
  const granted: Result = { is: 'granted', amount: 1_000_000n, validForMs: 1e9 };
  const answers: Partial<Record<string, Result>> = {
    beat: { is: 'alive', recalled: [] },
    hold: { ...granted, amount: 1n },
    lease: granted,
  };
  ledger = await NodeLedger.start({
    database: {
      apply: async (commands) => {
        if (isAway) throw new Error('away');
        if (isStuck && commands.some((command) => command.do === 'settle')) await new Promise(() => undefined);
        return commands.map(({ do: what }) => answers[what] ?? { is: 'done' });
      },
      isRefusal: () => false,
      park: async () => undefined,
      standing: async () => ({ timeline: '1', beats: Number.MAX_SAFE_INTEGER }),
      openAccount: async () => undefined,
      termsOf: async (accounts) => accounts.map((account) => terms[account] ?? PREPAID),
    },
    node: 'n',
    journalFolder: folder,
    isOver: () => false,
    nextId: () => 'e',
    monotonicMs: () => nowMs,
    onTrouble: () => undefined,
  });
  await ledger.learn(Object.keys(terms));
}

const request = (requestId: string, accountId: string): HoldRequest => ({
  requestId,
  caller: { keyId: 'k', accountId, strict: false, mayUse: () => true },
  modelId: 'm',
  maxOutputTokens: 1,
  quote: { holdNanoUsd: 1n, priceVersion: 'v', unpriced: [] },
});

test.each([
  ['no account is known', {}, 'database'],
  ['all known accounts pay', { a: PREPAID, b: PREPAID }, 'database'],
  ['the only one that does not pay has a budget', { a: BUDGETED }, 'database'],
  ['one is not metered', { a: PREPAID, b: FREE }, undefined],
])(
  'what is missing after the ledger database was unreachable for longer than a heartbeat is trusted, when %s',
  async (_what, terms, missing) => {
    await open(terms);
    isAway = true;
    nowMs += 9_000;
    expect(ledger.missing).toBeUndefined();
    nowMs += 2_000;
    expect(ledger.missing).toBe(missing);
  },
);

test('new terms of a known account leave the terms of all others, however many are known', async () => {
  const paying = Array.from({ length: 999 }, (_, number) => [`p${number}`, PREPAID] as const);
  await open(Object.fromEntries([...paying, ['free', FREE]]));
  ledger.changed('p0');
  await new Promise((resolve) => setImmediate(resolve));
  isAway = true;
  nowMs += 11_000;
  expect(ledger.missing).toBeUndefined();
});

test('with a full disk the journal is missing, even for unmetered accounts', async () => {
  mkdirSync(folder, { recursive: true });
  symlinkSync('/dev/full', join(folder, 'n.e.000001.journal'));
  await open({ a: FREE });
  expect(ledger.missing).toBeUndefined();
  const refusal = await ledger.hold(request('r', 'a'));
  expect(refusal).toMatchObject({ kind: 'overloaded' });
  expect(ledger.missing).toBe('journal');
});

test('an account with too many unposted settlements is refused, and only that one', async () => {
  await open({ a: PREPAID, b: PREPAID, c: FREE });
  await ledger.hold(request('first', 'a'));
  await expect
    .poll(async () => (await ledger.hold(request(`r${ledger.leaseAdmissions}`, 'a'))) && ledger.leaseAdmissions)
    .toBe(1);
  isStuck = true;
  const holds = await Promise.all(
    Array.from({ length: MOST_UNPOSTED_SETTLES }, (_, number) => ledger.hold(request(`s${number}`, 'a'))),
  );
  for (const hold of holds) if ('settle' in hold) hold.settle(bill);
  expect(ledger.unpostedSettlements).toBe(MOST_UNPOSTED_SETTLES);
  const refusal = await ledger.hold(request('next', 'a'));
  expect(refusal).toMatchObject({ kind: 'overloaded', retryAfterMs: expect.any(Number) });
  expect(ledger.backlogRefusals).toBe(1);
  expect(await ledger.hold(request('of-another', 'b'))).toHaveProperty('settle');
  expect(await ledger.hold(request('unmetered', 'c'))).toHaveProperty('settle');
});
