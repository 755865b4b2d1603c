/**
 * `npm run release:play`: the steps of the release workflow that publish image and chart, as the workflow has them, against a registry on this
 * machine (Debian's `docker-registry`, `buildah` and `skopeo`; helm is built once). Only the signing service is not there: what would be signed is
 * written down and judged. The image has the last stage of the Dockerfile without its files, which `npm run image:test` builds. The last line is JSON with `ok`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { freePort } from '../services/free-port.ts';
import { goTool, HELM_VERSION } from '../tools/go-tool.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const STEPS = ['The base by digest', 'Bill of materials', 'Image', 'Chart'];
const CHART = 'deploy/helm/trivium';
const VERSION = '0.1.0-played';
const START_LIMIT_MS = 180_000;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

type Workflow = { jobs: Record<string, { env: { BASE: string }; steps: { name?: string; run?: string }[] }> };

const helm = goTool('helm.sh/helm/v3/cmd/helm', HELM_VERSION);
const work = mkdtempSync(join(tmpdir(), 'trivium-release-'));
const checkout = join(work, 'checkout');
const bin = join(work, 'bin');
const checks: { readonly name: string; readonly value: unknown; readonly ok: boolean }[] = [];
function check(name: string, value: unknown, ok: boolean): void {
  checks.push({ name, value, ok });
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
}

/** The program of this name, as the steps find it: the real one with what a machine without TLS and user namespaces needs. */
function stand(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/bash\nset -e\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

function makeCheckout(): void {
  mkdirSync(checkout);
  mkdirSync(bin);
  const files = execFileSync('git', ['-C', ROOT, 'archive', 'HEAD'], { maxBuffer: 1e9 });
  execFileSync('tar', ['-x', '-C', checkout], { input: files });
  const [head = '', last = ''] = readFileSync(join(checkout, 'Dockerfile'), 'utf8').split('FROM scratch');
  const base = head.split('\n').filter((line) => /^(?:ARG|FROM) /.test(line));
  const rest = last.split('\n').filter((line) => !line.startsWith('COPY '));
  const text = [...base, 'FROM scratch', 'COPY --from=build /made-of /made-of', ...rest].join('\n');
  writeFileSync(join(checkout, 'Dockerfile'), text);
}

async function startRegistry(): Promise<{ readonly address: string; stop(): Promise<void> }> {
  const address = `127.0.0.1:${await freePort()}`;
  const config = join(work, 'registry.yml');
  const settings = {
    version: 0.1,
    storage: { filesystem: { rootdirectory: join(work, 'images') } },
    http: { addr: address },
  };
  writeFileSync(config, JSON.stringify(settings));
  const child = spawn('docker-registry', ['serve', config], { stdio: 'ignore' });
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  const limit = performance.now() + START_LIMIT_MS;
  for (;;) {
    if ((await fetch(`http://${address}/v2/`).catch(() => undefined))?.ok === true) return { address, stop };
    if (child.exitCode !== null || performance.now() > limit) throw new Error('the registry did not start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function play(address: string): void {
  const storage = `--storage-driver=vfs --root ${work}/storage --runroot ${work}/run`;
  stand('buildah', `command="$1"; shift\nexec /usr/bin/buildah ${storage} "$command" --tls-verify=false "$@"`);
  stand('skopeo', 'command="$1"; shift\nexec /usr/bin/skopeo "$command" --tls-verify=false "$@"');
  stand('helm', `case "$1" in push | pull) set -- "$@" --plain-http ;; esac\nexec ${helm} "$@"`);
  stand('cosign', `echo "$*" >> ${work}/signed`);
  const text = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8');
  const job = (parse(text) as Workflow).jobs['image-and-chart'];
  const [tag = ''] = job?.env.BASE.split('/').slice(-1) ?? [];
  const [IMAGE, BASE] = [`${address}/played`, `${address}/${tag}`];
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: `${bin}:${process.env['PATH']}`,
    IMAGE,
    BASE,
    GITHUB_ENV: join(work, 'env'),
    GITHUB_REF_NAME: `v${VERSION}`,
    GITHUB_SERVER_URL: 'https://forge.example',
    GITHUB_REPOSITORY: 'someone/trivium',
    HELM_CONFIG_HOME: join(work, 'helm'),
    HELM_CACHE_HOME: join(work, 'helm'),
  };
  const run = (script: string): string =>
    execFileSync('bash', ['-eo', 'pipefail', '-c', script], {
      cwd: checkout,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  writeFileSync(join(work, 'Base'), 'FROM scratch\nCOPY made-of /made-of\n');
  writeFileSync(join(work, 'made-of'), 'the base\n');
  run(`buildah bud --quiet --file ${work}/Base --tag ${BASE} ${work} && buildah push --quiet ${BASE}`);

  for (const name of STEPS) {
    const script = job?.steps.find((step) => step.name === name)?.run;
    if (script === undefined) throw new Error(`the workflow has no step ${name}`);
    run(script);
    if (existsSync(env['GITHUB_ENV'] ?? ''))
      for (const line of readFileSync(env['GITHUB_ENV'] ?? '', 'utf8')
        .trim()
        .split('\n')) {
        const [key = '', value = ''] = line.split(/=(.*)/);
        env[key] = value;
      }
  }
  const base = env['BASE'] ?? '';
  check('the base is one digest', base, DIGEST.test(base.split('@')[1] ?? ''));
  const digest = readFileSync(join(checkout, 'release/image.digest'), 'utf8').trim();
  const inspect = (what: string, ...flags: readonly string[]): string =>
    run(`skopeo inspect ${flags.join(' ')} docker://${what}`);
  const shown = JSON.parse(inspect(`${IMAGE}:${VERSION}`)) as { Digest: string; Labels: Record<string, string> };
  check('the version is the digest that was pushed', digest, DIGEST.test(digest) && shown.Digest === digest);
  const label = shown.Labels['org.opencontainers.image.version'];
  check('the image says its version', label, label === VERSION);
  const { config } = JSON.parse(inspect(`${IMAGE}@${digest}`, '--config', '--raw')) as {
    config: Record<string, unknown>;
  };
  check(
    'by digest it has its user and its healthcheck',
    config['Healthcheck'] ?? null,
    config['User'] === '65532:65532' && config['Healthcheck'] !== undefined,
  );
  const signed = readFileSync(join(work, 'signed'), 'utf8').trim().split('\n');
  const named = signed.map((line) => line.split(' ').at(-1) ?? '');
  const chart = named.at(-1) ?? '';
  const twice = (one: string): readonly string[] => [one, one];
  const [inOrder, digestOfChart = ''] = [[...twice(`${IMAGE}@${digest}`), ...twice(chart)], chart.split('@')[1]];
  check(
    'image and chart are signed and attested by digest',
    signed,
    named.join() === inOrder.join() &&
      chart === `${IMAGE}/charts/trivium@${digestOfChart}` &&
      DIGEST.test(digestOfChart),
  );
  const chartFile = (folder: string): { version: string } =>
    parse(readFileSync(join(checkout, folder, 'Chart.yaml'), 'utf8')) as { version: string };
  const { version } = chartFile(CHART);
  run(`helm pull oci://${IMAGE}/charts/trivium --version ${version} --untar --untardir pulled`);
  const inRegistry = JSON.parse(inspect(`${IMAGE}/charts/trivium:${version}`, '--raw')) as {
    config: { mediaType: string };
  };
  const differing = run(
    `diff --recursive --brief --exclude .helmignore --exclude Chart.yaml ${CHART} pulled/trivium || true`,
  ).trim();
  check(
    'the chart that is pulled is the one of the checkout',
    differing || inRegistry.config.mediaType,
    // Helm writes this one file anew.
    differing === '' &&
      isDeepStrictEqual(chartFile('pulled/trivium'), chartFile(CHART)) &&
      inRegistry.config.mediaType === 'application/vnd.cncf.helm.config.v1+json',
  );
  const bill = JSON.parse(readFileSync(join(checkout, 'release/image.cdx.json'), 'utf8')) as {
    bomFormat: string;
    components: { 'bom-ref': string; version: string }[];
  };
  const ofBase = bill.components.find((component) => component['bom-ref'] === base);
  check(
    'its bill of materials has the base by digest',
    bill.components.length,
    bill.bomFormat === 'CycloneDX' && ofBase !== undefined,
  );
}

const began = performance.now();
try {
  makeCheckout();
  const registry = await startRegistry();
  try {
    play(registry.address);
  } finally {
    await registry.stop();
  }
} catch (error) {
  check('the play itself', error instanceof Error ? error.message : String(error), false);
} finally {
  rmSync(work, { recursive: true, force: true });
}
const ok = checks.every((each) => each.ok);
console.log(JSON.stringify({ ok, seconds: Math.round((performance.now() - began) / 100) / 10, checks }));
process.exitCode = ok ? 0 : 1;
