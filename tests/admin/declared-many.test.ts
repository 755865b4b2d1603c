/** Many keys in one apply. `TRIVIUM_DECLARED_KEYS=10000` asks for the full size; the suite takes a small one. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';

const COUNT = Number(process.env['TRIVIUM_DECLARED_KEYS'] ?? 300);
/** For all of them, at full size. */
const MOST_CPU_SECONDS = 60;

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand();
});
afterAll(() => stand.close());

const MEMBERS = 100;
const declared = {
  accounts: [
    {
      id: 'many',
      kind: 'unlimited',
      members: Array.from({ length: MEMBERS }, (_, at) => ({
        name: `Member ${at}`,
        email: `m${at}@many.example`,
        role: 'developer',
      })),
      keys: Array.from({ length: COUNT }, (_, at) => ({
        name: `key-${at}`,
        member: `m${at % MEMBERS}@many.example`,
        rights: { models: ['openai/*'], rateLimits: { requestsPerMinute: 1 + at } },
        budgets: { month: '10' },
      })),
    },
  ],
};

test(`${COUNT} keys with budgets are made in one apply, and compared in another`, { timeout: 600_000 }, async () => {
  const before = process.cpuUsage();
  const made = await stand.admin('POST', '/declared', { declared, takeSecrets: true });
  expect(made.status, made.text.slice(0, 500)).toBe(200);
  expect((made.json['secrets'] as unknown[]).length).toBe(COUNT);
  expect((made.json['changes'] as unknown[]).length).toBe(1 + MEMBERS + 2 * COUNT);
  const again = await stand.admin('POST', '/declared', { declared, prune: true });
  expect(again.json).toMatchObject({ changes: [], leftAlone: [] });
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  console.log(JSON.stringify({ keys: COUNT, cpuSeconds: Math.round(seconds * 10) / 10 }));
  expect(seconds).toBeLessThan(MOST_CPU_SECONDS);
});
