// Routing policies through the admin API and the command line: versions are kept, contradictions refused, and all nodes apply them.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { fourHosts, MODEL, OTHER } from '../support/policy-hosts.ts';
import { postChat } from '../support/stand.ts';

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
    [400, { name: 'b', canary: { host: 'nowhere', percent: 5 } }, '"nowhere" is no configured provider.'],
    [400, { name: 'b', canary: { model: 'no/model', percent: 5 } }, '"no/model" is no model that is served here.'],
    [400, { name: 'b', canary: { percent: 5 } }, '`canary` needs either `model` or `host`'],
    [
      400,
      { name: 'b', canary: { model: OTHER, percent: 5, stepBack: { leastCalls: 9 } } },
      '`canary.stepBack` needs one of errorPercent, firstTokenP95Ms, usdPerRequest',
    ],
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
  await save({ name: 'typed', match: { models: [OTHER] }, canary: { host: 'west', percent: 5 } });
  const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET });
  await runCommandLine(['policies', 'list'], terminal);
  const rows = terminal.output.join('\n').split('\n');
  expect(rows.find((row) => row.startsWith('typed'))).toMatch(/ running /);
  expect(rows.find((row) => row.startsWith('of-the-file'))).not.toContain('false');
  await remove('typed');
});

describe('canaries', () => {
  const TRIAL = { model: OTHER, percent: 100, stepBack: { errorPercent: 50, leastCalls: 4 } };
  const call = (at: AdminStand, words: string) =>
    postChat(
      at,
      { model: MODEL, messages: [{ role: 'user', content: words }] },
      { authorization: `Bearer ${secrets['other']}` },
    );
  const decisionAt = async (at: AdminStand): Promise<Record<string, unknown>> => {
    const response = await fetch(`${at.url}/api/v1/route`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secrets['other']}` },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    return ((await response.json()) as { decision: Record<string, unknown> }).decision;
  };
  const canariesAt = async () => [(await decisionAt(stand))['canary'], (await decisionAt(node))['canary']];
  const running = { policy: 'trial', percent: 100, sent_to: { provider: 'east', model: OTHER } };
  const stateOf = async (): Promise<unknown> => {
    const { json } = await stand.admin('GET', '/policies/trial');
    return (json['items'] as { canary: unknown }[])[0]?.canary;
  };
  const countOf = async (path: string): Promise<number> =>
    ((await stand.admin('GET', path)).json['items'] as unknown[]).length;

  test('one that fails steps back on every node, announced once, and an operator resumes it', async () => {
    await save({ name: 'trial', scope: { account: 'other' }, match: { models: [MODEL] }, canary: TRIAL });
    await vi.waitFor(async () => expect(await canariesAt()).toEqual([running, running]), 20_000);
    expect(await stateOf()).toEqual({ state: 'running', since: null, why: null });
    // Both nodes see the rule broken at the same time.
    for (const at of [stand, node]) at.simulator.arm('status=400', { host: 'east', model: 'two', times: 100 });
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, index) => call(index % 2 === 0 ? stand : node, `Call ${index}`)),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(16).fill(200));
    await vi.waitFor(async () => expect(await canariesAt()).toEqual([undefined, undefined]), 20_000);
    await vi.waitFor(
      async () =>
        expect(await stateOf()).toMatchObject({
          state: 'stepped-back',
          why: { rule: 'errorPercent', limit: 50, measured: 100, calls: 4 },
        }),
      20_000,
    );
    expect(await countOf('/audit?action=policy.step-back&subject=trial')).toBe(1);
    expect(await countOf('/alerts?kind=canary.stepped_back')).toBe(1);

    for (const at of [stand, node]) await fetch(`${at.simulator.url}/_simulator/arm`, { method: 'DELETE' });
    expect((await stand.admin('POST', '/policies/trial/resume')).json['canary']).toMatchObject({ state: 'running' });
    await vi.waitFor(async () => expect(await canariesAt()).toEqual([running, running]), 20_000);
    expect((await stand.admin('POST', '/policies/trial/resume')).status).toBe(404);
    expect(await countOf('/audit?action=policy.resume&subject=trial')).toBe(1);
    await remove('trial');
  });

  test('one of the configuration file steps back as well, and begins anew when it is changed', async () => {
    const of = (percent: number) => ({
      policies: [
        {
          name: 'filed',
          match: { models: [MODEL] },
          canary: { host: 'west', percent, stepBack: { errorPercent: 10, leastCalls: 1 } },
        },
      ],
    });
    const filed = await openAdminStand({ alsoHosts: fourHosts, config: () => of(100) }, stand.database);
    filed.simulator.arm('status=500', { host: 'west', times: 100 });
    const ask = async () =>
      (
        await postChat(
          filed,
          { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] },
          { authorization: `Bearer ${secrets['acme']}` },
        )
      ).status;
    expect(await ask()).toBe(200);
    const state = async (): Promise<unknown> =>
      ((await filed.admin('GET', '/policies')).json['items'] as { canary: { state: string } }[])[0]?.canary.state;
    await vi.waitFor(async () => expect(await state()).toBe('stepped-back'), 20_000);
    expect(await ask()).toBe(200);
    expect(filed.records.at(-1)).toMatchObject({ provider: 'east' });
    expect(filed.records.at(-1)?.decidedBy?.canary).toBeUndefined();
    expect(filed.records.at(-1)?.attempts.length).toBe(1);
    const changed = await openAdminStand({ alsoHosts: fourHosts, config: () => of(99) }, stand.database);
    expect(((await changed.admin('GET', '/policies')).json['items'] as { canary: object }[])[0]?.canary).toMatchObject({
      state: 'running',
    });
    await changed.close();
    await filed.close();
  });
});
