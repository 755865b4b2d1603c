// The gateway under test: its configuration for the benchmark and the command that starts it.
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BENCH_KEY, type Contender, type Measure, type Target, type UpstreamPorts } from './contender.ts';
import { type Customer, newCustomer, withMoney } from './money.ts';
import { ROADS, type Road } from './roads.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DEFAULT_ENTRY = 'packages/cli/bin/trivium.js';

/** Of another checkout. */
export const entryIn = (folder: string): string => join(folder, DEFAULT_ENTRY);
const JSON_MODEL = 'bench/model';
const STREAM_MODEL = 'bench/paced';
const PATIENCE_MS = 120_000;

/** What differs from the plain gateway. */
export interface TriviumVariant {
  /** Its name in files and messages, where one road is measured by several processes. */
  readonly label?: string;
  readonly entry?: string | undefined;
  readonly money?: Readonly<Record<string, unknown>>;
  /** The account that pays, with money. */
  readonly customer?: Customer;
  readonly nodeFlags?: readonly string[];
  /** Further members of the configuration. */
  readonly more?: object;
}

export interface TriviumPorts {
  readonly data: number;
  readonly admin: number;
}

function configuration(ports: TriviumPorts, upstream: UpstreamPorts, { upstreamDialect }: Road) {
  const provider = (port: number) => ({
    dialect: upstreamDialect,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    credential: 'sk-upstream',
  });
  const model = (id: string, providerId: string) => ({
    id,
    inputModalities: ['text', 'image'],
    endpoints: [{ provider: providerId, upstreamModel: 'gpt-4o-mini' }],
  });
  return {
    listen: { host: '127.0.0.1', port: ports.data },
    admin: { host: '127.0.0.1', port: ports.admin },
    keys: [{ name: 'bench', secret: BENCH_KEY }],
    providers: { bench: provider(upstream.json), paced: provider(upstream.paced) },
    // The load fills a core on purpose: what a gateway refuses or gives up then is not what is measured here.
    overload: { lagMs: 0 },
    timeouts: { headersMs: PATIENCE_MS, connectMs: PATIENCE_MS, keepAliveMs: PATIENCE_MS, silenceMs: PATIENCE_MS },
    models: [model(JSON_MODEL, 'bench'), model(STREAM_MODEL, 'paced')],
  };
}

export function triviumContender(
  name: keyof typeof ROADS,
  workFolder: string,
  ports: TriviumPorts,
  upstream: UpstreamPorts,
  { label = name, entry, money, customer = {}, nodeFlags = [], more }: TriviumVariant = {},
): Contender {
  const road: Road = ROADS[name];
  const entryPath = resolve(ROOT, entry ?? DEFAULT_ENTRY);
  if (!existsSync(entryPath)) throw new Error(`trivium cannot be started: there is no ${entryPath}`);
  const configPath = join(workFolder, `${label}.yaml`);
  // JSON is YAML too.
  const plain = { ...configuration(ports, upstream, road), ...more };
  const written = money === undefined ? plain : withMoney(plain, money);
  writeFileSync(configPath, `${JSON.stringify(written, null, 2)}\n`);
  const conditions = entryPath.endsWith('.ts') ? ['--conditions=trivium-source'] : [];
  const target = (measure: Measure, model: string): Target => ({
    port: ports.data,
    path: road.path(measure, model),
    headers: road.headers,
    body: road.body(measure, model),
  });
  return {
    name: label,
    command: [process.execPath, ...nodeFlags, ...conditions, entryPath, 'serve', '--config', configPath],
    targets: { json: target('json', JSON_MODEL), stream: target('stream', STREAM_MODEL) },
    faultOf: road.faultOf,
    ...(money !== undefined && {
      onceUp: () => newCustomer(ports.admin, customer),
    }),
  };
}
