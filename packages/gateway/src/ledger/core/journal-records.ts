/**
 * What a node writes down before it acts, a line of JSON per record. From the records of a dead epoch `replay` tells the
 * book everything the node still owed it.
 */

import type { Release, Settle } from './commands.ts';
import type { Nano } from './ledger-state.ts';

export type JournalRecord =
  /** Before the first upstream byte. `lease` is empty on the strict path. */
  | {
      readonly at: 'admit';
      readonly request: string;
      readonly account: string;
      readonly lease: string;
      readonly amount: Nano;
      readonly priceVersion: string;
    }
  | { readonly at: 'extend'; readonly request: string; readonly amount: Nano }
  | { readonly at: 'checkpoint'; readonly request: string; readonly cost: Nano }
  | {
      readonly at: 'settle';
      readonly request: string;
      readonly cost: Nano;
      readonly estimated: boolean;
      readonly memo: string;
    }
  | { readonly at: 'release'; readonly request: string };

type Life = {
  readonly account: string;
  readonly lease: string;
  readonly priceVersion: string;
  amount: Nano;
  checkpoint: Nano;
  end: Extract<JournalRecord, { at: 'settle' | 'release' }> | undefined;
};

/** In the order of admission. What ran when the node died is settled at its last checkpoint, as an estimate. */
export function replay(records: Iterable<JournalRecord>): (Settle | Release)[] {
  const commands: (Settle | Release)[] = [];
  for (const [request, life] of livesIn(records)) {
    const end = endOf(request, life);
    if (isForBook(end, life)) commands.push(end);
  }
  return commands;
}

/**
 * Of a node that lives, for a book that may have lost the latest it was told: every request that has ended, and every lease that
 * no request uses any more. What the book still knows changes nothing.
 */
export function retell(records: Iterable<JournalRecord>, used: ReadonlySet<string>): (Settle | Release)[] {
  const commands: (Settle | Release)[] = [];
  const leases = new Map<string, Release>();
  for (const [request, life] of livesIn(records)) {
    const { account, lease } = life;
    if (lease !== '' && !used.has(lease)) leases.set(lease, { do: 'release', account, hold: lease });
    if (life.end === undefined) continue;
    const end = endOf(request, life);
    if (isForBook(end, life)) commands.push(end);
  }
  return [...commands, ...leases.values()];
}

/** Of a request under a lease the book knows only once a checkpoint has told it. */
const isForBook = (end: Settle | Release, { lease, checkpoint }: Life): boolean =>
  end.do === 'settle' || lease === '' || checkpoint > 0n;

function livesIn(records: Iterable<JournalRecord>): ReadonlyMap<string, Life> {
  const lives = new Map<string, Life>();
  for (const record of records) {
    if (record.at === 'admit') {
      const { account, lease, priceVersion, amount } = record;
      const known = lives.get(record.request);
      // A later segment says again what still ran when it was begun.
      if (known !== undefined) known.amount = amount;
      else lives.set(record.request, { account, lease, priceVersion, amount, checkpoint: 0n, end: undefined });
      continue;
    }
    const life = lives.get(record.request);
    if (life === undefined) continue;
    if (record.at === 'extend') life.amount = record.amount;
    else if (record.at === 'checkpoint') life.checkpoint = record.cost;
    else life.end ??= record;
  }
  return lives;
}

function endOf(request: string, { account, lease, priceVersion, amount, checkpoint, end }: Life): Settle | Release {
  if (end?.at === 'settle') {
    const { cost, estimated, memo } = end;
    return { do: 'settle', account, request, lease, cost, priceVersion, estimated, memo };
  }
  const cost = checkpoint < amount ? checkpoint : amount;
  if (end?.at === 'release' || cost === 0n) return { do: 'release', account, hold: request };
  return { do: 'settle', account, request, lease, cost, priceVersion, estimated: true, memo: '' };
}

/** Amounts travel as decimal strings: JSON's numbers are not exact. */
export function recordToJson(record: JournalRecord): string {
  const { at, request } = record;
  switch (at) {
    case 'admit': {
      const { account, lease, amount, priceVersion } = record;
      return JSON.stringify({ at, request, account, lease, amount: `${amount}`, priceVersion });
    }
    case 'settle': {
      const { cost, estimated, memo } = record;
      return JSON.stringify({ at, request, cost: `${cost}`, estimated, memo });
    }
    case 'extend':
      return JSON.stringify({ at, request, amount: `${record.amount}` });
    case 'checkpoint':
      return JSON.stringify({ at, request, cost: `${record.cost}` });
    case 'release':
      return JSON.stringify({ at, request });
  }
}

export function recordFromJson(json: string): JournalRecord {
  const record = JSON.parse(json);
  if (record.amount !== undefined) record.amount = BigInt(record.amount);
  if (record.cost !== undefined) record.cost = BigInt(record.cost);
  return record;
}
