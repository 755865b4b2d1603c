import { expect, test } from 'vitest';
import { type AlertRows, type AlertSettings, AlertWatch } from './alert-watch.ts';

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
    providerHours: async () => [],
    creditRunways: async () => [],
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
    providerHours: async () => [],
    creditRunways: async () => [],
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

test('errors, latency and credit are raised where a rule is set for them, once each', async () => {
  const raised: string[] = [];
  const at = new Date(0);
  const rows: AlertRows = {
    raise: async ({ kind, subject }) => raised.push(`${kind} ${subject}`) > 0,
    claimRound: async () => true,
    budgetsFrom: async () => [],
    tightestBudget: async () => undefined,
    anomalies: async () => [],
    providerHours: async () => [
      { provider: 'bad', at, requests: 50, failed: 10, firstTokenMs: 900 },
      { provider: 'slow', at, requests: 50, failed: 5, firstTokenMs: 9000 },
      { provider: 'quiet', at, requests: 5, failed: 5, firstTokenMs: 9000 },
    ],
    creditRunways: async () => [
      { accountId: 'poor', leftNano: 25n, perDayNano: 10n },
      { accountId: 'rich', leftNano: 30n, perDayNano: 10n },
    ],
    keysExpiring: async () => [],
    tidy: async () => undefined,
  };
  let nowMs = 0;
  const rules = { providerErrors: { percent: 10, minRequests: 20 }, slowFirstToken: { ms: 5000, minRequests: 20 } };
  let settings: AlertSettings = SETTINGS;
  const ports = { rows, fileKeys: () => [], nowMs: () => nowMs, onTrouble: () => undefined };
  const watch = new AlertWatch(() => settings, ports);
  await watch.round();
  expect(raised).toEqual([]);
  settings = { ...SETTINGS, ...rules, creditDays: 3 };
  for (nowMs = 0; nowMs < 300_000; nowMs += 60_000) await watch.round();
  expect(raised).toEqual(['credit.low poor', 'errors.high bad', 'latency.high slow']);
});

test('a credential that is stale is raised once, by each process that has it', async () => {
  const raised: string[] = [];
  const rows: AlertRows = {
    raise: async ({ kind, subject }) => raised.push(`${kind} ${subject}`) > 0,
    claimRound: async () => false,
    budgetsFrom: async () => [],
    tightestBudget: async () => undefined,
    anomalies: async () => [],
    providerHours: async () => [],
    creditRunways: async () => [],
    keysExpiring: async () => [],
    tidy: async () => undefined,
  };
  let ageMs: number | undefined;
  const watch = new AlertWatch(() => SETTINGS, {
    rows,
    fileKeys: () => [],
    staleCredentials: () => (ageMs === undefined ? [] : [{ credential: 'vault:main/x', ageMs, why: 'away' }]),
    nowMs: () => 0,
    onTrouble: () => undefined,
  });
  await watch.round();
  expect(raised).toEqual([]);
  for (ageMs = 900_000; ageMs < 1_200_000; ageMs += 60_000) await watch.round();
  expect(raised).toEqual(['credential.stale vault:main/x']);
});
