/**
 * Random batches, mostly of settles, applied to the schema before settles were posted in one pass and to the present one: every answer,
 * row and hash must be the same.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Command, SetParent } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import { Random } from '../ledger-model/random.ts';
import { withPlayer } from './equal-states.ts';
import type { Batch } from './sequences.ts';

/** The last migration before it. */
export const BEFORE_ONE_PASS = '0087';

const MIDNIGHT = Date.UTC(2026, 1, 1);
const ACCOUNTS = 10;
/** Accounts 2 to 5 are below account 1, and 3 below 2 as well. */
const PARENTS: readonly (readonly [number, number])[] = [
  [2, 1],
  [3, 2],
  [4, 1],
  [5, 1],
];

type AnyCommand = Command | SetParent;
type Drawn = Omit<Batch, 'commands'> & { readonly commands: readonly AnyCommand[] };

/** What the batches of a sequence share: names given out so far, and how many. */
class Names {
  #requests = 0;
  readonly #used: Command[] = [];
  readonly #open = new Map<string, string[]>();

  next(): string {
    return `r${++this.#requests}`;
  }

  /** A request with an open hold or checkpoint, settled by whoever takes it first. */
  opened(account: string, request: string): void {
    this.#open.set(account, [...(this.#open.get(account) ?? []), request]);
  }

  anyOpened(account: string): string | undefined {
    return this.#open.get(account)?.at(-1);
  }

  takeOpened(account: string): string | undefined {
    return this.#open.get(account)?.pop();
  }

  used(command: Command): Command {
    this.#used.push(command);
    return command;
  }

  again(random: Random): Command | undefined {
    return this.#used[random.between(0, Math.max(0, this.#used.length - 1))];
  }
}

function openingOf(random: Random): AnyCommand[] {
  const opening: AnyCommand[] = [{ do: 'register', node: 'n', epoch: 'e' }];
  for (let at = 0; at < ACCOUNTS; at++) {
    const account = `a${at}`;
    const kind = at % 5 === 4 ? 'unlimited' : at % 5 === 3 ? 'postpaid' : 'prepaid';
    opening.push({ do: 'open-account', account, kind, overdraft: kind === 'postpaid' ? 50_000n : 0n });
    opening.push({ do: 'deposit', account, id: 'first', amount: BigInt(random.between(10_000, 2_000_000)), memo: 'é' });
    const budgets = [
      ['account', 'day'],
      ['key:k', 'month'],
      ['tag:t=1', 'total'],
    ] as const;
    for (const [scope, span] of budgets)
      if (random.happens(0.3))
        opening.push({ do: 'set-budget', account, scope, span, limit: BigInt(random.between(5_000, 900_000)) });
  }
  for (const [child, parent] of random.happens(0.6) ? PARENTS : [])
    opening.push({ do: 'set-parent', account: `a${child}`, parent: `a${parent}` });
  for (const owner of ['a1', 'a2'])
    if (random.happens(0.4))
      opening.push({ do: 'set-budget', account: owner, scope: 'group', span: 'month', limit: 900_000n });
  return [...opening, ...leasesOf(random, 1, 'l1')];
}

const scopesOf = (random: Random): string[] => (random.happens(0.5) ? ['key:k', 'tag:t=1'] : []);

function leasesOf(random: Random, chance: number, lease: string): Command[] {
  const leases: Command[] = [];
  for (let at = 0; at < ACCOUNTS; at++)
    if (random.happens(chance)) {
      const wanted = BigInt(random.happens(0.3) ? random.between(10, 900) : random.between(1_000, 200_000));
      leases.push({ do: 'lease', account: `a${at}`, lease, epoch: 'e', wanted, least: 1n, scopes: scopesOf(random) });
    }
  return leases;
}

/** Holds and checkpoints that settles of this batch or a later one end. */
function openedOf(random: Random, names: Names): Command[] {
  return Array.from({ length: random.between(0, 12) }, (): Command => {
    const [account, request] = [`a${random.between(0, ACCOUNTS - 1)}`, names.next()];
    names.opened(account, request);
    const of = { account, request, priceVersion: 'v1' };
    if (random.happens(0.5)) return { do: 'checkpoint', ...of, lease: 'l1', cost: BigInt(random.between(0, 50)) };
    const amount = BigInt(random.between(0, 900));
    return { do: 'hold', ...of, epoch: 'e', amount, scopes: scopesOf(random), idempotencyKey: '' };
  });
}

/** Repeated as it was, or with another figure. */
function againOf(random: Random, names: Names): Command | undefined {
  const settle = names.again(random);
  if (settle?.do !== 'settle' || random.happens(0.3)) return settle;
  return { ...settle, cost: BigInt(random.happens(0.6) ? 0 : random.between(1, 900)), estimated: random.happens(0.3) };
}

