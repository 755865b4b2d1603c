/**
 * `npm run console:truth`: every number of the views named at its end, for three ranges and
 * two roles, against SQL of its own over generated traffic. Then errors are planted, each of which must be found. The last line is JSON.
 */
import { execFileSync } from 'node:child_process';
import { Client } from 'pg';
import { boundsOf, parseRange, type Range } from '../../../packages/console/src/format/range.ts';
import { UsageRows } from '../../../packages/gateway/src/control/usage/usage-rows.ts';
import { Store } from '../../../packages/gateway/src/store/postgres/store.ts';
import { type AdminStand, openAdminStand } from '../../../tests/support/admin-stand.ts';
import { UPSTREAM_SECRET } from '../../../tests/support/stand.ts';
import { openBrowser } from '../browser.ts';
import { checkMoney, MODEL, PAID, payAndCall } from './money.ts';
import { checkRendered } from './rendered.ts';
import { trafficOf } from './traffic.ts';
import { type Role, Views } from './views.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HALF_HOUR_MS = 1_800_000;

const nowMs = Date.now();
const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
/** A fixed one of whole days where a day begins at half past, a day of which has a partial hour at either end. */
const kolkata = `${new Date(today - 6 * DAY_MS - HALF_HOUR_MS * 11).toISOString()}..${new Date(today - 3 * DAY_MS - HALF_HOUR_MS * 11).toISOString()}`;
const RANGES = new Map<string, Range>(['24h', '7d', kolkata].map((text) => [text, parseRange(text) as Range]));

/** Errors in what views are read from, and their undoing; `undefined`: the database is thrown away after it. */
const add = (what: string, update: string, figure: string, where: string) =>
  [
    what,
    `update ${update} set ${figure} = ${figure} + 1 where ${where}`,
    `update ${update} set ${figure} = ${figure} - 1 where ${where}`,
  ] as const;

/** Not rolled up yet, and whole in every range that has it. */
const lastHour = `timestamptz '${new Date(Math.floor(nowMs / HOUR_MS) * HOUR_MS - HOUR_MS).toISOString()}'`;
const rolledUpDay = `(select max(start) from usage_rollup_spans where unit = 'day' and until = start + interval '1 day')`;
const lastFailure = `(select max(at) from provider_attempts where outcome = 'upstream-overloaded')`;
const PLANTED: readonly (readonly [what: string, plant: string, undo: string | undefined])[] = [
  add('requests too many in an hour', 'usage_hourly', 'requests', `account_id = 'acme' and hour = ${lastHour}`),
  add('nano-dollars too many in the rollups of a day', 'usage_rollups', 'cost_nano', `start = ${rolledUpDay}`),
  add('errors too many in the totals', 'request_totals', 'upstream_faults', `hour = ${lastHour}`),
  add(
    'failed attempts too many',
    'provider_attempts',
    'attempts',
    `outcome = 'upstream-overloaded' and at = ${lastFailure}`,
  ),
  add('nano-dollars too many charged', 'ledger_accounts', 'posted', `account_id = '${PAID}'`),
  add('nano-dollars too many in a budget', 'ledger_purses', 'posted', `account_id = '${PAID}' and span = 'day'`),
  [
    'a row that was counted and is gone',
    'delete from usage_events where request_id = (select request_id from usage_events order by received_at desc limit 1)',
    undefined,
  ],
];

async function fill(stand: AdminStand): Promise<readonly Role[]> {
  const owners = [];
  let secret = '';
  for (const account of ['acme', 'data']) {
    const first = await stand.newAccount(account);
    secret ||= first.secret;
    const { json } = await stand.admin('POST', `/accounts/${account}/keys`, { name: 'web-app' });
    const keyId = (json['key'] as { id: string }).id;
    owners.push({ accountId: account, keyId: first.keyId }, { accountId: account, keyId });
  }
  const edges = [...RANGES.values()].flatMap((range) =>
    range.kind === 'fixed' ? [range.fromMs, range.untilMs] : [Math.ceil(nowMs / 60_000) * 60_000 - range.ms],
  );
  const store = new Store(stand.database.settings);
  try {
    const rows = new UsageRows(store);
    const events = trafficOf(nowMs, edges, owners);
    for (let at = 0; at < events.length; at += 100) await rows.store(events.slice(at, at + 100));
    while (await rows.rollUpSome());
  } finally {
    await store.close();
  }
  return [{ name: 'operator' }, { name: 'owner of acme', secret, account: 'acme' }];
}

async function look(stand: AdminStand, client: Client, roles: readonly Role[], paying: string): Promise<Views> {
  const views = new Views(stand, client, nowMs);
  for (const [text, range] of RANGES) for (const role of roles) await views.check(text, range, role);
  await views.checkOnce();
  await checkMoney(stand, client, paying, views.is);
  return views;
}

const providers = (url: string) =>
  Object.fromEntries(
    ['alpha', 'beta', 'quiet'].map((id) => [
      id,
      { dialect: 'openai-chat', baseUrl: `${url}/openai/v1`, credential: UPSTREAM_SECRET },
    ]),
  );

const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];
execFileSync('npm', ['run', 'console:build', '--silent'], { stdio: ['ignore', 'ignore', 'inherit'] });
const stand = await openAdminStand({
  config: (url) => ({
    providers: providers(url),
    models: [
      {
        id: MODEL,
        endpoints: [
          { provider: 'quiet', upstreamModel: 'gpt-4o', pricings: { prompt: usd('3'), completion: usd('12') } },
        ],
      },
    ],
  }),
});
const client = new Client({ connectionString: stand.database.url });
await client.connect();
let isOk = false;
try {
  const roles = await fill(stand);
  const { secret: paying } = await payAndCall(stand, client);
  const views = await look(stand, client, roles, paying);
  const browser = await openBrowser();
  try {
    const bounds = boundsOf(RANGES.get(kolkata) as Range, nowMs);
    for (const role of roles) await checkRendered(stand, client, browser, kolkata, bounds, role, views.is);
  } finally {
    await browser.close();
  }
  for (const difference of views.differences.slice(0, 20)) console.error(JSON.stringify(difference));
  const missed: string[] = [];
  for (const [what, plant, undo] of PLANTED) {
    await client.query(plant);
    const { differences } = await look(stand, client, roles.slice(0, 1), paying);
    console.error(`planted: ${what}: ${differences.length} differences, first ${differences[0]?.what}`);
    if (differences.length === 0) missed.push(what);
    if (undo !== undefined) await client.query(undo);
  }
  isOk = views.differences.length === 0 && missed.length === 0;
  console.log(
    JSON.stringify({
      ok: isOk,
      differences: views.differences.length,
      compared: views.compared,
      planted: PLANTED.length,
      found: PLANTED.length - missed.length,
      views: [
        'overview',
        'requests',
        'usage',
        'providers',
        'provider',
        'accounts',
        'metrics',
        'credit',
        'ledger',
        'budgets',
        'keys',
        'alerts',
        'pages as drawn',
      ],
      ranges: RANGES.size,
      roles: roles.length,
    }),
  );
} finally {
  await client.end();
  await stand.close();
}
process.exitCode = isOk ? 0 : 1;
