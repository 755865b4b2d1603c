/** Files that operators copy: each is read by the program it is written for, or held against what we promise of it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadConfig } from '@trivium/gateway/config';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { anchorsOf } from '../docs/markdown.ts';
import { PROXIES, startProxy } from '../rt/parts/reverse-proxy.ts';
import { Stage } from '../rt/parts/stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'samples-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('proxies', () => {
  test.each(PROXIES)('%s passes on the largest heads that the gateway accepts and sends', async (name) => {
    const losses = 'a'.repeat(4096);
    const stage = new Stage(0);
    const node = createServer({ maxHeaderSize: 32_768 }, (request, response) => {
      response.writeHead(200, { 'x-trivium-losses': losses, 'x-padding': 'b'.repeat(2048) });
      response.end(JSON.stringify(request.headers));
    }).listen(0, '127.0.0.1');
    await once(node, 'listening');
    stage.atEnd(() => void node.close());
    try {
      const { url } = await startProxy(stage, name, `http://127.0.0.1:${(node.address() as AddressInfo).port}`);
      // As `limits.headerBytes` and `limits.headerCount`, and a little more, so that the gateway refuses it itself.
      const long = await fetch(url, { headers: { 'x-long': 'c'.repeat(16_384) } });
      expect(long.headers.get('x-trivium-losses')).toBe(losses);
      expect(await long.json()).toMatchObject({ 'x-long': 'c'.repeat(16_384) });
      const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`x-${index}`, 'd']));
      expect(await (await fetch(url, { headers: many })).json()).toMatchObject(many);
    } finally {
      await stage.close();
    }
  });
  test('nginx takes its sample', () => {
    const spools = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const site = resolve('examples/proxies/nginx.conf');
    const main = `pid ${folder}/pid; events {} http { access_log off; ${spools.join(' ')} include ${site}; }`;
    writeFileSync(join(folder, 'nginx.conf'), main);
    const run = spawnSync('/usr/sbin/nginx', ['-t', '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
      encoding: 'utf8',
    });
    expect(run.stderr).toContain('test is successful');
  });
  test.each(['examples/proxies/haproxy.cfg', 'deploy/compose/haproxy.cfg'])('HAProxy accepts %s', (file) => {
    const run = spawnSync('/usr/sbin/haproxy', ['-c', '-f', file], { encoding: 'utf8' });
    expect(`${run.stdout}${run.stderr}`).toContain('Configuration file is valid');
  });
});

test('every alert rule links a section of the documentation that exists', () => {
  type Rule = { readonly alert: string; readonly annotations: Readonly<Record<string, string>> };
  const { groups } = parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8')) as { groups: { rules: Rule[] }[] };
  for (const { alert, annotations } of groups.flatMap(({ rules }) => rules)) {
    const [page = '', anchor] = annotations['runbook']?.split('#') ?? [];
    expect(page, alert).toMatch(/^docs\/.+\.md$/);
    expect(anchorsOf(readFileSync(page, 'utf8')), alert).toContain(anchor);
  }
});

describe('compose.yaml', () => {
  type Service = Readonly<Record<string, unknown>> & {
    readonly environment?: Record<string, string>;
    readonly volumes?: readonly string[];
    readonly ports?: readonly string[];
    readonly profiles?: readonly string[];
  };
  const configOf = (file: string) => {
    const outcome = loadConfig({ file, env: {}, offline: true });
    if ('problems' in outcome) throw new Error(JSON.stringify(outcome.problems));
    return outcome.config;
  };
  const { services, volumes } = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as {
    services: Record<string, Service>;
    volumes: Record<string, null>;
  };

  test('compose.yaml starts two gateways and their services', () => {
    const started = Object.keys(services).filter((name) => services[name]?.profiles === undefined);
    expect(started).toEqual(['gateway-1', 'gateway-2', 'haproxy', 'postgres', 'redis', 'prometheus']);
    expect(services['caddy']?.profiles).toEqual(['tls']);
    expect(services['grafana']?.profiles).toEqual(['grafana']);
  });
  test('compose.yaml publishes only what has TLS beyond this machine', () => {
    for (const [name, { ports = [] }] of Object.entries(services))
      for (const port of ports) expect(name === 'caddy' || port.startsWith('127.0.0.1:'), `${name} ${port}`).toBe(true);
  });
  test('a profile that is not used needs no variable', () => {
    for (const name of ['caddy', 'grafana']) expect(JSON.stringify(services[name])).not.toMatch(/\$\{\w+:?\?/);
  });
  test('proxies, Prometheus and Grafana name services and ports of compose.yaml', () => {
    const { listen, admin } = configOf('deploy/compose/trivium.yaml');
    const ports = new Map([
      ['gateway-1', [listen.port, admin.port, admin.members?.port]],
      ['gateway-2', [listen.port, admin.port, admin.members?.port]],
      ['prometheus', [9090]],
    ]);
    const named = ['Caddyfile', 'haproxy.cfg', 'prometheus.yml', 'grafana.yaml'].flatMap((file) => [
      ...readFileSync(`deploy/compose/${file}`, 'utf8').matchAll(/\b(gateway-\d|prometheus):(\d+)/g),
    ]);
    expect(named.length).toBe(2 + 2 + 2 + 2 + 1);
    for (const [text, service = '', port] of named) expect(ports.get(service), text).toContain(Number(port));
  });
  test('the gateways listen for members, whose sessions work behind Caddy', () => {
    const { admin, listen } = configOf('deploy/compose/trivium.yaml');
    expect(admin.members).toMatchObject({ host: '0.0.0.0' });
    expect(listen.trustedProxies).toContain('172.16.0.0/12');
  });
  test('Grafana finds the dashboard where compose.yaml mounts it, and a data source by default', () => {
    type Provider = { readonly options: { readonly path: string } };
    const { providers } = parse(readFileSync('deploy/grafana/provider.yaml', 'utf8')) as { providers: Provider[] };
    const dashboard = `${providers[0]?.options.path}/trivium.json`;
    expect(services['grafana']?.volumes).toContain(`./deploy/grafana/trivium.json:${dashboard}:ro`);
    expect(services['grafana']?.environment).toMatchObject({ GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH: dashboard });
    const { datasources } = parse(readFileSync('deploy/compose/grafana.yaml', 'utf8')) as { datasources: object[] };
    expect(datasources).toMatchObject([{ type: 'prometheus', isDefault: true, url: 'http://prometheus:9090' }]);
  });
  test.each(['gateway-1', 'gateway-2'])(
    '%s runs without privileges, with its own journal and time to drain',
    (name) => {
      expect(services[name]).toMatchObject({
        read_only: true,
        user: '65532:65532',
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        stop_grace_period: '45s',
      });
      expect(services[name]?.volumes).toContain(`${name}:/var/lib/trivium`);
    },
  );
  test('compose.yaml mounts existing files and declared volumes', () => {
    for (const { volumes: mounted = [] } of Object.values(services))
      for (const source of mounted.map((volume) => volume.split(':')[0] ?? ''))
        if (source.startsWith('./')) expect(readFileSync(source, 'utf8')).not.toBe('');
        else expect(Object.keys(volumes)).toContain(source);
  });
  test('compose.yaml sets every variable that the configuration of the gateways uses', () => {
    const file = 'deploy/compose/trivium.yaml';
    const named = [...readFileSync(file, 'utf8').matchAll(/env:(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(services['gateway-1']?.environment ?? {}).sort()).toEqual(named.sort());
    expect(loadConfig({ file, env: {}, offline: true })).not.toHaveProperty('problems');
  });
  test('Prometheus accepts its configuration', () => {
    const run = execFileSync('promtool', ['check', 'config', '--syntax-only', 'deploy/compose/prometheus.yml'], {
      encoding: 'utf8',
    });
    expect(run).toContain('SUCCESS');
  });
});

describe('the unit of systemd', () => {
  const unit = readFileSync('deploy/systemd/trivium.service', 'utf8');
  const settingOf = (name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

  test('the systemd unit is sandboxed', () => {
    for (const name of [
      'DynamicUser',
      'NoNewPrivileges',
      'PrivateTmp',
      'PrivateDevices',
      'ProtectHome',
      'ProtectKernelModules',
    ])
      expect(settingOf(name), name).toBe('yes');
    expect(settingOf('ProtectSystem')).toBe('strict');
    expect(settingOf('CapabilityBoundingSet')).toBe('');
    // The JIT compiler of Node.js writes code and executes it.
    expect(unit).not.toContain('MemoryDenyWriteExecute');
  });
  test('the systemd unit allows time to drain, and keeps journals in a writable folder', () => {
    expect(Number(settingOf('TimeoutStopSec'))).toBeGreaterThan(5 + 30 + 2);
    expect(settingOf('WorkingDirectory')).toBe(`%S/${settingOf('StateDirectory')}`);
  });
});

describe('the Helm chart', () => {
  test('the Helm chart scales by metrics that the gateway has', () => {
    const named = [
      ...readFileSync('deploy/helm/trivium/templates/policies.yaml', 'utf8').matchAll(/name: (trivium_\w+)/g),
    ];
    const metrics = readFileSync('packages/gateway/src/telemetry/gauges.ts', 'utf8');
    expect(named.length).toBe(2);
    for (const [, name] of named) expect(metrics).toContain(`'${name}'`);
  });
  test('the Helm chart documents every value, and its schema allows no other', () => {
    const values = parse(readFileSync('deploy/helm/trivium/values.yaml', 'utf8')) as Record<string, unknown>;
    const schema = JSON.parse(readFileSync('deploy/helm/trivium/values.schema.json', 'utf8')) as {
      properties: Record<string, unknown>;
    };
    // Helm adds `global` by itself.
    expect(Object.keys(schema.properties).sort()).toEqual([...Object.keys(values), 'global'].sort());
  });
  test('the Helm chart has the version of the packages', () => {
    const chart = parse(readFileSync('deploy/helm/trivium/Chart.yaml', 'utf8')) as {
      version: string;
      appVersion: string;
    };
    const { version } = JSON.parse(readFileSync('packages/cli/package.json', 'utf8')) as { version: string };
    expect(chart).toMatchObject({ version, appVersion: version });
  });
});
