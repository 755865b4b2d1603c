/** A whole installation as files declare it: applied at once, read back, repaired after changes by hand, and never with a secret. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { type FakeTerminal, fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { readDeclaredFiles } from '../../packages/gateway/src/config/accounts-file/read.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-declared-'));
const CANARY = 'planted-canary';
const ENV = {
  SLACK_URL: `https://hooks.slack.example/services/${CANARY}`,
  OPS_URL: `https://ops.example/${CANARY}`,
  HOOK_URL: `https://receiver.example/hook?token=${CANARY}`,
  HOOK_SECRET: `whsec_${Buffer.from(`${CANARY}-of-thirty-two-bytes-or-more`).toString('base64')}`,
};
const PLANTED = [CANARY, ENV.HOOK_SECRET.slice('whsec_'.length)];
const until = new Date(Date.now() + 20 * 86_400_000).toISOString();
const WHOLE = `accounts:
  - id: company
    name: The company
    kind: postpaid
    status: active
    creditLimitUsd: 500
    budgets: { day: 50, month: 400, total: 5000 }
    groupBudgets: { month: 1000 }
    budgetTemplates:
      - { each: member, per: week, usd: 20, timeZone: Europe/Berlin, weekStartsOn: sunday, softPercent: [95, 75] }
      - { each: "member:ada@company.example", per: week, usd: 80 }
      - { each: "tag:project", per: month, usd: 7.5, anchorDay: 31, missing: shared }
    rateLimits: { requestsPerMinute: 600, burst: 50, tokensPerMinute: 100000, usdPerMinute: 5, inFlight: 20 }
    tags:
      - { key: team, required: true, budgets: { red: { month: 10 }, "a = b": { total: 3 } } }
      - { key: project }
    members:
      - { name: Ada, email: ada@company.example, role: owner, budgets: { month: 40 } }
      - { name: Ben, email: Ben@company.example, role: developer, budgets: { day: 5 } }
      - { name: Cy, role: viewer }
    keys:
      - name: app
        member: ada@company.example
        rights: { models: [openai/*, priced/*], rateLimits: { requestsPerMinute: 60 } }
        budgets: { month: 150 }
        capture: { bodies: all, until: ${until} }
      - { name: batch, rights: { endpoints: [embed], expiresAt: 2099-01-01T00:00:00Z } }
      - { name: ops, member: Cy, rights: { manages: viewer } }
    webhooks:
      - { url: https://receiver.example/all }
      - { url: https://receiver.example/some, events: [budget.reached, operation.failed] }
      - { url: env:HOOK_URL, secret: env:HOOK_SECRET }
    capture: { bodies: sample, samplePercent: 5, keepHours: 48, until: ${until} }
    terms: [{ changePercent: -20 }, { from: 2099-01-01, changePercent: 12.5 }]
  - id: team-a
    kind: unlimited
    parent: company
    budgets: { month: 30 }
  - { id: team-b, kind: prepaid, parent: company, status: suspended, terms: [{ changePercent: 0 }] }
models:
  - id: own/small
    displayName: Small
    contextLength: 32000
    endpoints: [{ provider: compatible, upstreamModel: any, pricings: { prompt: [{ value: "1", unit: perMTokens, currency: USD }], completion: [{ value: "4", unit: perMTokens, currency: USD }] } }]
  - { id: own/large, endpoints: [{ provider: compatible, upstreamModel: any }] }
aliases: { small: own/small, fast: openai/gpt-4o }
policies:
  - name: eu-only
    scope: { account: company }
    match: { models: [openai/*] }
    only: [openai]
    fallbacks: [{ model: own/small, on: [error] }]
  - { name: strict-ci, scope: { account: company, key: app }, strict: true }
prices:
  - { model: own/small, provider: compatible, pricings: { completion: [{ value: "2", unit: perMTokens, currency: USD }] } }
  - { model: priced/flat, provider: compatible, from: 2099-01-01, until: 2099-02-01, pricings: { prompt: [{ value: "9", unit: perMTokens, currency: USD }] } }
alertRules:
  - { kind: budget.reached, budgetPercents: [60, 100] }
  - { kind: spend.anomaly, factor: 3, minUsd: 25 }
  - { kind: key.expiring, keyExpiryDays: [30, 3] }
  - { kind: provider.back, enabled: false }
alertDestinations:
  - { name: Slack, kind: slack, url: env:SLACK_URL, events: [provider.out] }
  - { name: Ops, kind: webhook, url: env:OPS_URL }
  - { name: Mail, kind: mail, to: [ops@company.example, cto@company.example] }
`;

const stands: AdminStand[] = [];
const open = async (): Promise<AdminStand> => {
  const stand = await openAdminStand({
    config: () => ({
      models: PRICED_MODELS,
      secrets: { keys: ['vault-key-0123456789abcdefghijklmnopqrstuvwxyz'] },
      blobs: { folder: join(folder, `blobs-${stands.length}`) },
      alerts: { smtp: { host: '127.0.0.1', port: 1, security: 'none', from: 'alerts@company.example' } },
    }),
    alsoHosts: () => ({ providers: {}, models: PRICED_MODELS }),
  });
  stands.push(stand);
  return stand;
};

const outputs: string[] = [];
const run = async (stand: AdminStand, args: readonly string[]): Promise<FakeTerminal> => {
  const terminal = fakeTerminal({
    TRIVIUM_ADMIN_URL: stand.gateway.adminUrl,
    TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET,
    ...ENV,
  });
  await runCommandLine(args, terminal);
  outputs.push(...terminal.output, ...terminal.errors);
  return terminal;
};
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const SECRETS = join(folder, 'secrets.jsonl');
const exported = async (stand: AdminStand): Promise<string> => (await run(stand, ['export'])).output.join('\n');

let first: AdminStand;
let document: Readonly<Record<string, unknown>>;
beforeAll(async () => {
  first = await open();
  const file = write('whole.yaml', WHOLE);
  const read = readDeclaredFiles(file, ENV);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  document = read.declared;
  const applied = await run(first, ['apply', '-f', file, '--secrets', SECRETS]);
  if (applied.exitCode !== 0) throw new Error(applied.errors.join('\n'));
});
afterAll(async () => {
  for (const stand of stands) await stand.close();
  rmSync(folder, { recursive: true });
});

test('a second run changes nothing, and secrets are in their file alone', async () => {
  const again = await run(first, ['apply', '-f', join(folder, 'whole.yaml'), '--dry-run', '--prune']);
  expect(again.errors).toEqual([]);
  expect(again.output).toEqual(['No changes.']);
  const given = readFileSync(SECRETS, 'utf8').trim().split('\n');
  expect(given.map((line) => Object.values(JSON.parse(line) as object)[0])).toEqual([
    'company/app',
    'company/batch',
    'company/ops',
    'company/https://receiver.example/all',
    'company/https://receiver.example/some',
    'Ops',
  ]);
});

test('an export applied to an empty installation gives the same export, byte for byte', async () => {
  const text = await exported(first);
  expect(text).toContain('url: env:SLACK_URL');
  const second = await open();
  const applied = await run(second, ['apply', '-f', write('exported.yaml', text), '--secrets', SECRETS]);
  expect(applied.errors).toEqual([]);
  expect(await exported(second)).toBe(text);
  expect((await run(second, ['apply', '-f', write('whole.yaml', WHOLE), '--dry-run', '--prune'])).output).toEqual([
    'No changes.',
  ]);
});

type Step = { readonly action: string; readonly kind: string; readonly name: string; readonly drift?: string };
const applyIt = async (options: object): Promise<readonly Step[]> => {
  const { status, json, text } = await first.admin('POST', '/declared', { declared: document, ...options });
  outputs.push(text.replaceAll(/"secrets":\[.*\]/g, ''));
  if (status !== 200) throw new Error(text);
  return json['changes'] as Step[];
};

type Items = readonly Readonly<Record<string, unknown>>[];
const idOf = async (list: string, member: string, value: string): Promise<string> => {
  const items = (await first.admin('GET', list)).json['items'] as Items;
  const found = items.find((one) => one[member] === value && (one['revokedAt'] ?? one['withdrawnAt'] ?? null) === null);
  return String(found?.['id']);
};
const ACCOUNT = '/accounts/company';
const keyId = (name: string) => idOf(`${ACCOUNT}/keys`, 'name', name);
const memberId = (name: string) => idOf(`${ACCOUNT}/members`, 'name', name);
const hookId = (url: string) => idOf(`${ACCOUNT}/webhooks`, 'url', url);
const destinationId = (name: string) => idOf('/alerts/destinations', 'name', name);

/** What a hand may do at the admin API: method, path and body. */
type Hand = readonly [method: string, path: string | (() => Promise<string>), body?: object | (() => Promise<object>)];
const change = (body: object, account = ACCOUNT): Hand => ['PATCH', account, body];
const budget = (scope: string | (() => Promise<string>), span: string, usd?: string): Hand =>
  usd === undefined
    ? [
        'DELETE',
        async () =>
          `${ACCOUNT}/budgets?${new URLSearchParams({ scope: typeof scope === 'string' ? scope : await scope(), span })}`,
      ]
    : [
        'POST',
        `${ACCOUNT}/budgets`,
        async () => ({ scope: typeof scope === 'string' ? scope : await scope(), span, usd }),
      ];
