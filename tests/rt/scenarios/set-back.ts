/**
 * PostgreSQL is stopped, its data replaced by an earlier copy, and started again under running nodes, on the same timeline: both
 * nodes notice it, and the charges that the copy lacks are posted again from their journals.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, loadConfig } from '@trivium/gateway';
import { auditLedger } from '../../../packages/gateway/src/app/audit-ledger.ts';
import { freshDatabase } from '../../support/database.ts';
import { Comparison } from '../ledger-kill/compare.ts';
import { KillablePostgres } from '../parts/killable-postgres.ts';
import { moneyConfig, Purser, REQUEST_NANO } from '../parts/money.ts';
import { query } from '../parts/replicated-postgres.ts';
import { isWhole, shoot } from '../parts/shots.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly loadMs: number; readonly after: number };

const ACCOUNTS = ['rich', 'poor'];
const PATIENCE_MS = 60_000;
/** The promise: noticed within this time (ms). */
const NOTICED_WITHIN_MS = 30_000;
const TOKENS_PER_SECOND = 80;
const NOTICE = 'ledger database was set back to an earlier copy';

const entriesOf = async (url: string): Promise<ReadonlySet<string>> => {
  const rows = await query<{ id: string }>(
    url,
    `select account_id || ' ' || id as id from ledger_entries where kind = 'charge'`,
  );
  return new Set(rows.map(({ id }) => id));
};
const without = (from: ReadonlySet<string>, those: ReadonlySet<string>): number =>
  [...from].filter((id) => !those.has(id)).length;

async function play({ loadMs, after }: Parameters, stage: Stage): Promise<Outcome> {
  const simulator = await stage.simulator();
  const postgres = await KillablePostgres.start(stage);
  const { url } = await freshDatabase(postgres.url);
  const config = moneyConfig(simulator, ACCOUNTS, {
    database: { url, connectMs: 1000 },
    ledger: { journal: `${stage.folder}/journal` },
  });
  const purser = new Purser(url);
  stage.atEnd(() => purser.close());
  await purser.open('rich', 1_000_000n * REQUEST_NANO);
  await purser.open('poor', 400n * REQUEST_NANO);
  const nodes = await Promise.all([0, 1].map((at) => stage.gateway(config, { name: `node-${at}` })));
  const comparison = new Comparison(simulator, purser, ACCOUNTS);

  const running = shoot(nodes, ACCOUNTS, stage.random, 0, TOKENS_PER_SECOND);
  const wholeFrom = (earlier: number) => (): boolean => running.shots.filter(isWhole).length >= earlier + after;
  await sleep(loadMs);
  const kept = await entriesOf(url);
  await postgres.kill();
  postgres.keepCopy();
  postgres.restart();
  await waitFor('answers after the copy', wholeFrom(running.shots.filter(isWhole).length), PATIENCE_MS);
  await sleep(loadMs);
  const promised = await entriesOf(url);
  await postgres.kill();
  postgres.setBack();
  postgres.restart();
  const notices = (): number =>
    nodes.filter(({ child }) => readFileSync(child.logPath, 'utf8').includes(NOTICE)).length;
  const noticedMs = await waitFor('both nodes notice it', () => notices() === nodes.length, PATIENCE_MS);
  await waitFor('answers afterwards', wholeFrom(running.shots.filter(isWhole).length), PATIENCE_MS);
  await running.stop();
  const { shots } = running;
  // The last settlements and all replays.
  const isPosted = async (): Promise<boolean> => (await comparison.ofRound(shots, undefined)).wrong === 0;
  await waitFor('all is posted', isPosted, PATIENCE_MS, 250).catch(() => undefined);
  const findings = await comparison.ofRound(shots, undefined, console.error);
  const now = await entriesOf(url);
  const isRaised = async (): Promise<boolean> =>
    (await query(url, `select from alerts where kind = 'ledger.set_back'`)).length > 0;
  await waitFor('the alert', isRaised, PATIENCE_MS, 250);
  const outcome = loadConfig({ text: JSON.stringify(config), env: {} });
  const audit = async (): Promise<readonly string[]> =>
    (await auditLedger((outcome as { config: Config }).config)).map(({ invariant }) => invariant);
  await waitFor('the audit passes', async () => (await audit()).length === 0, PATIENCE_MS, 500).catch(() => undefined);
  const violations = await audit();
  const { posted, credit } = await purser.account('poor');

  // Once more, with no node left to notice it.
  for (const { child } of nodes) await child.kill();
  await postgres.kill();
  postgres.setBack();
  postgres.restart();
  const found = await audit();
  const lacked = without(promised, kept);
  const lostForGood = without(promised, now);
  const beyondCredit = Number(posted > credit ? posted - credit : 0n);
  const whole = shots.filter(isWhole).length;
  return {
    figures: {
      loadMs,
      requests: shots.length,
      whole,
      lacked,
      lostForGood,
      noticedMs: Math.round(noticedMs),
      beyondCredit,
      ...findings,
    },
    checks: [
      // Otherwise the scenario proved nothing.
      atLeast('charges that the copy lacked', lacked, 1),
      atMost('ms until both nodes noticed it', Math.round(noticedMs), NOTICED_WITHIN_MS),
      exactly('charges lost for good', lostForGood, 0),
      exactly('charges above what the upstream produced', findings.overcharged, 0),
      exactly('whole answers not charged exactly', findings.wrong, 0),
      exactly('violations found by the audit afterwards', violations.length, 0),
      exactly('the audit of a database set back without nodes finds it', found.includes('I14') ? 1 : 0, 1),
      atLeast('whole answers', whole, 1),
    ],
  };
}

export const setBack = scenario<Parameters>({
  name: 'set-back',
  nodes: 2,
  shows:
    'a database set back to an earlier copy under running nodes is noticed, and the charges it lacks are posted again',
  short: { loadMs: 3_000, after: 20 },
  full: { loadMs: 20_000, after: 300 },
  run: play,
});
