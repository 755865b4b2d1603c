/** Money under attack: a paying account goes on calling while others attack, and every whole answer is charged once and exactly. */
import { freshDatabase } from '../../support/database.ts';
import { ask } from '../parts/ask.ts';
import { startLoad, succeeded } from '../parts/load.ts';
import { moneyConfig, Purser, paidQuestion, REQUEST_NANO } from '../parts/money.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, type Check, exactly, type Figure, type Outcome } from '../scenario.ts';
import type { AttackResult } from './attack.ts';
import { Program } from './programs.ts';
import { KEYS } from './wire.ts';

const ACCOUNT = 'payer';
const CREDIT = 1_000_000n * REQUEST_NANO;
const CALLS_PER_SECOND = 20;
const ATTACKS = [
  'Q1 16 × 0.35 MB in 1-byte chunks, no key',
  'Q3 4 × 0.5 MB in 1-byte chunks',
  'Q5 32 × 30,000 events of one letter',
];
const ATTACK_LIMIT_MS = 120_000;
const POSTED_LIMIT_MS = 60_000;
const LOOK_MS = 250;

export async function playMoney(stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  await purser.open(ACCOUNT, CREDIT);
  const hostile = await Program.start<{ port: number }>(stage, new URL('hostile-host.ts', import.meta.url));
  const config = moneyConfig(await stage.simulator('money-simulator'), [ACCOUNT], {
    database: { url: database.url },
    ledger: { journal: `${stage.folder}/money-journal` },
  });
  const gateway = await stage.gateway(withAttacker(config, hostile.ready.port), { name: 'gateway-money' });
  const load = startLoad(CALLS_PER_SECOND, (index) => ask(paidQuestion(gateway.url, ACCOUNT, index)));
  const statuses: Record<string, Figure> = {};
  for (const name of ATTACKS) {
    const { program } = await Program.start(stage, new URL('attacker.ts', import.meta.url), name, gateway.url);
    statuses[name] = (await program.ask<AttackResult>('go', ATTACK_LIMIT_MS)).statuses;
    await program.end();
  }
  const shots = await load.stop();
  const served = shots.filter(succeeded);
  const spent = BigInt(served.length) * REQUEST_NANO;
  const isPosted = async (): Promise<boolean> => (await purser.account(ACCOUNT)).posted >= spent;
  await waitFor('every answer is posted', isPosted, POSTED_LIMIT_MS, LOOK_MS).catch(() => undefined);
  const charges = await purser.charges(ACCOUNT);
  const wrong = served.filter(({ headers }) => {
    const charge = charges.get(String(headers['x-request-id']));
    return charge?.amount !== REQUEST_NANO || charge.estimated;
  });
  const { posted } = await purser.account(ACCOUNT);
  const checks: Check[] = [
    atLeast('money: whole answers under attack', served.length, 1),
    exactly('money: calls without a whole answer', shots.length - served.length, 0),
    exactly('money: answers not charged exactly and once', wrong.length, 0),
    exactly('money: nano-USD charged beside those of the answers', Number(posted - spent), 0),
    exactly('money: violations of invariants in the ledger database', await purser.violations(ACCOUNT), 0),
  ];
  await gateway.child.kill();
  return { figures: { calls: shots.length, served: served.length, statuses }, checks };
}

function withAttacker(config: Record<string, unknown>, port: number): Record<string, unknown> {
  const { keys, providers, models } = config as { keys: object[]; providers: object; models: object[] };
  return {
    ...config,
    keys: [...keys, { name: 'attacker', secret: KEYS.attacker, account: 'attacker' }],
    providers: {
      ...providers,
      hostile: { dialect: 'openai-chat', baseUrl: `http://127.0.0.1:${port}/v1`, auth: 'none' },
    },
    models: [...models, { id: 'c/*', endpoints: [{ provider: 'hostile', upstreamModel: '*' }] }],
  };
}