const ofMember = (name: string) => async () => `member:${await memberId(name)}`;
const ofKey = (name: string) => async () => `key:${await keyId(name)}`;
const rates = { requestsPerMinute: 600, burst: 50, tokensPerMinute: 100_000, usdPerMinute: 5, inFlight: 20 };
const usd = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];

const DRIFTS: readonly (readonly [kind: string, name: string, hand: Hand])[] = [
  ['account', 'company', change({ name: 'Another' })],
  ['account', 'company', change({ status: 'suspended' })],
  ['account', 'company', change({ creditLimitUsd: '501' })],
  ['account', 'company', change({ kind: 'unlimited' })],
  ['account', 'company', change({ kind: 'prepaid' })],
  ['account', 'company', change({ rateLimits: null })],
  ['account', 'company', change({ rateLimits: { ...rates, requestsPerMinute: 601 } })],
  ['account', 'company', change({ rateLimits: { ...rates, burst: 51 } })],
  ['account', 'company', change({ rateLimits: { ...rates, tokensPerMinute: 1 } })],
  ['account', 'company', change({ rateLimits: { ...rates, usdPerMinute: 0.5 } })],
  ['account', 'company', change({ rateLimits: { ...rates, inFlight: 21 } })],
  ['account', 'team-a', change({ kind: 'prepaid' }, '/accounts/team-a')],
  ['account', 'team-a', ['POST', '/accounts/team-a/parent', { parentId: null }]],
  ['account', 'team-a', ['POST', '/accounts/team-a/parent', { parentId: 'team-b' }]],
  ['account', 'team-b', change({ status: 'active' }, '/accounts/team-b')],
  ['account', 'team-b', change({ kind: 'postpaid', creditLimitUsd: '1' }, '/accounts/team-b')],
  ['account', 'team-b', ['POST', '/accounts/team-b/parent', { parentId: 'team-a' }]],
  ['tag', 'company/team', ['POST', `${ACCOUNT}/tags`, { key: 'team', required: false }]],
  ['tag', 'company/project', ['POST', `${ACCOUNT}/tags`, { key: 'project', required: true }]],
  ['tag', 'company/project', ['DELETE', `${ACCOUNT}/tags?key=project`]],
  [
    'member',
    'company/ada@company.example',
    ['PATCH', async () => `${ACCOUNT}/members/${await memberId('Ada')}`, { role: 'admin' }],
  ],
  [
    'member',
    'company/ada@company.example',
    ['PATCH', async () => `${ACCOUNT}/members/${await memberId('Ada')}`, { name: 'Eve' }],
  ],
  [
    'member',
    'company/Ben@company.example',
    ['PATCH', async () => `${ACCOUNT}/members/${await memberId('Ben')}`, { role: 'owner' }],
  ],
  ['member', 'company/Cy', ['PATCH', async () => `${ACCOUNT}/members/${await memberId('Cy')}`, { role: 'developer' }]],
  ['key', 'company/batch', ['POST', async () => `${ACCOUNT}/keys/${await keyId('batch')}/revoke`, {}]],
  ['key', 'company/batch', ['PATCH', async () => `${ACCOUNT}/keys/${await keyId('batch')}`, { name: 'renamed' }]],
  [
    'webhook',
    'company/https://receiver.example/all',
    ['DELETE', async () => `${ACCOUNT}/webhooks/${await hookId('https://receiver.example/all')}`],
  ],
  [
    'webhook',
    'company/https://receiver.example/all',
    [
      'PATCH',
      async () => `${ACCOUNT}/webhooks/${await hookId('https://receiver.example/all')}`,
      { events: ['key.expiring'] },
    ],
  ],
  [
    'webhook',
    'company/https://receiver.example/some',
    ['PATCH', async () => `${ACCOUNT}/webhooks/${await hookId('https://receiver.example/some')}`, { events: null }],
  ],
  [
    'webhook',
    'company/env:HOOK_URL',
    ['POST', async () => `${ACCOUNT}/webhooks/${await hookId(ENV.HOOK_URL)}/rotate`, {}],
  ],
  ['webhook', 'company/env:HOOK_URL', ['DELETE', async () => `${ACCOUNT}/webhooks/${await hookId(ENV.HOOK_URL)}`]],
  ['capture', 'company/account', ['PATCH', `${ACCOUNT}/records`, { bodies: 'off' }]],
  ['capture', 'company/account', ['PATCH', `${ACCOUNT}/records`, { bodies: 'all' }]],
  ['capture', 'company/account', ['PATCH', `${ACCOUNT}/records`, { samplePercent: 50 }]],
  ['capture', 'company/account', ['PATCH', `${ACCOUNT}/records`, { keepHours: 1 }]],
  [
    'capture',
    'company/key:app',
    ['PATCH', async () => `${ACCOUNT}/keys/${await keyId('app')}/records`, { bodies: 'inherit' }],
  ],
  [
    'capture',
    'company/key:app',
    ['PATCH', async () => `${ACCOUNT}/keys/${await keyId('app')}/records`, { bodies: 'errors' }],
  ],
  ['terms', 'company/now', ['POST', `${ACCOUNT}/terms`, { changePercent: 50 }]],
  ['terms', 'company/now', ['POST', `${ACCOUNT}/terms`, { changePercent: null }]],
  ['terms', 'company/2099-01-01', ['POST', `${ACCOUNT}/terms`, { changePercent: 1, from: '2099-01-01' }]],
  ['budget', 'company/account per day', budget('account', 'day', '51')],
  ['budget', 'company/account per month', budget('account', 'month')],
  ['budget', 'company/account per total', budget('account', 'total', '0')],
  ['budget', 'company/group per month', budget('group', 'month', '999.999999999')],
  ['budget', 'company/group per month', budget('group', 'month')],
  ['budget', 'company/member:ada@company.example per month', budget(ofMember('Ada'), 'month', '41')],
  ['budget', 'company/member:Ben@company.example per day', budget(ofMember('Ben'), 'day')],
  ['budget', 'company/key:app per month', budget(ofKey('app'), 'month', '1')],
  ['budget', 'company/key:app per month', budget(ofKey('app'), 'month')],
  ['budget', 'company/tag:team=red per month', budget('tag:team=red', 'month', '11')],
  ['budget', 'company/tag:team=a = b per total', budget('tag:team=a = b', 'total')],
  [
    'budget template',
    'company/each member per week',
    ['POST', `${ACCOUNT}/budget-templates`, { each: 'member', per: 'week', usd: '20' }],
  ],
  [
    'budget template',
    'company/each member:ada@company.example per week',
    [
      'DELETE',
      async () => `${ACCOUNT}/budget-templates?${new URLSearchParams({ each: await ofMember('Ada')(), per: 'week' })}`,
    ],
  ],
  [
    'budget template',
    'company/each tag:project per month',
    ['DELETE', `${ACCOUNT}/budget-templates?each=tag:project&per=month`],
  ],
  ['policy', 'eu-only', ['POST', '/policies', { name: 'eu-only', scope: { account: 'company' }, only: ['openai'] }]],
  ['policy', 'strict-ci', ['DELETE', '/policies/strict-ci']],
  ['model', 'own/large', ['DELETE', '/models/own/large']],
  [
    'model',
    'own/small',
    [
      'POST',
      '/models/own',
      {
        id: 'own/small',
        displayName: 'Other',
        contextLength: 32000,
        endpoints: [{ provider: 'compatible', upstreamModel: 'any' }],
      },
    ],
  ],
  ['alias', 'fast', ['POST', '/models/aliases', { name: 'fast', model: 'priced/flat' }]],
  ['alias', 'fast', ['DELETE', '/models/aliases?name=fast']],
  [
    'price',
    'own/small at compatible',
    ['DELETE', async () => `/prices/${await idOf('/prices', 'model', 'own/small')}`],
  ],
  [
    'price',
    'own/small at compatible',
    ['POST', '/prices', { model: 'own/small', provider: 'compatible', pricings: { completion: usd('3') } }],
  ],
  ['alert rule', 'budget.reached', ['PATCH', '/alerts/rules/budget.reached', { budgetPercents: [10] }]],
  ['alert rule', 'provider.back', ['DELETE', '/alerts/rules/provider.back']],
  [
    'alert destination',
    'Slack',
    ['PATCH', async () => `/alerts/destinations/${await destinationId('Slack')}`, { events: null }],
  ],
  ['alert destination', 'Ops', ['DELETE', async () => `/alerts/destinations/${await destinationId('Ops')}`]],
];

