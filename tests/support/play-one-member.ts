/**
 * Run by `tests/admin/one-member.test.ts` from a copy of the sources in which keys have a note: what the copy's own migrations, admin
 * API and command line make of it, as JSON. Arguments: the URL of a database, and the file to write.
 */
import { writeFileSync } from 'node:fs';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { loadConfig, startGateway } from '../../packages/gateway/src/main.ts';
import { migrate } from '../../packages/gateway/src/store/migrate.ts';

const SECRET = 'sk-operator-canary-0123456789abcdefghijklmnopqrstuv';
const [url = '', file = ''] = process.argv.slice(2);
await migrate({ url, maxConnections: 2, connectMs: 20_000, statementMs: 30_000 });

const address = { host: '127.0.0.1', port: 0 };
const text = JSON.stringify({ listen: address, admin: { ...address, secret: SECRET }, database: { url }, keys: [] });
const loaded = loadConfig({ text, env: {} });
if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
const gateway = await startGateway({ config: loaded.config });

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${gateway.adminUrl}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function typed(...args: readonly string[]): Promise<readonly string[]> {
  const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: gateway.adminUrl, TRIVIUM_ADMIN_SECRET: SECRET });
  await runCommandLine([...args], terminal);
  return [...terminal.output, ...terminal.errors];
}

await call('POST', '/accounts', { id: 'acme', name: 'Acme', kind: 'unlimited' });
const { key: created } = await call('POST', '/accounts/acme/keys', { name: 'app', note: 'for the app' });
const { id } = created as { id: string };
const without = await call('POST', '/accounts/acme/keys', { name: 'bare' });
const changed = await call('PATCH', `/accounts/acme/keys/${id}`, { note: 'for both apps' });
const renamed = await call('PATCH', `/accounts/acme/keys/${id}`, { name: 'apps' });
const table = await typed('keys', 'list', 'acme');
await typed('keys', 'change', 'acme', id, '--note', 'by hand');
const set = await typed('keys', 'create', 'acme', '--name', 'cli', '--note', 'from the start', '--json');
const { items: listed } = await call('GET', '/keys?account=acme');
const { items: audit } = await call('GET', '/accounts/acme/audit?action=key.change');
const found = await typed('keys', 'show', 'acme', id);
const tooLong = await call('PATCH', `/accounts/acme/keys/${id}`, { note: 'x'.repeat(501) });
await call('PATCH', `/accounts/acme/keys/${id}`, { note: null });
const cleared = await call('GET', `/accounts/acme/keys/${id}`);
await gateway.close();
const outcome = { created, without, changed, renamed, table, set, listed, audit, found, tooLong, cleared };
writeFileSync(file, JSON.stringify(outcome));
