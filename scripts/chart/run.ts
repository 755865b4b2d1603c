/**
 * `npm run chart:test`: lints the Helm chart, renders it as docs/start/install.md says and with every part switched on, checks it against
 * goldens, its values' schema and the schemas of Kubernetes, and serves a streamed answer with the configuration it renders. The last line
 * is JSON with `ok`. `--write` writes the goldens.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fencesOf } from '../../tests/docs/markdown.ts';
import { goTool, HELM_VERSION, toolsFolder } from '../tools/go-tool.ts';
import { laxSettings, type Manifest, manifestsOf, podOf } from './manifests.ts';
import { consoleChecks, streamedFrames } from './serve-rendered.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const CHART = 'deploy/helm/trivium';
const GOLDENS = join(ROOT, 'tests/deploy/helm');
const KUBERNETES_VALIDATE = 'kubernetes-validate==1.37.0';
/** The oldest that the chart takes, and the newest there is a schema for. */
const KUBERNETES_VERSIONS = ['1.30', '1.37'];
/** Kinds that Kubernetes itself does not have. */
const CUSTOM_KINDS: ReadonlySet<string> = new Set(['ServiceMonitor']);

const work = mkdtempSync(join(tmpdir(), 'trivium-chart-'));
const checks: { readonly name: string; readonly value: unknown; readonly ok: boolean }[] = [];
function check(name: string, value: unknown, ok: boolean): void {
  checks.push({ name, value, ok });
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
}

const page = new Map(
  fencesOf(readFileSync(join(ROOT, 'docs/start/install.md'), 'utf8')).map(({ id, text }) => [id, text]),
);
function blockOf(id: string): string {
  const block = page.get(id);
  if (block === undefined) throw new Error(`docs/start/install.md needs a block {#${id}}`);
  return block;
}

