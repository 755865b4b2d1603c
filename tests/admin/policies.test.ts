// Routing policies through the admin API and the command line: versions are kept, contradictions refused, and all nodes apply them.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { fourHosts, MODEL } from '../support/policy-hosts.ts';

const config = () => ({ policies: [{ name: 'of-the-file', match: { models: [MODEL] }, ignore: ['north'] }] });
let stand: AdminStand;
let node: AdminStand;
const secrets: Record<string, string> = {};
beforeAll(async () => {
  stand = await openAdminStand({ alsoHosts: fourHosts, config });
  node = await openAdminStand({ alsoHosts: fourHosts, config }, stand.database);
  for (const id of ['acme', 'team', 'other']) secrets[id] = (await stand.newAccount(id)).secret;
});
afterAll(async () => {
  await node.close();
  await stand.close();
});

const save = (policy: object, secret?: string) => stand.admin('POST', '/policies', policy, secret);
const remove = (name: string) => stand.admin('DELETE', `/policies/${name}`);
/** The hosts of a plan at a node, by their first letters, or the status of a refusal. */
const planAt = async (at: AdminStand, account: string, headers: Record<string, string> = {}): Promise<string> => {
  const response = await fetch(`${at.url}/api/v1/route`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secrets[account]}`, ...headers },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  if (response.status !== 200) return String(response.status);
  const { plan } = (await response.json()) as { plan: { provider: string }[] };
  return plan.map(({ provider }) => provider[0]).join('');
};
const plans = (account: string, plan: string): Promise<void> =>
  vi.waitFor(
    async () => expect([await planAt(stand, account), await planAt(node, account)]).toEqual([plan, plan]),
    20_000,
  );

describe('policies in the database', () => {
  test('apply on every node when they are saved, changed and removed, and keep their versions', async () => {
    await plans('acme', 'ews');
    expect(await save({ name: 'fence', scope: { account: 'acme' }, only: ['south', 'west'] })).toMatchObject({
      status: 201,
      json: { name: 'fence', version: 1, source: 'database' },
    });
    await plans('acme', 'ws');
    await plans('other', 'ews');
    expect((await save({ name: 'fence', scope: { account: 'acme' }, only: ['south'] })).json['version']).toBe(2);
    await plans('acme', 's');
    expect((await remove('fence')).json).toMatchObject({ version: 3, policy: null });
    await plans('acme', 'ews');
    const { json } = await stand.admin('GET', '/policies/fence');
    expect((json['items'] as { version: number }[]).map(({ version }) => version)).toEqual([3, 2, 1]);
    expect((await remove('fence')).status).toBe(404);
  });

  test('hold for the accounts below, as soon as an account moves there', async () => {
    await save({ name: 'tree', scope: { account: 'acme' }, region: ['eu'] });
    await plans('acme', 's');
    await plans('team', 'ews');
    await stand.admin('POST', '/accounts/team/parent', { parentId: 'acme' });
    await plans('team', 's');
    await stand.admin('POST', '/accounts/team/parent', { parentId: null });
    await plans('team', 'ews');
    await remove('tree');
    await plans('acme', 'ews');
  });

  test('hold for every key that a member makes, in every account below', async () => {
    await save({ name: 'tree', scope: { account: 'acme' }, region: ['eu'] });
    await stand.admin('POST', '/accounts/team/parent', { parentId: 'acme' });
    const made = await stand.admin('POST', '/accounts/team/keys', { name: 'mine' }, secrets['team']);
    secrets['own'] = made.json['secret'] as string;
    await plans('own', 's');
    for (const [method, path, body] of [
      ['POST', '/policies', { name: 'mine', scope: { account: 'team' }, region: null }],
      ['DELETE', '/policies/tree', undefined],
      ['GET', '/policies', undefined],
      ['POST', '/accounts/team/parent', { parentId: null }],
    ] as const)
      expect((await stand.admin(method, path, body, secrets['team'])).status, `${method} ${path}`).toBe(403);
    expect(await planAt(stand, 'own', { 'x-trivium-region': 'us' })).toBe('403');
    await remove('tree');
    await stand.admin('POST', '/accounts/team/parent', { parentId: null });
  });

  test('a tag narrows', async () => {
    await stand.admin('POST', '/accounts/other/tags', { key: 'team' });
    await save({ name: 'base', scope: { account: 'other' }, only: ['south', 'west'] });
    await save({ name: 'tagged', scope: { tag: 'team=search' }, only: ['south', 'east'] });
    await plans('other', 'ws');
    await vi.waitFor(
      async () => expect(await planAt(stand, 'other', { 'x-trivium-tags': 'team=search' })).toBe('s'),
      20_000,
    );
    await remove('base');
    await remove('tagged');
  });

  test('are listed with those of the file', async () => {
    await save({ name: 'listed', strict: false });
    const { json } = await stand.admin('GET', '/policies');
    expect(json['items']).toMatchObject([
      { name: 'of-the-file', version: 0, source: 'file', createdBy: null },
      { name: 'listed', source: 'database', createdBy: 'operator' },
    ]);
    await remove('listed');
  });

  test.each<[number, object, string]>([
    [409, { name: 'of-the-file', strict: true }, 'is in the configuration file'],
    [409, { name: 'b', match: { models: [MODEL] }, ignore: ['east'] }, "contradicts 'of-the-file'"],
    [400, { name: 'b' }, 'says nothing'],
    [400, { name: 'b', only: ['nowhere'] }, '"nowhere" is no configured provider.'],
    [400, { name: 'b', weights: { 'nowhere#1': 1 } }, '"nowhere" is no configured provider.'],
    [400, { name: 'b', fallbacks: [{ model: 'no/model' }] }, '"no/model" is no model that is served here.'],
    [400, { name: 'B b', strict: true }, 'name'],
    [400, { name: 'b', strict: true, surprise: 1 }, 'surprise'],
  ])('%i for %j', async (status, policy, words) => {
    const refused = await save(policy);
    expect(refused.status).toBe(status);
    expect(refused.text).toContain(words.replaceAll('"', '\\"'));
  });

  test('every change is in the audit log', async () => {
    const { json } = await stand.admin('GET', '/audit?limit=200');
    const actions = (json['items'] as { action: string; subject: string }[]).map(
      ({ action, subject }) => `${action} ${subject}`,
    );
    expect(actions).toEqual(expect.arrayContaining(['policy.save fence', 'policy.remove fence']));
  });
});

test('the command line saves, lists and removes a policy', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'policy-')), 'policy.json');
  writeFileSync(file, JSON.stringify({ name: 'typed', strategy: 'cost' }));
  const run = async (...words: string[]): Promise<string> => {
    const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET });
    await runCommandLine(['policies', ...words, '--json'], terminal);
    expect(terminal.errors).toEqual([]);
    return terminal.output.join('\n');
  };
  await run('save', '--file', file);
  expect(await run('list')).toContain('typed');
  await run('remove', 'typed');
  expect(await run('list')).not.toContain('typed');
  expect(await run('history', 'typed')).toMatch(/"strategy": ?"cost"/);
});
