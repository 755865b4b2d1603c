import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Result } from './core/commands.ts';
import type { Terms } from './ledger-database.ts';
import { NodeLedger } from './node-ledger.ts';

/** When no account at all can be served (S11): the book answers or not, the clock is the test's. */
const PREPAID: Terms = { unlimited: false, budgeted: new Set() };
const FREE: Terms = { unlimited: true, budgeted: new Set() };
const BUDGETED: Terms = { unlimited: true, budgeted: new Set(['account']) };

let folder: string;
let ledger: NodeLedger;
let nowMs = 0;
let isAway = false;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-node-ledger-'));
  isAway = false;
});
afterEach(async () => {
  await ledger.close(0);
  rmSync(folder, { recursive: true });
});

async function open(terms: Readonly<Record<string, Terms>>): Promise<void> {
  const answers: Partial<Record<string, Result>> = { beat: { is: 'alive', recalled: [] } };
  ledger = await NodeLedger.start({
    book: {
      apply: async (commands) => {
        if (isAway) throw new Error('away');
        return commands.map(({ do: what }) => answers[what] ?? { is: 'done' });
      },
      isRefusal: () => false,
      park: async () => undefined,
      timeline: async () => '1',
      openAccount: async () => undefined,
      termsOf: async (account) => terms[account] ?? PREPAID,
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

test.each([
  ['no account is known', {}, 'database'],
  ['all known accounts pay', { a: PREPAID, b: PREPAID }, 'database'],
  ['the only one that does not pay has a budget', { a: BUDGETED }, 'database'],
  ['one is not metered', { a: PREPAID, b: FREE }, undefined],
])('with the book away for longer than it may be trusted, where %s', async (_what, terms, missing) => {
  await open(terms);
  isAway = true;
  nowMs += 9_000;
  expect(ledger.missing).toBeUndefined();
  nowMs += 2_000;
  expect(ledger.missing).toBe(missing);
});

test('with a full disk, whoever pays or not', async () => {
  mkdirSync(folder, { recursive: true });
  symlinkSync('/dev/full', join(folder, 'n.e.000001.journal'));
  await open({ a: FREE });
  expect(ledger.missing).toBeUndefined();
  const refusal = await ledger.hold({
    requestId: 'r',
    caller: { keyId: 'k', accountId: 'a', strict: false, mayUse: () => true },
    modelId: 'm',
    maxOutputTokens: 1,
    quote: { holdNanoUsd: 1n, priceVersion: 'v', unpriced: [] },
  });
  expect(refusal).toMatchObject({ kind: 'overloaded' });
  expect(ledger.missing).toBe('journal');
});
