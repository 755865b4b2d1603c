import { expect, test } from 'vitest';
import { type AlertRows, AlertWatch } from './alert-watch.ts';

const SETTINGS = {
  enabled: true,
  checkEveryMs: 1,
  budgetPercents: [],
  keyExpiryDays: [],
  spendAnomaly: { factor: 2, minUsd: 10 },
  keepDays: 90,
};

const ROUTE = { routeKey: 'openai m 0123' };

test('an outage that follows a recovery while the first one is being stored is raised after both', async () => {
  const raised: string[] = [];
  const rows: AlertRows = {
    raise: async ({ kind }) => {
      raised.push(kind);
      if (raised.length > 1) return true;
      watch.health({ ...ROUTE, now: 'back' });
      watch.health({ ...ROUTE, now: 'out', why: 'failures', forMs: 1 });
      return true;
    },
    claimRound: async () => false,
    budgetsFrom: async () => [],
    tightestBudget: async () => undefined,
    anomalies: async () => [],
    keysExpiring: async () => [],
    tidy: async () => undefined,
  };
  const watch = new AlertWatch(() => SETTINGS, {
    rows,
    fileKeys: () => [],
    nowMs: () => 0,
    onTrouble: (error) => {
      throw error;
    },
  });
  watch.health({ ...ROUTE, now: 'out', why: 'failures', forMs: 1 });
  await watch.round();
  expect(raised).toEqual(['provider.out', 'provider.back', 'provider.out']);
});

test('a kind that a rule of the database switches off is not raised', async () => {
  const raised: string[] = [];
  const rows: AlertRows = {
    raise: async ({ kind }) => raised.push(kind) > 0,
    claimRound: async () => true,
    budgetsFrom: async () => [],
    tightestBudget: async () => undefined,
    anomalies: async () => [{ accountId: 'a', hour: new Date(0), costNano: 1n, beforeNano: 0n }],
    keysExpiring: async () => [],
    tidy: async () => undefined,
  };
  const settings = { ...SETTINGS, disabled: ['provider.out', 'spend.anomaly'] };
  const watch = new AlertWatch(() => settings, {
    rows,
    fileKeys: () => [],
    nowMs: () => 0,
    onTrouble: () => undefined,
  });
  watch.health({ ...ROUTE, now: 'out', why: 'failures', forMs: 1 });
  watch.violation('a', 'sum', 'does not add up');
  await watch.round();
  expect(raised).toEqual(['ledger.audit_failed']);
});
