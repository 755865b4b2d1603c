/** A gateway with the configuration, the arguments and the secrets that a pod of the rendered chart would get, called as the page says. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startSimulator } from '@trivium/simulator';
import { parse, stringify } from 'yaml';
import { freePort } from '../services/free-port.ts';
import { type Manifest, podOf } from './manifests.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const SECRETS: Readonly<Record<string, string>> = {
  TRIVIUM_KEY: 'sk-trivium-chart-0123456789abcdefghijklmnopqrstuvwxyz',
  OPENAI_API_KEY: 'sk-upstream-chart',
};
const READY_LIMIT_MS = 60_000;

export async function streamedFrames(
  folder: string,
  manifests: readonly Manifest[],
  install: string,
  call: string,
): Promise<readonly string[]> {
  const config = manifests.find(({ kind }) => kind === 'ConfigMap')?.data['trivium.yaml'];
  const node = manifests.find(({ kind }) => kind === 'StatefulSet');
  const container = node === undefined ? undefined : podOf(node)?.containers[0];
  if (config === undefined || container === undefined)
    throw new Error('the chart renders no node, or no configuration');
  // The Secret that the page makes must be the one the pod reads.
  const secret = container.envFrom?.[0]?.secretRef.name ?? '';
  if (!install.includes(`kubectl create secret generic ${secret} `))
    throw new Error(`the page makes no Secret ${secret}`);
  const variables = [...install.matchAll(/--from-literal=(\w+)=/g)].map(
    ([, name = '']) => [name, SECRETS[name] ?? ''] as const,
  );

  const simulator = await startSimulator({});
  const settings = parse(config) as { providers: { openai: Record<string, unknown> } };
  settings.providers.openai['baseUrl'] = `${simulator.url}/openai/v1`;
  const file = join(folder, 'trivium.yaml');
  writeFileSync(file, stringify(settings));
  const port = await freePort();
  const child = spawn(
    process.execPath,
    ['--conditions=trivium-source', join(ROOT, 'packages/cli/src/main.ts'), ...container.args],
    {
      cwd: folder,
      env: {
        ...Object.fromEntries(variables),
        TRIVIUM_CONFIG: file,
        TRIVIUM_LISTEN_PORT: String(port),
        TRIVIUM_ADMIN_PORT: String(await freePort()),
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  try {
    await awaitReady(`http://127.0.0.1:${port}/readyz`);
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-ec', call.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)],
      {
        env: { ...process.env, ...SECRETS },
      },
    );
    return stdout.split('\n').filter((line) => line.startsWith('data: '));
  } finally {
    child.kill('SIGINT');
    await once(child, 'exit');
    await simulator.close();
  }
}

async function awaitReady(url: string): Promise<void> {
  const limitMs = performance.now() + READY_LIMIT_MS;
  while ((await fetch(url).catch(() => undefined))?.ok !== true) {
    if (performance.now() > limitMs) throw new Error(`${url} is not ready`);
    await sleep(100);
  }
}
