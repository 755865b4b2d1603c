// The alert rules and the dashboard, judged by the real Prometheus: promtool plays the rules, and a server scrapes two gateways and
// evaluates every query. Metrics that only a ledger or workers have are not scraped here; their names are held against the sources.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { openStand, postChat, type Stand } from '../support/stand.ts';

type Json = { readonly [name: string]: Json } & readonly Json[];
const run = promisify(execFile);
const RULES = resolve('deploy/prometheus/alerts.yml');
const rules = (
  parse(readFileSync(RULES, 'utf8')) as {
    groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
  }
).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync('deploy/grafana/trivium.json', 'utf8')) as {
  panels: { title: string; targets?: { expr: string }[] }[];
};
/** As Grafana fills them in. */
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({
    title,
    expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', '.*').replaceAll('$instance', '.*'),
  })),
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

let stands: Stand[] = [];
let prometheus: ChildProcess;
let url: string;
const folder = mkdtempSync(join(tmpdir(), 'trivium-prometheus-'));

const ask = async (path: string): Promise<Json> => (await (await fetch(`${url}/api/v1/${path}`)).json()) as Json;
const query = (expr: string): Promise<Json> => ask(`query?query=${encodeURIComponent(expr)}`);

beforeAll(async () => {
  stands = [await openStand(), await openStand()];
  const hostOf = ({ gateway }: Stand): string => new URL(gateway.adminUrl).host;
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [RULES],
    scrape_configs: [{ job_name: 'trivium', static_configs: [{ targets: stands.map(hostOf) }] }],
  };
  writeFileSync(join(folder, 'prometheus.yml'), stringify(config));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  prometheus = spawn(
    'prometheus',
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  for (const stand of stands) {
    await postChat(stand, { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] });
    await postChat(stand, { model: 'openai/unknown', messages: [] });
  }
  await vi.waitFor(
    async () => {
      const { data } = await query('sum(up{job="trivium"})');
      expect(data?.['result']).toMatchObject([{ value: [expect.anything(), '2'] }]);
    },
    { timeout: 90_000, interval: 250 },
  );
}, 120_000);

afterAll(async () => {
  prometheus.kill();
  await once(prometheus, 'exit');
  await Promise.all(stands.map((stand) => stand.close()));
  rmSync(folder, { recursive: true });
});

describe('alert rules', () => {
  test('promtool accepts the alert rules, and each fires for its condition and not before', async () => {
    await run('promtool', ['check', 'rules', RULES]);
    await run('promtool', ['test', 'rules', 'deploy/prometheus/alerts.test.yml'], { cwd: resolve('.') });
    const tests = readFileSync('deploy/prometheus/alerts.test.yml', 'utf8');
    for (const { alert } of rules) expect(tests.split(`alertname: ${alert}\n`).length, alert).toBeGreaterThan(1);
  });
  test('two healthy gateways raise no alert', async () => {
    const { data } = await ask('alerts');
    expect(data?.['alerts']).toEqual([]);
    const groups = (await ask('rules'))['data']?.['groups'] as Json;
    expect(
      groups.flatMap((group) => group['rules'] as Json).filter((rule) => rule['health'] !== ('ok' as unknown)),
    ).toEqual([]);
  });
});

test.each(queries)('the query of the panel "$title" is valid for Prometheus: $expr', async ({ expr }) => {
  expect(await query(expr)).toMatchObject({ status: 'success' });
});

test('both gateways report traffic', async () => {
  const { data } = await query('sum by (instance) (trivium_requests_total{status="2xx"}) > 0');
  expect(data?.['result']).toHaveLength(2);
});

test('every metric in a rule or a panel exists in the gateway', () => {
  const sources = [
    'packages/gateway/src/telemetry/metrics.ts',
    'packages/gateway/src/telemetry/gauges.ts',
    'packages/gateway/src/app/open-ledger.ts',
    'packages/cli/src/supervisor/fleet-figures.ts',
  ];
  const text = sources.map((file) => readFileSync(file, 'utf8')).join('\n');
  const named = [...rules, ...queries].flatMap(({ expr }) => expr.match(/trivium_\w+/g) ?? []);
  const missing = new Set(
    named.map((name) => name.replace(/_bucket$/, '')).filter((name) => !text.includes(`${name}`)),
  );
  expect([...missing]).toEqual([]);
});
