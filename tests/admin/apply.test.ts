/** `trivium apply` against a running gateway and PostgreSQL. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { type FakeTerminal, fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';

const MODEL = { model: 'priced/flat', max_tokens: 100 };

let stand: AdminStand;
const folder = mkdtempSync(join(tmpdir(), 'trivium-apply-'));
beforeAll(async () => {
  stand = await openAdminStand({ config: () => ({ models: PRICED_MODELS }) });
});
afterAll(async () => {
  await stand.close();
  rmSync(folder, { recursive: true });
});

const write = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

type Given = { readonly env?: Record<string, string>; readonly secret?: string };
const SECRETS = join(folder, 'given.jsonl');
const apply = async (file: string, args: readonly string[] = [], given: Given = {}): Promise<FakeTerminal> => {
  const { env, secret = OPERATOR_SECRET } = given;
  const terminal = fakeTerminal({
    TRIVIUM_ADMIN_URL: stand.gateway.adminUrl,
    TRIVIUM_ADMIN_SECRET: secret,
    ...env,
  });
  await runCommandLine(['apply', '-f', file, '--secrets', SECRETS, ...args], terminal);
  expect(terminal.output.join('\n')).not.toMatch(/sk-trivium-\w{8}|whsec_/);
  return terminal;
};
const secretOf = (key: string): string =>
  readFileSync(SECRETS, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { key?: string; secret: string })
    .find((given) => given.key === key)?.secret ?? '';
const itemsOf = async (path: string): Promise<readonly Record<string, unknown>[]> =>
  (await stand.admin('GET', path)).json['items'] as Record<string, unknown>[];

const ACME = `accounts:
  - id: acme
    name: Acme
    kind: postpaid
    creditLimitUsd: 50
    budgets: { month: 100 }
    members:
      - { name: Ada, email: ada@acme.example, role: owner, budgets: { day: "2.50" } }
    keys:
      - name: app
        member: ada@acme.example
        rights: { models: [priced/*, anthropic/*], rateLimits: { requestsPerMinute: 600 } }
        budgets: { total: "10" }
`;

test('apply creates what the file declares, and the new key works; a second run changes nothing', async () => {
  const file = write('acme.yaml', ACME);
  const planned = await apply(file, ['--dry-run']);
  expect(planned.exitCode).toBe(2);
  expect(planned.output).toEqual([
    '+ account acme: name "Acme", kind "postpaid", creditLimitUsd "50"',
    '+ member acme/ada@acme.example: name "Ada", email "ada@acme.example", role "owner"',
    '+ key acme/app: member "ada@acme.example", rights {"models":["priced/*","anthropic/*"],"rateLimits":{"requestsPerMinute":600}}',
    '+ budget acme/account per month: usd "100"',
    '+ budget acme/member:ada@acme.example per day: usd "2.50"',
    '+ budget acme/key:app per total: usd "10"',
    '6 to create, 0 to change, 0 to remove',
  ]);
  expect((await stand.admin('GET', '/accounts/acme')).status).toBe(404);

  const applied = await apply(file);
  expect({ errors: applied.errors, exitCode: applied.exitCode }).toEqual({ errors: [], exitCode: 0 });
  expect((await stand.chat(secretOf('acme/app'), MODEL)).status).toBe(200);
  const [member] = await itemsOf('/accounts/acme/members');
  const [key] = await itemsOf('/accounts/acme/keys');
  expect(key).toMatchObject({ memberId: member?.['id'], rights: { rateLimits: { requestsPerMinute: 600 } } });
  const budgets = await itemsOf('/accounts/acme/budgets');
  expect(budgets.map(({ scope, span }) => `${scope} ${span}`).sort()).toEqual(
    ['account month', `key:${key?.['id']} total`, `member:${member?.['id']} day`].sort(),
  );
  expect((await stand.admin('GET', '/accounts/acme/credits')).json).toMatchObject({ kind: 'postpaid' });

  for (const args of [[], ['--dry-run'], ['--dry-run', '--prune']]) {
    const again = await apply(file, args);
    expect({ output: again.output, exitCode: again.exitCode }).toEqual({ output: ['No changes.'], exitCode: 0 });
  }
});

test('the example file of the documentation can be applied unchanged', async () => {
  const page = readFileSync(new URL('../../docs/operate/apply.md', import.meta.url), 'utf8');
  const [, text = ''] = /```yaml \{#accounts\}\n([\s\S]*?)```/.exec(page) ?? [];
  const file = write('documented.yaml', text.replace('id: acme', 'id: documented'));
  expect((await apply(file)).errors).toEqual([]);
  expect((await apply(file)).output).toEqual(['No changes.']);
});

test('apply shows and makes changes to limits, roles, budgets and narrower key rights', async () => {
  const base = ACME.replaceAll('acme', 'changing');
  await apply(write('changing.yaml', base));
  const changed = base
    .replace('creditLimitUsd: 50', 'creditLimitUsd: 80\n    status: suspended')
    .replace('month: 100', 'month: 120')
    .replace('role: owner', 'role: admin')
    .replace('requestsPerMinute: 600', 'requestsPerMinute: 60');
  const file = write('changing.yaml', changed);
  const planned = await apply(file, ['--dry-run', '--json']);
  const { changes } = JSON.parse(planned.output[0] ?? '') as { changes: { action: string; name: string }[] };
  expect(changes.map(({ action, name }) => `${action} ${name}`)).toEqual([
    'change changing',
    'change changing/ada@changing.example',
    'change changing/app',
    'change changing/account per month',
  ]);
  const applied = await apply(file);
  expect(applied.output).toContain('~ member changing/ada@changing.example: role "owner" → "admin"');
  expect((await stand.admin('GET', '/accounts/changing')).json).toMatchObject({ status: 'suspended' });
  expect((await apply(file)).output).toEqual(['No changes.']);
});

test('apply removes what the lists omit only with --prune, and shows it first', async () => {
  const base = ACME.replaceAll('acme', 'pruned');
  await apply(write('pruned.yaml', base));
  const secret = secretOf('pruned/app');
  const emptied = `accounts:
  - { id: pruned, name: Pruned, kind: postpaid, creditLimitUsd: 50, budgets: {}, members: [], keys: [] }
`.replace('name: Pruned', 'name: Acme');
  const file = write('pruned.yaml', emptied);
  const kept = await apply(file);
  expect(kept.exitCode).toBe(0);
  expect(kept.output[0]).toBe('Not in the files, and left alone without --prune:');
  expect(kept.output.slice(1, -1).map((line) => line.split(':')[0])).toEqual([
    '  - member pruned/ada@pruned.example',
    '  - key pruned/app',
    '  - budget pruned/account per month',
  ]);
  expect(kept.output.at(-1)).toBe('No changes.');
  expect((await stand.chat(secret, MODEL)).status).toBe(200);
  expect((await apply(file, ['--prune', '--dry-run'])).exitCode).toBe(2);
  expect((await stand.chat(secret, MODEL)).status).toBe(200);

  expect((await apply(file, ['--prune'])).errors).toEqual([]);
  expect((await stand.chat(secret, MODEL)).status).toBe(401);
  expect(await itemsOf('/accounts/pruned/members')).toEqual([]);
  expect((await itemsOf('/accounts/pruned/budgets')).map(({ scope }) => scope)).not.toContain('account');
});

test('apply does not change lists that the file omits, nor keys that callers created', async () => {
  const { secret } = await stand.newAccount('partly');
  await stand.admin('POST', '/accounts/partly/keys', { name: 'made by a caller', rights: {} }, secret);
  const bare = write('partly.yaml', 'accounts: [{ id: partly, kind: unlimited }]\n');
  expect((await apply(bare, ['--prune', '--dry-run'])).output).toEqual(['No changes.']);
  const listed = write('partly.yaml', 'accounts: [{ id: partly, kind: unlimited, keys: [{ name: other }] }]\n');
  const asOperator = await apply(listed, ['--prune', '--dry-run']);
  expect(asOperator.output.map((line) => line.split(':')[0])).toEqual([
    '+ key partly/other',
    'Not in the files, and not made by an apply',
    '  - key partly/first',
    '1 to create, 0 to change, 0 to remove',
  ]);
  // The key that the run authenticates with is kept: removing it would end the run in the middle.
  const asItself = await apply(listed, ['--prune', '--dry-run'], { secret });
  expect(asItself.output.join('\n')).not.toContain('partly/first');
});

test('a managing key finds the keys again that it created, and prunes no key that another key created', async () => {
  const { secret } = await stand.newAccount('managed', { manages: 'admin', models: ['priced/*'] });
  const other = await stand.admin('POST', '/accounts/managed/keys', { name: 'other', rights: { manages: 'admin' } });
  const ofOther = { name: 'made by other', rights: {} };
  await stand.admin('POST', '/accounts/managed/keys', ofOther, String(other.json['secret']));
  const declare = (...names: readonly string[]): string =>
    write(
      'managed.yaml',
      `accounts: [{ id: managed, kind: unlimited, keys: [{ name: other, rights: { manages: admin } }, ${names.join()}] }]\n`,
    );
  const file = declare('{ name: app }', '{ name: strict, rights: { strict: true } }');
  expect((await apply(file, [], { secret })).errors).toEqual([]);
  for (const args of [[], ['--prune', '--dry-run']])
    expect((await apply(file, args, { secret })).output).toEqual(['No changes.']);

  const fewer = await apply(declare('{ name: app, rights: { strict: true } }'), ['--prune'], { secret });
  expect(fewer.errors).toEqual([]);
  const keys = await itemsOf('/accounts/managed/keys');
  expect(keys.filter(({ revokedAt }) => revokedAt === null).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['first', 'other', 'made by other', 'app']),
  );
  expect(keys.filter(({ revokedAt }) => revokedAt !== null).map(({ name }) => name)).toEqual(['strict']);
  expect(keys.find(({ name }) => name === 'app')).toMatchObject({ rights: { models: ['priced/*'], strict: true } });
});

test('a managing key is never pruned, also while its former secret is used after a rotation', async () => {
  const { keyId, secret } = await stand.newAccount('rotated');
  await stand.admin('POST', `/accounts/rotated/keys/${keyId}/rotate`, { graceSeconds: 600 });
  const file = write('rotated.yaml', 'accounts: [{ id: rotated, kind: unlimited, keys: [] }]\n');
  expect((await apply(file, ['--prune', '--dry-run'], { secret })).output).toEqual(['No changes.']);
});

test('a widened right and an unknown member stop the whole run, with their line numbers', async () => {
  const base = ACME.replaceAll('acme', 'wider');
  await apply(write('wider.yaml', base));
  const file = write(
    'wider.yaml',
    `${base.replace('requestsPerMinute: 600', 'requestsPerMinute: 700').replace('month: 100', 'month: 7')}      - { name: lost, member: eve }\n`,
  );
  const refused = await apply(file);
  expect(refused.exitCode).toBe(1);
  const [first, second] = refused.errors.join('\n').split('\n');
  expect(first).toContain(`${file}:10:9: rights.rateLimits of key "app" can only be narrowed`);
  expect(second).toBe(`${file}:14:31: member "eve" is neither in this account's list nor in the gateway`);
  expect(await itemsOf('/accounts/wider/budgets')).toContainEqual(
    expect.objectContaining({ scope: 'account', usd: expect.stringMatching(/^100(\.0+)?$/) }),
  );
});

test('unknown fields, wrong values and unset variables are refused with their line numbers, before any call', async () => {
  const file = write(
    'wrong.yaml',
    `accounts:
  - id: wrong
    kind: free
    budget: { month: 5 }
    keys:
      - { name: a, rights: { model: [x] } }
      - { name: b, rights: { rateLimits: { requestsPerMinute: env:NOT_SET } } }
`,
  );
  const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: 'http://127.0.0.1:1', TRIVIUM_ADMIN_SECRET: 'x' });
  await runCommandLine(['apply', '-f', file], terminal);
  const lines = terminal.errors.join('\n').replace('trivium: ', '').split('\n');
  expect(lines).toContain(`${file}:3:11: accounts[0].kind: must be one of prepaid, postpaid, unlimited`);
  expect(lines).toContain(`${file}:4:5: accounts[0].budget: is not a known field; did you mean "budgets"?`);
  expect(lines).toContain(
    `${file}:6:30: accounts[0].keys[0].rights.model: is not a known field; did you mean "models"?`,
  );
  expect(lines.join('\n')).toContain(
    `${file}:7:63: accounts[0].keys[1].rights.rateLimits.requestsPerMinute: the environment variable NOT_SET is not set`,
  );
  expect(lines).toHaveLength(4);
  expect(terminal.exitCode).toBe(1);
});

test('apply reads a folder of files and environment variables, and writes secrets to a file that only its owner can read', async () => {
  const many = join(folder, 'many');
  mkdirSync(many);
  writeFileSync(
    join(many, 'one.yaml'),
    'accounts: [{ id: one, kind: unlimited, keys: [{ name: k, rights: { rateLimits: { requestsPerMinute: env:RPM } } }] }]',
  );
  writeFileSync(join(many, 'two.json'), '{"accounts": [{"id": "two", "name": "env:NAME", "kind": "unlimited"}]}');
  writeFileSync(join(many, 'notes.md'), 'not read');
  const secrets = join(folder, 'secrets.jsonl');
  writeFileSync(secrets, '');
  chmodSync(secrets, 0o644);
  const env = { RPM: '42', NAME: 'The second' };
  const applied = await apply(many, ['--secrets', secrets], { env });
  expect(applied.errors).toEqual([]);
  expect(applied.output.join('\n')).not.toContain('sk-trivium-');
  expect(statSync(secrets).mode & 0o777).toBe(0o600);
  const { key, secret } = JSON.parse(readFileSync(secrets, 'utf8')) as { key: string; secret: string };
  expect(key).toBe('one/k');
  expect((await stand.chat(secret, MODEL)).status).toBe(200);
  expect((await itemsOf('/accounts/one/keys'))[0]).toMatchObject({ rights: { rateLimits: { requestsPerMinute: 42 } } });
  expect((await stand.admin('GET', '/accounts/two')).json).toMatchObject({ name: 'The second' });
  expect((await apply(many, [], { env })).output).toEqual(['No changes.']);

  writeFileSync(join(many, 'three.yaml'), 'accounts: [{ id: one, kind: unlimited }]');
  expect((await apply(many, [], { env })).errors.join()).toContain('account "one" stands at');
});

test('a managing key that may not do one change makes none', async () => {
  const { secret } = await stand.newAccount('midway', { manages: 'admin' });
  const file = write(
    'midway.yaml',
    `accounts:
  - id: midway
    kind: unlimited
    members: [{ name: Ann, role: developer }, { name: Olga, role: owner }]
`,
  );
  const refused = await apply(file, [], { secret });
  expect(refused.exitCode).toBe(1);
  expect(refused.errors.join()).toContain(`${file}:4:47: This credential may not give or change a role above its own.`);
  expect(await itemsOf('/accounts/midway/members')).toEqual([]);
  expect((await apply(file)).output[0]).toContain('+ member midway/Ann');
  const other = write('midway.yaml', 'accounts: [{ id: midway, kind: prepaid }]\n');
  expect((await apply(other, [], { secret })).errors.join()).toContain('only operators declare this: account midway');
});

test.each([
  ['manages', '{}', '{ manages: admin }'],
  ['tolerates', '{ strict: true }', '{ strict: true, tolerates: [seed] }'],
])('rights.%s that a file leaves out is a problem: the gateway would keep it', async (name, wanted, has) => {
  const file = (rights: string) =>
    write(
      'left-out.yaml',
      `accounts: [{ id: left-${name}, kind: unlimited, keys: [{ name: ci, rights: ${rights} }] }]\n`,
    );
  await apply(file(has));
  expect((await apply(file(wanted))).errors.join()).toContain(`rights.${name} of key "ci" can only be narrowed`);
});

test('a lower role and an empty list of tolerated losses are changes', async () => {
  const file = (rights: string) =>
    write('lower.yaml', `accounts: [{ id: lower, kind: unlimited, keys: [{ name: ci, rights: ${rights} }] }]\n`);
  await apply(file('{ manages: admin, strict: true, tolerates: [seed] }'));
  const { output } = await apply(file('{ manages: viewer, strict: true, tolerates: [] }'));
  expect(output).toContain('0 to create, 1 to change, 0 to remove');
});

test('a managing key makes no key for a member above it', async () => {
  const { secret } = await stand.newAccount('above', { manages: 'admin' });
  await stand.admin('POST', '/accounts/above/members', { name: 'Olga', role: 'owner' });
  const file = write('above.yaml', 'accounts: [{ id: above, kind: unlimited, keys: [{ name: k, member: Olga }] }]\n');
  expect((await apply(file, [], { secret })).errors.join()).toContain(`${file}:1:49: This credential may not`);
  expect((await itemsOf('/accounts/above/keys')).map(({ name }) => name)).toEqual(['first']);
});

test('a run that makes secrets and has no place for them changes nothing', async () => {
  const file = write('placeless.yaml', 'accounts: [{ id: placeless, kind: unlimited, keys: [{ name: app }] }]\n');
  const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET });
  await runCommandLine(['apply', '-f', file], terminal);
  expect(terminal.errors.join()).toContain('This makes a new secret (key placeless/app): give --secrets <file>');
  expect((await stand.admin('GET', '/accounts/placeless')).status).toBe(404);
});
