/** A gateway with the configuration, the arguments and the secrets that a pod of the rendered chart would get, called as the page says. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startSimulator } from '@trivium/simulator';
import { parse, stringify } from 'yaml';
import { emptyDatabase } from '../../tests/support/database.ts';
import { freePort } from '../services/free-port.ts';
import { type Manifest, podOf } from './manifests.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const SECRETS: Readonly<Record<string, string>> = {
  TRIVIUM_KEY: 'sk-trivium-chart-0123456789abcdefghijklmnopqrstuvwxyz',
  TRIVIUM_SEALS_KEY: 'sealing-chart-0123456789abcdefghijklmnopqrstuvwxyz',
  OPENAI_API_KEY: 'sk-upstream-chart',
};
const READY_LIMIT_MS = 60_000;

type Settings = {
  readonly admin: { readonly members?: { host: string; port: number } };
  readonly providers: { readonly openai: Record<string, unknown> };
  readonly upstream?: { ca: string[] };
};
type Rendered = { readonly config: string; readonly args: readonly string[]; readonly secret: string };

function renderedOf(manifests: readonly Manifest[]): Rendered {
  const config = manifests.find(({ kind }) => kind === 'ConfigMap')?.data['trivium.yaml'];
  const node = manifests.find(({ kind }) => kind === 'StatefulSet');
  const container = node === undefined ? undefined : podOf(node)?.containers[0];
  if (config === undefined || container === undefined)
    throw new Error('the chart renders no node, or no configuration');
  return { config, args: container.args, secret: container.envFrom?.[0]?.secretRef.name ?? '' };
}

const PROGRAM = ['--conditions=trivium-source', join(ROOT, 'packages/cli/src/main.ts')];

export async function streamedFrames(
  folder: string,
  manifests: readonly Manifest[],
  install: string,
  call: string,
): Promise<readonly string[]> {
  const { config, args, secret } = renderedOf(manifests);
  // The Secret that the page makes must be the one the pod reads.
  if (!install.includes(`kubectl create secret generic ${secret} `))
    throw new Error(`the page makes no Secret ${secret}`);
  const variables = [...install.matchAll(/--from-literal=(\w+)=/g)].map(
    ([, name = '']) => [name, SECRETS[name] ?? ''] as const,
  );

  const simulator = await startSimulator({});
  try {
    const settings = parse(config) as Settings;
    settings.providers.openai['baseUrl'] = `${simulator.url}/openai/v1`;
    return await served(folder, settings, [args], Object.fromEntries(variables), async ({ url }) => {
      const { stdout } = await promisify(execFile)('bash', ['-ec', call.replaceAll('http://127.0.0.1:8080', url)], {
        env: { ...process.env, ...SECRETS },
      });
      return stdout.split('\n').filter((line) => line.startsWith('data: '));
    });
  } finally {
    await simulator.close();
  }
}

type Node = { readonly url: string; readonly adminUrl: string; readonly env: Readonly<Record<string, string>> };

/** Commands before the last run to their end; the last one serves. */
async function served<T>(
  folder: string,
  settings: Settings,
  commands: readonly (readonly string[])[],
  secrets: Readonly<Record<string, string>>,
  work: (node: Node) => Promise<T>,
): Promise<T> {
  const file = join(folder, 'trivium.yaml');
  writeFileSync(file, stringify(settings));
  const [port, adminPort] = [await freePort(), await freePort()];
  const env = {
    ...secrets,
    TRIVIUM_CONFIG: file,
    TRIVIUM_LISTEN_PORT: String(port),
    TRIVIUM_ADMIN_PORT: String(adminPort),
  };
  for (const words of commands.slice(0, -1))
    await promisify(execFile)(process.execPath, [...PROGRAM, ...words], { env });
  const child = spawn(process.execPath, [...PROGRAM, ...(commands.at(-1) ?? [])], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await awaitReady(`http://127.0.0.1:${port}/readyz`);
    return await work({ url: `http://127.0.0.1:${port}`, adminUrl: `http://127.0.0.1:${adminPort}`, env });
  } finally {
    child.kill('SIGINT');
    await once(child, 'exit');
  }
}

/** An upstream whose certificate no public authority has signed, before the simulator. */
async function privateUpstream(folder: string, simulatorUrl: string) {
  const [key, ca] = [join(folder, 'key.pem'), join(folder, 'ca.pem')];
  const subject = ['-subj', '/CN=upstream', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  await promisify(execFile)('openssl', ['req', '-x509', ...made, ...subject, '-keyout', key, '-out', ca]);
  const server = createServer({ key: readFileSync(key), cert: readFileSync(ca) }, (incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    const forwarded = request(new URL(url, simulatorUrl), { ...(method && { method }), headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { url: `https://127.0.0.1:${port}`, ca, server };
}

/** What a node with a database, a listener for members and a private authority does: each by its name. */
export async function consoleChecks(
  folder: string,
  manifests: readonly Manifest[],
): Promise<Readonly<Record<string, unknown>>> {
  const { config, args } = renderedOf(manifests);
  const job = manifests.find(({ kind }) => kind === 'Job');
  const migrate = job === undefined ? [] : (podOf(job)?.containers[0]?.args ?? []);
  const database = await emptyDatabase();
  const simulator = await startSimulator({});
  const upstream = await privateUpstream(folder, simulator.url);
  try {
    const settings = parse(config) as Settings;
    settings.providers.openai['baseUrl'] = `${upstream.url}/openai/v1`;
    const { members } = settings.admin;
    if (members === undefined || settings.upstream === undefined) throw new Error('the chart drops members or the CA');
    members.port = await freePort();
    const mounted = settings.upstream.ca;
    settings.upstream.ca = [`file:${upstream.ca}`];
    const secrets = { ...SECRETS, DATABASE_URL: database.url };
    const run = async (node: Node, ...words: readonly string[]) =>
      (await promisify(execFile)(process.execPath, [...PROGRAM, ...words], { env: node.env, cwd: folder })).stdout;
    return await served(folder, settings, [migrate, args], secrets, async (node) => {
      const { url = '' } = JSON.parse(await run(node, 'operator', 'sign-in', '--json')) as { url?: string };
      const post = (to: string, body: object, headers = {}) =>
        fetch(to, {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: new URL(to).origin, ...headers },
          body: JSON.stringify(body),
        });
      const asked = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Where do three roads meet?' }] };
      const authorization = `Bearer ${SECRETS['TRIVIUM_KEY']}`;
      const membersUrl = `http://127.0.0.1:${members.port}`;
      return {
        mounted,
        link: new URL(url).origin.replace(/:\d+$/, ''),
        signedIn: (await post(`${node.adminUrl}/admin/v1/session`, { code: new URL(url).hash.slice('#code='.length) }))
          .status,
        membersPage: (await fetch(`${membersUrl}/`, { redirect: 'manual' })).headers.get('location'),
        operatorsPathForMembers: (await fetch(`${membersUrl}/admin/v1/accounts`)).status,
        throughPrivateAuthority: (await post(`${node.url}/v1/chat/completions`, asked, { authorization })).status,
      };
    });
  } finally {
    upstream.server.close();
    await simulator.close();
    await database.drop();
  }
}

async function awaitReady(url: string): Promise<void> {
  const limitMs = performance.now() + READY_LIMIT_MS;
  while ((await fetch(url).catch(() => undefined))?.ok !== true) {
    if (performance.now() > limitMs) throw new Error(`${url} is not ready`);
    await sleep(100);
  }
}