describe('drift', () => {
  afterAll(async () => expect(await applyIt({ dryRun: true })).toEqual([]));

  test('there are at least 60 drifts, of every kind', () => {
    expect(DRIFTS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(DRIFTS.map(([kind]) => kind)).size).toBe(15);
  });

  test.each(DRIFTS)(
    '%s %s: changed by hand, it is found and repaired (%#)',
    async (kind, name, [method, path, body]) => {
      const at = typeof path === 'string' ? path : await path();
      const done = await first.admin(method, at, typeof body === 'function' ? await body() : body);
      expect(done.status, done.text).toBeLessThan(300);
      const found = await applyIt({ dryRun: true });
      // Nothing else: so the drift before this one was repaired.
      expect(found.map((step) => `${step.kind} ${step.name}`)).toEqual([`${kind} ${name}`]);
      // Of a secret only its reference is kept: which side has changed is not known.
      if (!at.endsWith('/rotate')) expect(found[0]?.drift).toMatch(/changed|removed/);
      await applyIt({ takeSecrets: true });
    },
  );
});

const broken = (from: string, to: string): string =>
  write('broken.yaml', WHOLE.replace('name: The company', 'name: Changed').replace(from, to));

test.each([
  ['an unknown parent', 'parent: company, status', 'parent: nowhere, status', 'account "nowhere" is neither'],
  [
    'a tree that is a circle',
    'kind: postpaid\n',
    'kind: postpaid\n    parent: team-a\n',
    'is the account itself or one below it',
  ],
  ['an unknown member', 'member: Cy', 'member: Dora', 'member "Dora" is neither'],
  ['an alias without a model', 'fast: openai/gpt-4o', 'fast: openai/none', 'is not a model of the catalogue'],
  [
    'a price without an endpoint',
    'model: own/small, provider: compatible',
    'model: own/small, provider: openai',
    'no endpoint at openai',
  ],
  ['a webhook at an address that is not allowed', 'receiver.example/some', '127.0.0.1/some', 'webhooks[1]'],
  ['a threshold of another kind', 'factor: 3', 'budgetPercents: [3]', 'budgetPercents is not for spend.anomaly'],
  ['a policy with an unknown host', 'only: [openai]', 'only: [nowhere]', '"nowhere" is no configured provider'],
  [
    'a policy that contradicts another of the document',
    '  - { name: strict-ci,',
    '  - { name: strict-too, scope: { account: company, key: app }, strict: false }\n  - { name: strict-ci,',
    "contradicts 'strict-ci'",
  ],
])('%s changes nothing at all, and its line is named', async (_what, from, to, message) => {
  const before = await exported(first);
  const refused = await run(first, ['apply', '-f', broken(from, to), '--secrets', SECRETS]);
  expect(refused.exitCode).toBe(1);
  expect(refused.errors.join('\n')).toMatch(/broken\.yaml:\d+:\d+: /);
  if (!message.startsWith('webhooks')) expect(refused.errors.join('\n')).toContain(message);
  expect(await exported(first)).toBe(before);
});