/** `strangeness`: how often a settle is repeated, free of charge, too dear for its lease, under no or another lease. */
function settleOf(random: Random, names: Names, strangeness: number): Command {
  const isStrange = random.happens(strangeness);
  const repeated = isStrange && random.happens(0.5) ? againOf(random, names) : undefined;
  if (repeated !== undefined) return repeated;
  const account = `a${random.between(0, isStrange && random.happens(0.1) ? ACCOUNTS : ACCOUNTS - 1)}`;
  const opened = random.happens(0.1) ? names.takeOpened(account) : undefined;
  const leases = isStrange ? ['', 'l2', 'l3', 'first'] : ['l1'];
  return names.used({
    do: 'settle',
    account,
    request: opened ?? names.next(),
    lease: leases[random.between(0, leases.length - 1)] ?? '',
    cost: BigInt(isStrange && random.happens(0.3) ? 0 : random.between(1, random.happens(0.05) ? 50_000 : 900)),
    priceVersion: random.happens(0.5) ? 'v1' : 'v2',
    estimated: random.happens(0.4),
    memo: ['', 'x|y', 'ü'][random.between(0, 2)] ?? '',
  });
}

/** Plain from end to end, plain but for one settle, or with some or many that are not. */
function settlesOf(random: Random, names: Names): Command[] {
  const strangeness = [0, 0, 0, 0.02, 0.2][random.between(0, 4)] ?? 0;
  const settles = Array.from({ length: random.between(1, 60) }, () => settleOf(random, names, strangeness));
  if (random.happens(0.4)) settles.splice(random.between(0, settles.length), 0, settleOf(random, names, 1));
  return settles;
}

function drawBatches(seed: number, count: number): readonly Drawn[] {
  const random = new Random(seed);
  const names = new Names();
  const batches: Drawn[] = [{ nowMs: MIDNIGHT, commands: openingOf(random) }];
  for (let at = 1; at <= count; at++) {
    const commands: AnyCommand[] = [
      ...leasesOf(random, random.happens(0.3) ? 0.3 : 0, 'l2'),
      ...(random.happens(0.4) ? openedOf(random, names) : []),
      ...settlesOf(random, names),
    ];
    if (random.happens(0.2)) {
      const account = `a${random.between(0, ACCOUNTS - 1)}`;
      // Seldom of the first lease: without it, no later batch of the account is plain.
      const hold = (random.happens(0.5) ? names.anyOpened(account) : undefined) ?? (random.happens(0.05) ? 'l1' : 'l2');
      commands.splice(random.between(0, commands.length), 0, { do: 'release', account, hold });
    }
    batches.push({ nowMs: MIDNIGHT + at * 1_000, commands });
  }
  return batches;
}

/** Runs that one settle keeps from being plain, so that each condition decides once. */
function oddOnes(): readonly Drawn[] {
  const names = new Names();
  const settle = (request: string, cost: bigint, more: object = {}): Command => ({
    do: 'settle',
    account: 'a',
    request,
    lease: 'l1',
    cost,
    priceVersion: 'v1',
    estimated: false,
    memo: '',
    ...more,
  });
  const plain = (): readonly Command[] => Array.from({ length: 6 }, () => settle(names.next(), 10n));
  const of = { account: 'a', epoch: 'e', scopes: [], priceVersion: 'v1' };
  const runs: readonly (readonly AnyCommand[])[] = [
    [
      { do: 'register', node: 'n', epoch: 'e' },
      { do: 'open-account', account: 'a', kind: 'prepaid', overdraft: 0n },
      { do: 'deposit', account: 'a', id: 'first', amount: 1_000_000n, memo: '' },
      { do: 'lease', ...of, lease: 'l1', wanted: 10_000n, least: 1n },
      { do: 'lease', ...of, lease: 'l2', wanted: 10_000n, least: 1n },
      { do: 'checkpoint', ...of, request: 'reached', lease: 'l1', cost: 5n },
      { do: 'hold', ...of, request: 'released', amount: 50n, idempotencyKey: '' },
      { do: 'release', account: 'a', hold: 'released' },
      settle('guessed', 9n, { estimated: true }),
    ],
    [...plain(), settle('twice', 5n, { estimated: true }), settle('twice', 0n), ...plain()],
    [...plain(), settle('released', 7n, { lease: '' })],
    [...plain(), settle('reached', 7n, { lease: 'l2' })],
    [...plain(), settle('guessed', 0n)],
    [...plain(), settle('l2', 5n, { lease: '' })],
  ];
  return runs.map((commands, at) => ({ nowMs: MIDNIGHT + at, commands }));
}

const BATCHES_EACH = 20;

/** Says at most so much of a difference. */
const SHOWN = 2_000;

export type ComparedWithBefore = { readonly batches: number; readonly difference?: string };

export const compareWithBefore = (beforeUrl: string, nowUrl: string, wanted: number): Promise<ComparedWithBefore> =>
  withPlayer(beforeUrl, (before) =>
    withPlayer(nowUrl, async (now) => {
      let batches = 0;
      for (let seed = 0; batches < wanted; seed++) {
        const drawn = (seed === 0 ? oddOnes() : drawBatches(seed, BATCHES_EACH)) as readonly Batch[];
        const [was, is] = [await before(drawn, 'in batches'), await now(drawn, 'in batches')];
        for (const part of Object.keys(was))
          if (!isDeepStrictEqual(was[part], is[part])) {
            const [expected, found] = [was[part], is[part]].map((state) => JSON.stringify(state).slice(0, SHOWN));
            return { batches, difference: `seed ${seed}: ${part} was ${expected}, is ${found}` };
          }
        batches += seed === 0 ? 0 : BATCHES_EACH;
      }
      return { batches };
    }),
  );
