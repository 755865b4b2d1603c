// What passed-through calls cost: held before, settled after, refused without a price or without money.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Purser } from '../../rt/parts/money.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import {
  MOST_UNITS,
  openPassthroughStand,
  type PassedReply,
  type PassthroughStand,
  pass,
  sayJson,
} from '../../support/passthrough-host.ts';
import { KEY } from '../../support/stand.ts';

const FLAT_NANO = 2_000_000n;
const UNIT_NANO = 100_000n;
const MOST_NANO = BigInt(MOST_UNITS) * UNIT_NANO;
const CREDITS: Readonly<Record<string, bigint>> = {
  payer: 100n * MOST_NANO,
  /** Covers many flat calls, and not the most units of a metered one. */
  poor: MOST_NANO - 1n,
  broke: 1n,
  bounded: 100n * MOST_NANO,
  thrifty: 100n * MOST_NANO,
};
const keyOf = (account: string): string => `sk-trivium-${account}-0123456789abcdefghijklmnopqrstuvwxyz`;

let database: TestDatabase;
let stand: PassthroughStand;
let purser: Purser;
let db: Client;
const folder = mkdtempSync(join(tmpdir(), 'trivium-passthrough-'));
beforeAll(async () => {
  database = await freshDatabase();
  db = new Client({ connectionString: database.url });
  await db.connect();
  purser = new Purser(database.url);
  for (const [account, credit] of Object.entries(CREDITS)) await purser.open(account, credit);
  await purser.credits.setBudget('bounded', 'account', 'total', 2n * FLAT_NANO + 1n);
  stand = await openPassthroughStand({
    database: { url: database.url },
    ledger: { journal: join(folder, 'journal') },
    prices: { accounts: { thrifty: -50 } },
    keys: [
      { name: 'test', secret: KEY, account: 'team' },
      ...Object.keys(CREDITS).map((account) => ({ name: account, account, secret: keyOf(account) })),
    ],
  });
});
afterAll(async () => {
  await stand.close();
  await db.end();
  await purser.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  stand.host.answer = undefined;
  stand.host.seen.length = 0;
});

const PATIENCE = { timeout: 10_000, interval: 20 };

const idOf = ({ headers }: PassedReply): string => headers.get('x-request-id') ?? '';

/** What the ledger has charged for a call, once its record is stored; the record says the same. */
async function chargeOf(account: string, reply: PassedReply): Promise<{ amount: bigint; estimated: boolean }> {
  const id = idOf(reply);
  const row = await vi.waitFor(async () => {
    const { rows } = await db.query('select cost_nano::text, estimated from usage_events where request_id = $1', [id]);
    expect(rows).toHaveLength(1);
    return rows[0] as { cost_nano: string; estimated: boolean };
  }, PATIENCE);
  const recorded = { amount: BigInt(row.cost_nano), estimated: row.estimated };
  const charged = await vi.waitFor(async () => {
    const found = (await purser.charges(account)).get(id);
    expect(found?.amount ?? 0n).toBe(recorded.amount);
    return found;
  }, PATIENCE);
  if (charged !== undefined) expect(charged).toEqual(recorded);
  return recorded;
}
const paid = (path: string, account = 'payer') => pass(stand, path, { key: keyOf(account) });

describe('[PT-08] what is charged', () => {
  test('a flat price, once', async () => {
    const reply = await paid('small/flat');
    expect([reply.status, reply.headers.get('x-trivium-cost')]).toEqual([200, '0.002']);
    expect(await chargeOf('payer', reply)).toEqual({ amount: FLAT_NANO, estimated: false });
  });

  test('nothing for a free path, an error, a redirect, and an answer that is not passed on', async () => {
    const replies = [await paid('small/moderations')];
    stand.host.answer = (response) => sayJson(response, {}, 400);
    replies.push(await paid('small/flat'));
    stand.host.answer = (response) => response.writeHead(302, { location: '/x' }).end();
    replies.push(await paid('small/flat'));
    stand.host.answer = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
    replies.push(await paid('small/flat'));
    expect(replies.map(({ status }) => status)).toEqual([200, 400, 502, 502]);
    for (const reply of replies) expect((await chargeOf('payer', reply)).amount).toBe(0n);
  });

  test('at the terms of the account', async () => {
    const reply = await paid('small/flat', 'thrifty');
    expect(await chargeOf('thrifty', reply)).toMatchObject({ amount: FLAT_NANO / 2n });
  });
});

describe('[PT-10] metered by the answer', () => {
  test.each([0, 1, 7, 999, MOST_UNITS])('%i units', async (units) => {
    stand.host.answer = (response) => sayJson(response, { usage: { units } });
    const reply = await paid('small/metered');
    expect((await chargeOf('payer', reply)).amount).toBe(BigInt(units) * UNIT_NANO);
  });

  test.each([
    ['{}', true],
    ['{"usage":{"units":"7"}}', true],
    ['{"usage":{"units":-7}}', true],
    [`{"usage":{"units":${MOST_UNITS + 1}}}`, false],
  ])('[PT-11] %s costs the most', async (answer, estimated) => {
    stand.host.answer = (response) => sayJson(response, answer);
    const reply = await paid('small/metered');
    expect(reply.text).toBe(answer);
    expect(await chargeOf('payer', reply)).toEqual({ amount: MOST_NANO, estimated });
  });
});

describe('[PT-09] the most a call can cost is held first', () => {
  test('an account that cannot cover it is refused, and the host is not called', async () => {
    expect((await paid('small/metered', 'poor')).status).toBe(402);
    expect((await paid('small/flat', 'broke')).status).toBe(402);
    expect(stand.host.seen).toEqual([]);
    expect((await paid('small/flat', 'poor')).status).toBe(200);
  });

  test('budgets hold, whatever comes at once', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => paid('small/flat', 'bounded')));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(replies.filter(({ status }) => status === 402)).toHaveLength(18);
    expect(stand.host.seen).toHaveLength(2);
    for (const reply of replies.filter(({ status }) => status === 200))
      expect(await chargeOf('bounded', reply)).toMatchObject({ amount: FLAT_NANO });
  });
});

describe('[PT-12] a path without a price', () => {
  test.each(['payer', 'bounded', 'poor'])('is refused to %s, who pays', async (account) => {
    const reply = await paid('small/unpriced', account);
    expect([reply.status, reply.text.includes('no price')]).toEqual([402, true]);
    expect(stand.host.seen).toEqual([]);
  });

  test('is open to an account that pays nothing', async () => {
    const reply = await pass(stand, 'small/unpriced');
    expect([reply.status, reply.headers.get('x-trivium-cost')]).toEqual([200, null]);
  });
});

test('a caller who leaves pays for what the host did', async () => {
  const leave = new AbortController();
  stand.host.answer = (response) => {
    leave.abort();
    stand.host.answer = undefined;
    setImmediate(() => sayJson(response, { ok: true }));
  };
  const before = (await purser.charges('payer')).size;
  await fetch(`${stand.url}/passthrough/small/flat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keyOf('payer')}`, 'content-type': 'application/json' },
    body: '{}',
    signal: leave.signal,
  }).catch(() => undefined);
  await vi.waitFor(async () => expect((await purser.charges('payer')).size).toBe(before + 1), PATIENCE);
});
