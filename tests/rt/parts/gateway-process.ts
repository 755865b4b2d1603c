/** The gateway as a separate process, started from a config file as an operator would. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { choosePorts } from '../../../bench/ports.ts';
import { awaitReady, type Child, startTrivium } from './child.ts';
import { MEMORY_QUESTION } from './memory-question.ts';
import { oneShot } from './one-shot.ts';
import { within } from './wait.ts';

export const KEY = 'sk-trivium-rt-0123456789abcdefghijklmnopqrstuvwxyz';
export const OPERATOR_SECRET = 'sk-trivium-operator-rt-0123456789abcdefghijkl';
const PROBE = fileURLToPath(new URL('memory-probe.ts', import.meta.url));
const ANSWER_LIMIT_MS = 10_000;

export type GatewayOptions = {
  readonly name?: string;
  /** Further arguments of `trivium serve`. */
  readonly args?: readonly string[];
  /** Enables `heapUsedBytes` and `heldBytes`. */
  readonly probed?: boolean;
  /** Modules loaded before it. */
  readonly imports?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Trusted proxies. */
  readonly trustedProxies?: readonly string[];
  /** Another checkout instead of this one. */
  readonly checkout?: string;
  /** The addresses of an earlier process, instead of free ones. */
  readonly at?: Pick<GatewayProcess, 'url' | 'adminUrl'>;
};

export type GatewayProcess = {
  readonly url: string;
  readonly adminUrl: string;
  readonly child: Child;
  readonly configPath: string;
  /** Heap size in bytes after a full garbage collection. */
  heapUsedBytes(): Promise<number>;
  /** The same with external memory: buffers and strings outside the heap. */
  heldBytes(): Promise<number>;
  /** The sum of a metric over its labels; 0 when it has not been written yet. */
  metric(name: string): Promise<number>;
};

/** `config` is merged over addresses, a key and a quiet log. */
export async function startGatewayProcess(
  folder: string,
  config: Readonly<Record<string, unknown>>,
  options: GatewayOptions = {},
): Promise<GatewayProcess> {
  const {
    name = 'gateway',
    args = [],
    probed = false,
    imports = [],
    env = {},
    trustedProxies = [],
    checkout,
    at,
  } = options;
  const [port, adminPort] =
    at === undefined ? await choosePorts(2, undefined) : [at.url, at.adminUrl].map((url) => Number(new URL(url).port));
  const configPath = join(folder, `${name}.json`);
  const own = {
    listen: { host: '127.0.0.1', port, trustedProxies },
    admin: { host: '127.0.0.1', port: adminPort, secret: OPERATOR_SECRET },
    log: { level: 'error' },
    keys: [{ name: 'rt', secret: KEY }],
    // Scenarios start many processes, and earlier releases do not have the setting.
    ...(checkout === undefined && { warmUp: { enabled: false } }),
  };
  writeFileSync(configPath, JSON.stringify({ ...own, ...config }, null, 2));
  const child = startTrivium(name, ['serve', '--config', configPath, ...args], folder, {
    channel: probed,
    env,
    ...(checkout !== undefined && { checkout }),
    node: [...(probed ? ['--expose-gc', '--import', PROBE] : []), ...imports.flatMap((module) => ['--import', module])],
  });
  const url = `http://127.0.0.1:${port}`;
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  await awaitReady(child, `${url}/readyz`);
  return {
    url,
    adminUrl,
    child,
    configPath,
    heapUsedBytes: async () => (await memoryOf(child)).heapUsed,
    heldBytes: async () => {
      const { heapUsed, external } = await memoryOf(child);
      return heapUsed + external;
    },
    metric: (metric) => readMetric(adminUrl, metric),
  };
}

async function memoryOf({ process: child, name }: Child): Promise<NodeJS.MemoryUsage> {
  const answer = once(child, 'message') as Promise<[NodeJS.MemoryUsage]>;
  child.send(MEMORY_QUESTION);
  const [memory] = await within(`${name} reports its memory`, answer, ANSWER_LIMIT_MS);
  return memory;
}

async function readMetric(adminUrl: string, name: string): Promise<number> {
  const { text } = await oneShot('GET', `${adminUrl}/metrics`, ANSWER_LIMIT_MS);
  let sum = 0;
  for (const line of text.split('\n'))
    if (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) sum += Number(line.slice(line.lastIndexOf(' ')));
  return sum;
}
