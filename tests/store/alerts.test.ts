/** Each kind of alert is raised once per window, however many workers and nodes notice it at once. */
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { insertAccount } from '../../packages/gateway/src/control/accounts/rows.ts';
import { type Alert, auditAlert, providerAlert } from '../../packages/gateway/src/control/alerts/alert.ts';
import { type AlertSettings, AlertWatch } from '../../packages/gateway/src/control/alerts/alert-watch.ts';
import { insertDestination, sealAddress } from '../../packages/gateway/src/control/alerts/destination-rows.ts';
import { StoredAlerts } from '../../packages/gateway/src/control/alerts/rows.ts';
import {
  announce,
  insertWebhook,
  rotateWebhook,
  StoredMessages,
  webhookIdentity,
} from '../../packages/gateway/src/control/webhooks/rows.ts';
import type { FoundDrift } from '../../packages/gateway/src/models/shapes/drift-watch.ts';
import { Vault } from '../../packages/gateway/src/people/secrets/vault.ts';
import { OPERATOR, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const WATCHES = 6;
const ACCOUNT = 'acme';
const vault = new Vault(['a-key-for-secrets-0123456789abcdefghijkl']);
const SETTINGS: AlertSettings = {
  enabled: true,
  checkEveryMs: 1,
  budgetPercents: [50, 80, 95, 100],
  keyExpiryDays: [7, 1],
  spendAnomaly: { factor: 2, minUsd: 10 },
  keepDays: 90,
};

let database: TestDatabase;
let client: Client;
/** Two nodes: a store each. */
let stores: readonly Store[];
let watches: readonly AlertWatch[];
let troubles: unknown[];
let drifts: readonly FoundDrift[];

beforeAll(async () => {
  database = await freshDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  stores = [new Store(database.settings), new Store(database.settings)];
  await node(0).within(OPERATOR, async (db) => {
    await insertAccount(db, { id: ACCOUNT, name: ACCOUNT, kind: 'unlimited' });
    for (const kind of ['webhook', 'slack'] as const) {
      const id = `dst_${kind}`;
      const sealed = sealAddress(vault, id, { url: 'https://receiver.example/' });
      await insertDestination(db, { id, kind, name: kind, shown: 'receiver.example', events: null, sealed });
    }
    const chosen = {
      accountId: ACCOUNT,
      id: 'wh_chosen',
      url: 'https://receiver.example/',
      events: ['budget.reached' as const],
    };
    await insertWebhook(db, { ...chosen, secret: vault.seal(webhookIdentity(ACCOUNT, 'wh_chosen'), 'whsec_x') });
    const usual = { ...chosen, id: 'wh_usual', events: null };
    await insertWebhook(db, { ...usual, secret: vault.seal(webhookIdentity(ACCOUNT, 'wh_usual'), 'whsec_x') });
  });
  await client.query(`insert into ledger_accounts (account_id, kind, overdraft) values ($1, 'unlimited', 0)`, [
    ACCOUNT,
  ]);
});
afterAll(async () => {
  await client.end();
  await Promise.all(stores.map((store) => store.close()));
  await database.drop();
});
beforeEach(async () => {
  for (const table of ['alerts', 'alert_messages', 'webhook_messages', 'usage_hourly', 'keys', 'ledger_purses'])
    await client.query(`delete from ${table}`);
  await client.query('delete from ledger_budgets');
  await client.query('delete from ledger_templates');
  await client.query(`update alert_rounds set checked_at = '-infinity'`);
  troubles = [];
  drifts = [];
  watches = Array.from(
    { length: WATCHES },
    (_, at) =>
      new AlertWatch(() => SETTINGS, {
        rows: new StoredAlerts(node(at % 2)),
        fileKeys: () => [],
        drifts: () => drifts,
        nowMs: Date.now,
        onTrouble: (error) => troubles.push(error),
      }),
  );
});

function node(at: number): Store {
  const store = stores[at];
  if (store === undefined) throw new Error('no such node');
  return store;
}
const rounds = async (): Promise<void> => {
  await client.query(`update alert_rounds set checked_at = '-infinity'`);
  await Promise.all(watches.map((watch) => watch.round()));
  expect(troubles).toEqual([]);
};
const raised = async (): Promise<readonly { kind: string; detail: Record<string, unknown>; resolved: boolean }[]> =>
  (await client.query('select kind, detail, resolved_at is not null as resolved from alerts order by raised_at, id'))
    .rows;
const kinds = async (): Promise<readonly string[]> => (await raised()).map(({ kind }) => kind);
const messages = async (): Promise<readonly string[]> =>
  (
    await client.query(`select destination_id || ' ' || event as sent from alert_messages
      union all select webhook_id || ' ' || event from webhook_messages order by 1`)
  ).rows.map(({ sent }) => sent);

const dayStartMs = (): number => Date.now() - (Date.now() % 86_400_000);
async function spend(nano: number, most = 10_000): Promise<void> {
  await client.query(
    `insert into ledger_budgets (account_id, scope, span, most) values ($1, 'account', 'day', $2)
     on conflict (account_id, scope, span) do update set most = excluded.most`,
    [ACCOUNT, most],
  );
  await client.query(
    `insert into ledger_purses (account_id, key, scope, span, start_ms, posted) values ($1, 'p', 'account', 'day', $2, $3)
     on conflict (account_id, key) do update set posted = excluded.posted`,
    [ACCOUNT, dayStartMs(), nano],
  );
}

describe('a budget', () => {
  test('a budget raises each threshold once, to operators and to the webhooks that selected it', async () => {
    for (const spent of [4_999, 5_000, 5_100, 8_200, 9_500, 10_000, 10_400]) {
      await spend(spent);
      await rounds();
      await rounds();
    }
    expect((await raised()).map(({ detail }) => detail['percent'])).toEqual([50, 80, 95, 100]);
    const sent = await messages();
    expect(sent).toHaveLength(12);
    expect(new Set(sent)).toEqual(
      new Set(['dst_webhook budget.reached', 'dst_slack budget.reached', 'wh_chosen budget.reached']),
    );
  });

  test('a budget that passes several thresholds at once raises only the highest', async () => {
    await spend(9_700);
    await rounds();
    expect((await raised()).map(({ detail }) => detail['percent'])).toEqual([95]);
  });

  test('a budget with a changed limit raises its thresholds again', async () => {
    await spend(8_000);
    await rounds();
    await spend(8_000, 16_000);
    await rounds();
    expect((await raised()).map(({ detail }) => [detail['percent'], detail['limitUsd']])).toEqual([
      [80, '0.00001'],
      [50, '0.000016'],
    ]);
  });

  test('a budget that refuses a request counts as used up only when almost nothing is left', async () => {
    await spend(6_000);
    for (const watch of watches) watch.budgetRefused(ACCOUNT, 'account');
    await rounds();
    await spend(9_900);
    for (const watch of watches) watch.budgetRefused(ACCOUNT, 'account');
    await rounds();
    expect((await raised()).map(({ detail }) => detail['percent']).sort()).toEqual([100, 50, 95]);
  });
});

describe('a template', () => {
  const template = (each: string, soft: readonly number[], most = 10_000) =>
    client.query(
      `insert into ledger_templates values ($1, $2, 'week', $3, 'Europe/Berlin', 1, 1, 'shared', $4)
       on conflict (account_id, each_of, span) do update set most = excluded.most, soft_percents = excluded.soft_percents`,
      [ACCOUNT, each, most, soft],
    );
  const spendOf = (scope: string, nano: number, weeksAgo = 0) =>
    client.query(
      `insert into ledger_purses (account_id, key, scope, span, start_ms, posted)
       select $1, $2::text || ' ' || w.start_ms, $2, 'week', w.start_ms, $3
       from ledger_window('week', 'Europe/Berlin', 1, 1, (extract(epoch from now() - make_interval(weeks => $4)) * 1000)::bigint) w
       on conflict (account_id, key) do update set posted = excluded.posted`,
      [ACCOUNT, scope, nano, weeksAgo],
    );
  const reached = async () =>
    (await raised()).map(({ detail }) => [detail['scope'], detail['span'], detail['percent']]);

  test('the alert of a value at its limit names the model that serves what does not fit', async () => {
    await template('member', [75]);
    await client.query(`update ledger_templates set on_limit_model = 'small'`);
    await spendOf('member:m', 8_000);
    await rounds();
    await spendOf('member:m', 10_100);
    await client.query('update ledger_purses set on_limit_ms = 1');
    await rounds();
    expect((await raised()).map(({ detail }) => [detail['percent'], detail['onLimit'] ?? null])).toEqual([
      [75, null],
      [100, 'small'],
    ]);
  });

  test('a template raises its soft limits once for each value, window and percent, whatever the settings say', async () => {
    await template('member', [75, 95]);
    await spendOf('member:old', 9_900, 1);
    for (const spent of [7_400, 7_500, 7_600, 9_600, 9_700]) {
      await spendOf('member:a', spent);
      await rounds();
      await rounds();
    }
    await spendOf('member:b', 8_000);
    await rounds();
    expect(await reached()).toEqual([
      ['member:a', 'week', 75],
      ['member:a', 'week', 95],
      ['member:b', 'week', 75],
    ]);
  });

  test('a planted mistake is found: each node raises a soft limit for itself', async () => {
    await template('member', [75]);
    await spendOf('member:a', 8_000);
    const planted = Array.from({ length: 2 }, (_, at) => {
      const rows = new StoredAlerts(node(at));
      const raise = rows.raise.bind(rows);
      rows.raise = (alert) => raise({ ...alert, window: `${alert.window} ${at}` });
      return new AlertWatch(() => SETTINGS, {
        rows,
        fileKeys: () => [],
        nowMs: Date.now,
        onTrouble: (error) => troubles.push(error),
      });
    });
    for (const watch of planted) {
      await client.query(`update alert_rounds set checked_at = '-infinity'`);
      await watch.round();
    }
    expect(await reached()).toHaveLength(2);
  });

  test('a value with a budget or a template of its own raises no alert for that of its kind', async () => {
    await template('member', [10]);
    await template('member:b', [90], 20_000);
    await client.query(
      `insert into ledger_budgets (account_id, scope, span, most) values ($1, 'account', 'day', 10000)`,
      [ACCOUNT],
    );
    await spendOf('member:b', 5_000);
    await rounds();
    expect(await reached()).toEqual([]);
    await spendOf('member:b', 18_000);
    await rounds();
    await rounds();
    expect(await reached()).toEqual([['member:b', 'week', 90]]);
  });

  test('a template that refuses a request counts as used up when almost nothing is left', async () => {
    await template('member', [75]);
    await spendOf('member:a', 9_990);
    for (const watch of watches) watch.budgetRefused(ACCOUNT, 'member:a');
    await rounds();
    expect((await reached()).map(([, , percent]) => percent).sort()).toEqual([100, 75]);
  });
});

test('the budget of a group that refuses a request of an account below counts as used up, too', async () => {
  await client.query(
    `insert into ledger_accounts (account_id, kind, overdraft, parent_id)
    values ('below', 'unlimited', 0, $1) on conflict do nothing`,
    [ACCOUNT],
  );
  await client.query(
    `insert into ledger_budgets (account_id, scope, span, most) values ($1, 'group', 'total', 10000)`,
    [ACCOUNT],
  );
  await client.query(
    `insert into ledger_purses (account_id, key, scope, span, start_ms, posted)
     values ($1, '@acme group total 0', 'group', 'total', 0, 9900)`,
    [ACCOUNT],
  );
  await rounds();
  watches[0]?.budgetRefused('below', 'group');
  await rounds();
  expect((await raised()).map(({ detail }) => [detail['account'], detail['percent']])).toEqual([
    [ACCOUNT, 95],
    [ACCOUNT, 100],
  ]);
});

describe('spend', () => {
  const hour = (hoursAgo: number, usd: number) =>
    client.query(
      `insert into usage_hourly values ($1, date_trunc('hour', now(), 'UTC') - make_interval(hours => $2), 'm', 'k', 'p', 1, 0, 1, 1, $3)`,
      [ACCOUNT, hoursAgo, usd * 1e9],
    );

  test('spend above twice the highest hour of a week is an anomaly, once a day', async () => {
    for (const ago of [100, 50, 3]) await hour(ago, 12);
    await hour(1, 20);
    await hour(0, 24);
    await rounds();
    expect(await raised()).toEqual([]);
    await client.query('update usage_hourly set cost_nano = 24100000000 where cost_nano = 20000000000');
    await rounds();
    await rounds();
    expect(await raised()).toMatchObject([
      { kind: 'spend.anomaly', detail: { account: ACCOUNT, spentUsd: '24.1', highestHourBeforeUsd: '12' } },
    ]);
  });

  test.each([
    [
      'below the least amount',
      [
        [30, 1],
        [0, 9.9],
      ],
    ],
    [
      'without a day of history',
      [
        [20, 1],
        [0, 100],
      ],
    ],
    ['without any history', [[0, 100]]],
  ])('spend is no anomaly %s', async (_, hours) => {
    for (const [ago = 0, usd = 0] of hours) await hour(ago, usd);
    await rounds();
    expect(await raised()).toEqual([]);
  });
});

test('an expiring key raises an alert at each threshold, a revoked one does not', async () => {
  const key = (id: string, expires: string, revoked = 'null') =>
    client.query(`insert into keys (account_id, id, name, prefix, hash, expires_at, revoked_at)
      values ('${ACCOUNT}', '${id}', 'app', 'sk', sha256('${id}'), now() + interval '${expires}', ${revoked})`);
  await key('soon', '6 days');
  await key('later', '8 days');
  await key('revoked', '6 days', 'now()');
  await key('over', '-1 minute');
  await rounds();
  await rounds();
  expect((await raised()).map(({ detail }) => detail['key'])).toEqual(['soon']);
  await client.query(`update keys set expires_at = expires_at - interval '5 days 1 hour'`);
  await rounds();
  // Both expiry dates have moved: one key is due for its last alert, the other for its first.
  expect((await raised()).map(({ detail }) => detail['key'])).toEqual(['soon', 'soon', 'later']);
});

const change = (now: 'out' | 'back', model = 'm') => {
  const routeKey = `openai ${model} 0123`;
  return now === 'out' ? ({ routeKey, now, why: 'failures', forMs: 1 } as const) : ({ routeKey, now } as const);
};

describe('a provider', () => {
  test('a provider outage and its recovery are each raised once, however many workers notice', async () => {
    for (const watch of watches) watch.health(change('out'));
    await rounds();
    for (const watch of watches) watch.health(change('out'));
    await rounds();
    expect(await kinds()).toEqual(['provider.out']);
    for (const watch of watches) watch.health(change('back'));
    await rounds();
    expect(await raised()).toMatchObject([
      { kind: 'provider.out', resolved: true },
      { kind: 'provider.back', resolved: true, detail: { outForMinutes: 0 } },
    ]);
    expect(await messages()).toHaveLength(4);
  });

  test('a provider has recovered when all its models have', async () => {
    const [watch] = watches;
    watch?.health(change('out', 'one'));
    watch?.health(change('out', 'two'));
    watch?.health(change('back', 'one'));
    await rounds();
    expect(await kinds()).toEqual(['provider.out']);
    watch?.health(change('back', 'two'));
    await rounds();
    expect(await kinds()).toEqual(['provider.out', 'provider.back']);
  });

  test('an outage lasted and ended by the clock of the database, whatever that of the node says', async () => {
    const rows = new StoredAlerts(node(0));
    const at = Date.now();
    await rows.raise(providerAlert(change('out'), at));
    await client.query(`update alerts set raised_at = now() - interval '5 minutes'`);
    vi.useFakeTimers({ toFake: ['Date'], now: at + 3 * 3_600_000 });
    await rows.raise(providerAlert(change('back'), at)).finally(() => vi.useRealTimers());
    expect(await raised()).toMatchObject([
      { kind: 'provider.out' },
      { kind: 'provider.back', detail: { outForMinutes: 5 } },
    ]);
    const { rows: sent } = await client.query(`select m.body, a.raised_at from alert_messages m
      join alerts a on m.event = a.kind where a.kind = 'provider.back' and m.destination_id = 'dst_webhook'`);
    expect(JSON.parse(sent[0].body).timestamp).toBe(sent[0].raised_at.toISOString());
  });

  test('a flapping provider raises once per window, and again in the next', async () => {
    const rows = new StoredAlerts(node(0));
    const at = Date.UTC(2026, 10, 16, 9, 0);
    const report = async (now: 'out' | 'back', minutes: number): Promise<boolean> =>
      rows.raise(providerAlert(change(now), at + minutes * 60_000));
    expect(await report('out', 0)).toBe(true);
    expect(await report('back', 1)).toBe(true);
    expect(await report('out', 2)).toBe(false);
    expect(await report('back', 3)).toBe(false);
    expect(await report('out', 16)).toBe(true);
  });

  test('a provider that sent retry-after, or that another node has ejected, raises nothing', async () => {
    for (const why of ['rate', 'hint'] as const) watches[0]?.health({ ...change('out'), now: 'out', why, forMs: 1 });
    await rounds();
    expect(await raised()).toEqual([]);
  });

  test('an outage without further reports is resolved without a message', async () => {
    watches[0]?.health(change('out'));
    await rounds();
    await client.query(`update alerts set last_seen_at = now() - interval '2 hours'`);
    await rounds();
    expect(await raised()).toMatchObject([{ kind: 'provider.out', resolved: true }]);
    expect(await messages()).toHaveLength(2);
  });
});

describe('alerts of a process', () => {
  const record = (own: object): never =>
    ({
      requestId: 'r',
      accountId: ACCOUNT,
      provider: 'openai',
      modelId: 'openai/gpt-4o',
      receivedAtMs: Date.now(),
      bill: { usage: {}, estimated: false, cost: { unpriced: [] }, ...own },
    }) as never;

  test.each([
    ['usage.unpriced', record({ cost: { unpriced: ['audioOutput'] } })],
    ['usage.suspect', record({ suspect: { why: ['output-cap'], reported: {} } })],
  ])('%s is raised once per provider, model and day', async (kind, of) => {
    for (let times = 0; times < 3; times++) {
      for (const watch of watches) watch.record(of);
      await rounds();
    }
    expect(await raised()).toMatchObject([{ kind, detail: { model: 'openai/gpt-4o', requestId: 'r' } }]);
    expect(await messages()).toEqual([`dst_slack ${kind}`, `dst_webhook ${kind}`]);
  });

  test('an ordinary request raises nothing', async () => {
    watches[0]?.record(record({}));
    await rounds();
    expect(await raised()).toEqual([]);
  });

  test('ledger.audit_failed is raised once per account and day, and its account does not see it', async () => {
    for (const watch of watches) watch.violation(ACCOUNT, 'pending', 'sums differ');
    await rounds();
    expect(await kinds()).toEqual(['ledger.audit_failed']);
    const seen = await node(0).within(ACCOUNT, (db) => db.selectFrom('alerts').select('id').execute());
    expect(seen).toEqual([]);
  });

  test('an alert that the database could not store is raised in a later round', async () => {
    const down = new StoredAlerts(node(0));
    const failing: unknown[] = [];
    let isDown = true;
    const watch = new AlertWatch(() => SETTINGS, {
      rows: new Proxy(down, {
        get: (target, name: keyof StoredAlerts) =>
          isDown
            ? () => Promise.reject(new Error('down'))
            : (Reflect.get(target, name) as (...given: unknown[]) => unknown).bind(target),
      }),
      fileKeys: () => [],
      nowMs: Date.now,
      onTrouble: (error) => failing.push(error),
    });
    watch.violation(ACCOUNT, 'pending', 'sums differ');
    await watch.round();
    expect(failing).toHaveLength(1);
    isDown = false;
    await watch.round();
    expect(await kinds()).toEqual(['ledger.audit_failed']);
  });
});

test('a condition that was noticed while alerts were off is raised once they are on', async () => {
  let settings = { ...SETTINGS, enabled: false };
  const watch = new AlertWatch(() => settings, {
    rows: new StoredAlerts(node(0)),
    fileKeys: () => [],
    nowMs: Date.now,
    onTrouble: (error) => troubles.push(error),
  });
  watch.violation(ACCOUNT, 'pending', 'sums differ');
  settings = { ...SETTINGS, enabled: true };
  await watch.round();
  expect(await kinds()).toEqual([]);
  watch.violation(ACCOUNT, 'pending', 'sums differ');
  await watch.round();
  expect(await kinds()).toEqual(['ledger.audit_failed']);
  expect(troubles).toEqual([]);
});

test('one alert raised fifty times at once is stored once, with one message per destination', async () => {
  const alert: Alert = auditAlert(ACCOUNT, 'pending', 'sums differ', Date.now());
  const rows = stores.map((store) => new StoredAlerts(store));
  const results = await Promise.all(Array.from({ length: 50 }, (_, at) => rows[at % 2]?.raise(alert)));
  expect(results.filter((isNew) => isNew)).toHaveLength(1);
  expect(await messages()).toEqual(['dst_slack ledger.audit_failed', 'dst_webhook ledger.audit_failed']);
});

test('only one process checks the database per interval', async () => {
  const claims = await Promise.all(
    Array.from({ length: 20 }, (_, at) => new StoredAlerts(node(at % 2)).claimRound(60_000)),
  );
  expect(claims.filter((isClaimed) => isClaimed)).toHaveLength(1);
});

test('the previous secret of a webhook signs until its end by the clock of the database', async () => {
  const identity = webhookIdentity(ACCOUNT, 'wh_usual');
  const claimed = async (graceSeconds: number): Promise<readonly string[] | undefined> => {
    await node(0).within(ACCOUNT, async (db) => {
      await rotateWebhook(db, ACCOUNT, 'wh_usual', vault.seal(identity, 'whsec_x'), graceSeconds);
      await announce(db, { accountId: ACCOUNT, operation: `o${graceSeconds}`, model: 'm', end: 'failed' }, Date.now());
    });
    const rows = new StoredMessages(
      node(0),
      () => vault,
      () => undefined,
    );
    const [due] = await rows.claim(10, 1000);
    return due?.secrets;
  };
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  expect(await claimed(600).finally(() => vi.useRealTimers())).toEqual(['whsec_x', 'whsec_x']);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  expect(await claimed(-1).finally(() => vi.useRealTimers())).toEqual(['whsec_x']);
});

test('a node without secrets.keys leaves messages to nodes that have them, and logs it', async () => {
  await node(0).within(ACCOUNT, (db) =>
    announce(db, { accountId: ACCOUNT, operation: 'o', model: 'm', end: 'failed' }, Date.now()),
  );
  let unsigned = 0;
  const without = new StoredMessages(
    node(0),
    () => undefined,
    () => unsigned++,
  );
  expect(await without.claim(10, 1000)).toEqual([]);
  expect(unsigned).toBe(1);
  const others = new StoredMessages(
    node(1),
    () => vault,
    () => unsigned++,
  );
  expect(await others.claim(10, 1000)).toMatchObject([{ webhookId: 'wh_usual', tries: 1, secrets: ['whsec_x'] }]);
  expect(unsigned).toBe(1);
});

test('what two nodes find in the answers of a provider is one alert, and another difference is another', async () => {
  const drift: FoundDrift = {
    provider: 'groq',
    format: 'openai-chat',
    difference: { kind: 'new member', at: 'answer.mood', seen: 'object' },
    skeleton: '{"mood":"<object>"}',
    sinceMs: Date.parse('2026-11-16T14:02:00Z'),
    compared: 1000,
    seen: 3,
  };
  drifts = [drift];
  await rounds();
  drifts = [{ ...drift, seen: 500, compared: 2000, sinceMs: drift.sinceMs + 60_000 }];
  await rounds();
  expect(await raised()).toMatchObject([
    { kind: 'provider.drift', detail: { provider: 'groq', difference: 'new member', at: 'answer.mood', percent: 0.3 } },
  ]);
  const { rows } = await client.query('select title from alerts');
  expect(rows[0].title).toContain('Since 14:02 UTC, 0.3 % of the answers of groq');
  drifts = [{ ...drift, difference: { ...drift.difference, at: 'answer.temper' } }];
  await rounds();
  expect(await kinds()).toEqual(['provider.drift', 'provider.drift']);
});