test('literal secrets are refused: these files hold references', async () => {
  const file = write('literal.yaml', WHOLE.replace('url: env:SLACK_URL', 'url: https://hooks.slack.example/x'));
  const refused = await run(first, ['apply', '-f', file, '--dry-run']);
  expect(refused.errors.join()).toContain('must be env:NAME or file:/path: these files hold no secrets');
});

test('--prune removes what an apply made, and nothing that was made by hand', async () => {
  await first.admin('POST', '/models/aliases', { name: 'by-hand', model: 'openai/gpt-4o' });
  const file = write('pruned.yaml', 'aliases: { small: own/small }\nmodels: []\nalertRules: []\n');
  const planned = await run(first, ['apply', '-f', file, '--dry-run', '--prune']);
  expect(planned.errors.join()).toContain('"own/small" is not a model of the catalogue');
  write('pruned.yaml', 'aliases: { small: own/small }\nalertRules: []\n');
  const { output } = await run(first, ['apply', '-f', file, '--prune']);
  expect(output).toEqual(
    [
      '- alert rule spend.anomaly: factor 3, minUsd 25',
      '- alert rule provider.back: enabled false',
      '- alert rule key.expiring: keyExpiryDays [30,3]',
      '- alert rule budget.reached: budgetPercents [60,100]',
      '- alias fast: model "openai/gpt-4o"',
      'Not in the files, and not made by an apply:',
      '  - alias by-hand: model "openai/gpt-4o"',
      '0 to create, 0 to change, 5 to remove',
      'Applied.',
    ].sort((one, other) => output.indexOf(one) - output.indexOf(other)),
  );
  const { json } = await first.admin('GET', '/models/aliases');
  expect((json['items'] as Items).map(({ name }) => name)).toEqual(['by-hand', 'small']);
});

test('no output, audit entry or kept row holds a planted secret', async () => {
  const audit = (await first.admin('GET', '/audit?limit=200')).text;
  const client = new Client({ connectionString: first.database.url });
  await client.connect();
  const { rows } = await client
    .query("select set_config('trivium.tenant', '*', false); select * from declared")
    .finally(() => client.end());
  const all = [...outputs, audit, JSON.stringify(rows)].join('\n');
  for (const secret of PLANTED) expect(all).not.toContain(secret);
  expect(all).not.toMatch(/whsec_\w|sk-trivium-\w{20}/);
});
