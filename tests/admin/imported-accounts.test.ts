// Budgets and teams of LiteLLM, imported and applied to a running gateway.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';

let stand: AdminStand;
const folder = mkdtempSync(join(tmpdir(), 'trivium-imported-'));
beforeAll(async () => {
  stand = await openAdminStand({});
});
afterAll(async () => {
  await stand.close();
  rmSync(folder, { recursive: true });
});

const fixture = (name: string): string =>
  new URL(`../../packages/cli/src/import/fixtures/${name}`, import.meta.url).pathname;

async function run(args: readonly string[]) {
  const terminal = fakeTerminal({
    TRIVIUM_ADMIN_URL: stand.gateway.adminUrl,
    TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET,
  });
  await runCommandLine(args, terminal);
  return terminal;
}

test('the written accounts are applied as they are, with the budgets that LiteLLM enforced', async () => {
  const accounts = join(folder, 'accounts.yaml');
  const imported = await run([
    ...['import', 'litellm', fixture('litellm-router.yaml'), '--teams', fixture('litellm-teams.json')],
    ...['-o', join(folder, 'trivium.yaml')],
  ]);
  expect(imported.exitCode).toBe(0);
  const report = imported.output.join('\n');
  expect(report).toContain(`Wrote ${accounts}: 3 accounts with their budgets.`);
  expect(report).toContain('team Batch: 3 USD per 12h: NOT LIMITED until you set it');
  expect(report).toContain('team Search team: models: give its keys rights.models: gpt-4o, mini');

  expect((await run(['apply', '-f', accounts, '--dry-run'])).exitCode).toBe(2);
  expect((await run(['apply', '-f', accounts])).exitCode).toBe(0);
  expect((await run(['apply', '-f', accounts, '--dry-run'])).output).toContain('No changes.');

  const { json } = await stand.admin('GET', '/declared');
  const [team, all, search] = ['Batch', 'litellm', 'Search-team'].map((id) =>
    (json['accounts'] as Record<string, unknown>[]).find((account) => account['id'] === id),
  );
  const timeZone = 'Europe/Berlin';
  expect(all).toMatchObject({
    kind: 'unlimited',
    groupBudgets: { month: '5000' },
    budgetTemplates: [
      { each: 'member', per: 'week', usd: '20', timeZone },
      { each: 'tag:user', per: 'total', usd: '0.5', missing: 'shared' },
    ],
  });
  expect(search).toMatchObject({
    parent: 'litellm',
    rateLimits: { requestsPerMinute: 600, tokensPerMinute: 200_000 },
    budgetTemplates: [
      { each: 'account', per: 'month', usd: '250.5', timeZone },
      { each: 'member', per: 'month', usd: '10', missing: 'shared' },
    ],
    members: [
      { email: 'ada@acme.example', role: 'admin' },
      { email: 'ben@acme.example', role: 'developer', budgets: { total: '50' } },
      { name: 'robot', role: 'developer' },
    ],
  });
  expect(team).toMatchObject({ parent: 'litellm', status: 'suspended' });
});

test('files that exist are not replaced, accounts included', async () => {
  const second = await run([
    ...['import', 'litellm', fixture('litellm-router.yaml'), '-o', join(folder, 'other.yaml')],
    ...['--accounts', join(folder, 'accounts.yaml')],
  ]);
  expect(second.exitCode).toBe(1);
  expect(second.errors.join('\n')).toContain('exists; pass --force to replace it');
});
