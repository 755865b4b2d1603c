/** Who is there and what they want, drawn from the seed: accounts rich and poor, budgets, callers of every temper. */
import type { SetTemplate } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import type { Random } from './random.ts';
import { type Fate, MODELS } from './truth.ts';
import type { World } from './world.ts';

/** About what one request sets aside. */
const USUAL = 16_000_000n;

/** `poor` lives on the strict path, `rich` on leases, `owing` may go into debt, `team` has no bound at all. */
const ACCOUNTS = ['poor', 'rich', 'owing', 'team'] as const;

/** Whose budgets some requests of a world draw on: those of their key, of their member or of both. */
export const SPENDERS: readonly (readonly string[])[] = [['key:k'], ['member:m'], ['key:k', 'member:m']];

export function furnish(world: World): void {
  const { database, random } = world;
  database.order({ do: 'open-account', account: 'poor', kind: 'prepaid', overdraft: 0n });
  database.order({ do: 'open-account', account: 'rich', kind: 'prepaid', overdraft: 0n });
  database.order({ do: 'open-account', account: 'owing', kind: 'postpaid', overdraft: USUAL * 40n });
  database.order({ do: 'open-account', account: 'team', kind: 'unlimited', overdraft: 0n });
  const pay = (account: string, times: number): void => {
    const amount = (USUAL * BigInt(times)) / 2n;
    database.order({ do: 'deposit', account, id: world.newId('pay'), amount, memo: '' });
  };
  pay('poor', random.between(1, 8));
  pay('rich', random.between(70, 160));
  for (const scope of world.spender) {
    if (!random.happens(0.3)) continue;
    const limit = (USUAL * BigInt(random.between(4, 100))) / 2n;
    const span = random.happens(0.5) ? 'day' : random.happens(0.5) ? 'month' : 'total';
    database.order({ do: 'set-budget', account: 'rich', scope, span, limit });
  }
  for (const each of ['member', 'key', 'member:m'])
    if (random.happens(0.25)) {
      const template = drawTemplate(random);
      database.order({ ...template, account: 'rich', each });
      if (template.onLimit !== undefined) world.isAtLimit = true;
    }
  if (random.happens(0.1)) world.timeline.after(random.between(500, 5_000), () => pay('poor', 4));
  if (random.happens(0.2)) furnishChange(world);
}

export function drawTemplate(random: Random): Omit<SetTemplate, 'account' | 'each'> {
  const pick = <T>(values: readonly T[]): T => values[random.between(0, values.length - 1)]!;
  const template: Omit<SetTemplate, 'account' | 'each'> = {
    do: 'set-template',
    span: pick(['day', 'day', 'week', 'month', 'total']),
    limit: (USUAL * BigInt(random.between(4, 100))) / 2n,
    timeZone: pick(['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata']),
    weekStartsOn: random.between(1, 7),
    anchorDay: random.between(1, 31),
    missing: pick(['refuse', 'shared', 'shared']),
  };
  if (random.happens(0.5)) return template;
  // Low enough to be reached.
  const onLimit = { model: pick(Object.keys(MODELS)), beyond: pick([0n, USUAL / 4n, USUAL]) };
  return { ...template, limit: (USUAL * BigInt(random.between(1, 8))) / 2n, onLimit };
}

/** An account without a bound gets one while its requests run, and pays its debts in small parts. */
function furnishChange(world: World): void {
  const { database, random, timeline } = world;
  const account = 'team';
  const pay = (): void => {
    database.order({
      do: 'deposit',
      account,
      id: world.newId('pay'),
      amount: USUAL / BigInt(random.between(1, 16)),
      memo: '',
    });
  };
  pay();
  timeline.after(random.between(500, world.busyMs), () => {
    database.order({ do: 'open-account', account, kind: 'prepaid', overdraft: 0n });
    // Nodes hear of it later.
    timeline.after(random.between(0, 3_000), () => world.bound(account));
    for (let count = 0; count < 3; count++) timeline.after(random.between(0, 5_000), pay);
  });
}

export function drawFate(world: World): Fate {
  const { random } = world;
  const cap = random.between(2, 5);
  const disobeys = random.happens(world.isAtLimit ? 0.25 : 0.08);
  const idempotencyKey = random.happens(0.06) ? `idem-${random.between(1, 2)}` : '';
  const chunkCost = BigInt(random.between(2, 6)) * 1_000_000n + BigInt(random.between(0, 999));
  return {
    request: world.newId('r'),
    account: ACCOUNTS[random.happens(world.isAtLimit ? 0.9 : 0.4) ? 1 : random.between(0, 3)]!,
    scopes: random.happens(world.isAtLimit ? 0.9 : 0.4) ? world.spender : [],
    idempotencyKey,
    chunkCost,
    surplus: random.happens(0.3) ? chunkCost / 3n : 0n,
    cap,
    chunks: disobeys ? cap + random.between(1, 6) : random.between(1, cap),
    everyMs: random.happens(0.1) ? random.between(500, 1_500) : random.between(1, 90),
    frame: random.happens(0.8),
    fails: random.happens(0.1),
    leavesAfter: random.happens(0.15) ? random.between(1, 3) : 0,
  };
}
