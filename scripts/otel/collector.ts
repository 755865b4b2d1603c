/** The real OpenTelemetry collector, built once by its own builder from the Go registry, printing every span it gets. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../services/free-port.ts';

const HERE = new URL('.', import.meta.url).pathname;
const BUILD = join(HERE, 'build');
const BINARY = join(BUILD, 'otelcol');
/** Later ones name modules that the registry does not have. */
const BUILDER = 'go.opentelemetry.io/collector/cmd/builder@v0.160.0';
const START_MS = 30_000;
const LOOK_EVERY_MS = 50;

export type Collector = {
  readonly endpoint: string;
  /** All it has printed so far. */
  readonly output: () => string;
  stop(): Promise<void>;
};

/** Takes about three minutes, once. */
export function buildCollector(): void {
  if (existsSync(BINARY)) return;
  mkdirSync(BUILD, { recursive: true });
  const env = { ...process.env, GOBIN: join(BUILD, 'bin') };
  execFileSync('go', ['install', BUILDER], { env, stdio: 'inherit' });
  const args = ['--skip-strict-versioning', '--config', 'builder.yaml'];
  execFileSync(join(BUILD, 'bin', 'builder'), args, { cwd: HERE, env, stdio: 'inherit' });
}

export async function startCollector(port?: number): Promise<Collector & { readonly port: number }> {
  const own = port ?? (await freePort());
  const config = join(BUILD, `collector-${own}.json`);
  writeFileSync(
    config,
    JSON.stringify({
      receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${own}` } } } },
      exporters: { debug: { verbosity: 'detailed', sampling_initial: 100_000, sampling_thereafter: 1 } },
      service: {
        pipelines: { traces: { receivers: ['otlp'], exporters: ['debug'] } },
        telemetry: { metrics: { level: 'none' } },
      },
    }),
  );
  const child = spawn(BINARY, ['--config', `file:${config}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (printed += text.toString()));
  const endpoint = `http://127.0.0.1:${own}/v1/traces`;
  await untilUp(endpoint, child);
  return {
    endpoint,
    port: own,
    output: () => printed,
    stop: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function untilUp(endpoint: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    // An empty export, which is taken.
    const headers = { 'content-type': 'application/x-protobuf' };
    const up = await fetch(endpoint, { method: 'POST', headers, body: new Uint8Array() }).catch(() => undefined);
    if (up?.ok === true) return;
    if (Date.now() > deadline || child.exitCode !== null) throw new Error('the collector did not start');
    await sleep(LOOK_EVERY_MS);
  }
}