const helm = goTool('helm.sh/helm/v3/cmd/helm', HELM_VERSION);
/** Rendered without a cluster, so the Kubernetes version must be given. */
const OFFLINE = ['--kube-version', KUBERNETES_VERSIONS[0] ?? ''];
const helmRun = (...args: readonly string[]) => spawnSync(helm, args, { cwd: ROOT, encoding: 'utf8' });
function render(...args: readonly string[]): string {
  const { status, stdout, stderr } = helmRun(
    'template',
    'trivium',
    CHART,
    ...OFFLINE,
    '--namespace',
    'trivium',
    ...args,
  );
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** Helm shows the notes only when it installs, so they are rendered as a manifest of a copy. */
function notesOf(values: string): string {
  const copy = join(work, 'chart');
  cpSync(join(ROOT, CHART), copy, { recursive: true });
  renameSync(join(copy, 'templates/NOTES.txt'), join(copy, 'notes.txt'));
  writeFileSync(join(copy, 'templates/notes.yaml'), 'notes: |{{ tpl (.Files.Get "notes.txt") . | nindent 2 }}');
  const only = ['--show-only', 'templates/notes.yaml', '--values', values];
  return helmRun('template', 'trivium', copy, ...OFFLINE, '--namespace', 'trivium', ...only).stdout;
}

/** The page's own line, but rendered in place of installed. */
function renderPage(values: string): string {
  const line =
    blockOf('chart-install')
      .split('\n')
      .find((text) => text.startsWith('helm install ')) ?? '';
  const expected = `helm install trivium ${CHART} --namespace trivium --values values.yaml`;
  if (line !== expected)
    throw new Error(`the page says ${JSON.stringify(line)}, played is ${JSON.stringify(expected)}`);
  return render('--values', values);
}

function validator(): string {
  const folder = join(toolsFolder('python'), KUBERNETES_VALIDATE);
  const program = join(folder, 'bin/kubernetes-validate');
  if (existsSync(program)) return program;
  console.log(`installing ${KUBERNETES_VALIDATE}, once`);
  execFileSync('python3', ['-m', 'venv', folder]);
  execFileSync(join(folder, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', KUBERNETES_VALIDATE]);
  return program;
}

function validate(name: string, rendered: string): void {
  const known = rendered.split(/^---$/m).filter((text) => !CUSTOM_KINDS.has(/^kind: (\w+)$/m.exec(text)?.[1] ?? ''));
  const file = join(work, `${name}.yaml`);
  writeFileSync(file, known.join('---'));
  for (const version of KUBERNETES_VERSIONS) {
    const run = spawnSync(validator(), ['--strict', '--quiet', '--kubernetes-version', version, file], {
      encoding: 'utf8',
    });
    check(
      `${name}: valid for Kubernetes ${version}`,
      `${run.stdout}${run.stderr}`.trim() || 'strictly',
      run.status === 0,
    );
  }
}

function holdGolden(name: string, rendered: string): void {
  const file = join(GOLDENS, `${name}.golden.yaml`);
  if (process.argv.includes('--write')) writeFileSync(file, rendered);
  const golden = existsSync(file) ? readFileSync(file, 'utf8') : '';
  check(`${name}: as its golden`, `${rendered.split('\n').length} lines`, golden === rendered);
}

const kindsOf = (manifests: readonly Manifest[]): string =>
  manifests
    .map(({ kind }) => kind)
    .sort()
    .join(' ');

function judge(name: string, manifests: readonly Manifest[]): void {
  const pods = manifests.flatMap((manifest) => podOf(manifest) ?? []);
  const lax = pods.flatMap(laxSettings);
  check(`${name}: every pod is as strict as can be`, lax, pods.length > 0 && lax.length === 0);
  const node = manifests.find(({ kind }) => kind === 'StatefulSet');
  const pod = node === undefined ? undefined : podOf(node);
  const config = manifests.find(({ kind }) => kind === 'ConfigMap')?.data['trivium.yaml'] ?? '';
  const drainMs = [...config.matchAll(/^ +drain(?:Notice)?Ms: (\d+)$/gm)].reduce((sum, [, ms]) => sum + Number(ms), 0);
  const neededSeconds = (pod?.containers[0]?.lifecycle?.preStop.sleep.seconds ?? 0) + drainMs / 1000 + 2;
  check(
    `${name}: the grace period outlasts the drain`,
    { seconds: pod?.terminationGracePeriodSeconds, neededSeconds },
    (pod?.terminationGracePeriodSeconds ?? 0) > neededSeconds,
  );
}

/** Values that must be refused: by the schema, or because a required value is missing. */
const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['replica=3', /replica/],
  ['replicas=none', /replicas/],
  ['image.repository=', /image\.repository is required/],
  ['config.listen.port=9000', /listen/],
  ['drain.preStopSeconds=0', /preStopSeconds/],
  ['persistence.size=lots', /size/],
  ['config.seals.keys=null', /config\.seals\.keys is required with more than one node/],
  ['config.database.url=env:DATABASE_URL', /media need a place that all nodes share/],
  ['ingress.enabled=true,ingress.host=gw.example.com', /config\.listen\.trustedProxies/],
  [
    'console.ingress.enabled=true,config.listen.trustedProxies={10.0.0.0/8}',
    /console\.ingress needs config\.admin\.members/,
  ],
  ['config.admin.members.host=127.0.0.1', /members/],
];

try {
  const values = join(work, 'values.yaml');
  writeFileSync(values, blockOf('chart-values'));
  const lint = helmRun('lint', CHART, '--strict', '--values', values);
  check('helm lint --strict', lint.stdout.trim().split('\n').at(-1), lint.status === 0);

  const asOnPage = renderPage(values);
  const full = render('--values', join(GOLDENS, 'full.values.yaml'));
  const withConsole = render('--values', join(GOLDENS, 'console.values.yaml'));
  for (const [name, rendered] of [
    ['page', asOnPage],
    ['full', full],
    ['console', withConsole],
  ] as const) {
    holdGolden(name, rendered);
    validate(name, rendered);
    judge(name, manifestsOf(rendered));
  }
  const base = 'ConfigMap NetworkPolicy PodDisruptionBudget Service Service ServiceAccount StatefulSet';
  check('page: what is made', kindsOf(manifestsOf(asOnPage)), kindsOf(manifestsOf(asOnPage)) === base);
  const all = `ConfigMap ConfigMap HorizontalPodAutoscaler Ingress Ingress Job NetworkPolicy PodDisruptionBudget Service Service Service ServiceAccount ServiceMonitor StatefulSet`;
  check('full: what is made', kindsOf(manifestsOf(full)), kindsOf(manifestsOf(full)) === all);
  check(
    'no Secret is made',
    'none',
    ![...manifestsOf(asOnPage), ...manifestsOf(full)].some(({ kind }) => kind === 'Secret'),
  );
  const notes = notesOf(join(GOLDENS, 'console.values.yaml'));
  const signIn = 'kubectl --namespace trivium exec trivium-0 -- trivium operator sign-in';
  check('console: the notes say how to sign in first', signIn, notes.includes(signIn));
  check(
    'console: the notes say where members go',
    notes.trim().split('\n').at(-1),
    notes.includes('http://console.example.com/'),
  );
  for (const [setting, reason] of REFUSED) {
    const { status, stderr } = helmRun('template', 'trivium', CHART, ...OFFLINE, '--values', values, '--set', setting);
    check(
      `refused: ${setting}`,
      stderr.split('\n').find((line) => reason.test(line)) ?? stderr,
      status !== 0 && reason.test(stderr),
    );
  }
  const startedMs = performance.now();
  const frames = await streamedFrames(work, manifestsOf(asOnPage), blockOf('chart-install'), blockOf('image-call'));
  check(
    'the rendered configuration streams an answer',
    frames.length,
    frames.length > 2 && frames.at(-1) === 'data: [DONE]',
  );
  check(
    'seconds from the rendered chart to the answer',
    Number(((performance.now() - startedMs) / 1000).toFixed(1)),
    true,
  );
  const seen = await consoleChecks(work, manifestsOf(withConsole));
  const expected = {
    mounted: ['file:/etc/trivium-ca/ca.pem'],
    link: 'http://127.0.0.1',
    signedIn: 201,
    membersPage: '/console/',
    operatorsPathForMembers: 404,
    throughPrivateAuthority: 200,
  };
  check('console, members and private authority, served', seen, isDeepStrictEqual(seen, expected));
} catch (error) {
  check('the test itself', error instanceof Error ? error.message : String(error), false);
} finally {
  rmSync(work, { recursive: true });
}
const ok = checks.every((each) => each.ok);
console.log(JSON.stringify({ ok, checks }));
process.exitCode = ok ? 0 : 1;
