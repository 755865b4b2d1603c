/** The workflows of the forge: what they may do, and that nothing they run can change under them. actionlint judges the rest. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const FOLDER = '.github/workflows';
type Step = { readonly uses?: string; readonly run?: string };
type Job = {
  readonly steps: readonly Step[];
  readonly permissions?: Record<string, string>;
  readonly 'timeout-minutes'?: number;
};
type Workflow = { readonly permissions: Record<string, string>; readonly jobs: Record<string, Job> };

const workflows = readdirSync(FOLDER).map((name) => {
  const text = readFileSync(`${FOLDER}/${name}`, 'utf8');
  return { name, text, workflow: parse(text) as Workflow };
});

test('there are workflows for changes, nights, advisories and releases', () => {
  expect(workflows.map(({ name }) => name).sort()).toEqual(['advisories.yml', 'ci.yml', 'nightly.yml', 'release.yml']);
});

test.each(workflows)(
  '$name: may only read by default, pins every action by commit, and every job has a limit',
  ({ text, workflow }) => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const jobs = Object.values(workflow.jobs);
    const used = jobs.flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
    for (const job of jobs) expect(job['timeout-minutes']).toBeGreaterThan(0);
    expect(text).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN/);
  },
);

test('the release publishes every package with provenance, each after those it depends on', () => {
  const { jobs } = workflows.find(({ name }) => name === 'release.yml')!.workflow;
  expect(jobs['packages']?.permissions).toMatchObject({ 'id-token': 'write' });
  const publish = jobs['packages']?.steps.find(({ run }) => run?.includes('npm publish'))?.run ?? '';
  expect(publish).toContain('--provenance');
  const order = /for name in ([\w -]+);/.exec(publish)?.[1]?.split(' ') ?? [];
  const manifests = readdirSync('packages')
    .map(
      (name) =>
        JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')) as {
          name: string;
          private?: boolean;
          dependencies?: Record<string, string>;
        },
    )
    .filter((manifest) => manifest.private !== true);
  const tarballOf = (name: string): string => name.replace('@', '').replace('/', '-');
  expect([...order].sort()).toEqual(manifests.map(({ name }) => tarballOf(name)).sort());
  for (const { name, dependencies = {} } of manifests)
    for (const needed of Object.keys(dependencies).filter((each) => each.startsWith('@trivium/')))
      expect(order.indexOf(tarballOf(needed))).toBeLessThan(order.indexOf(tarballOf(name)));
});

const runsOf = (workflow: string, job: string): string =>
  workflows
    .find(({ name }) => name === workflow)
    ?.workflow.jobs[job]?.steps.flatMap(({ run }) => run ?? [])
    .join('\n') ?? '';

test('what CI runs is .ci/run', () => {
  const ci = workflows.find(({ name }) => name === 'ci.yml')!.workflow;
  const gate = Object.keys(ci.jobs).filter((job) => /^\.ci\/run$/m.test(runsOf('ci.yml', job)));
  expect(gate).toHaveLength(1);
  const script = readFileSync('.ci/run', 'utf8');
  for (const part of [/npm run --silent check$/m, /npx vitest run --reporter/, /npm run --silent conformance/])
    expect(script).toMatch(part);
});

test('a release packs, has publint judge each package before it is published, and publishes the documentation', () => {
  const packages = runsOf('release.yml', 'packages');
  const order = ['npm run pack', 'npx publint run "$tarball" --strict', 'npm publish', 'gh release create'];
  const places = order.map((part) => packages.indexOf(part));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(runsOf('release.yml', 'documentation')).toMatch(/npm run release:published\n[\s\S]*npm run docs:build/);
});

test('a release proposes the first lines of README for published packages', () => {
  expect(runsOf('release.yml', 'first-lines')).toMatch(/npm run release:published\n[\s\S]*gh pr create/);
});

test('image and chart are signed without a key, by digest, each with its bill of materials; the base is one digest', () => {
  const job = workflows.find(({ name }) => name === 'release.yml')!.workflow.jobs['image-and-chart']!;
  expect(job.permissions).toMatchObject({ 'id-token': 'write' });
  const runs = job.steps.flatMap(({ run }) => run ?? []);
  const published = runs.filter((run) => /\bpush\b/.test(run));
  expect(published).toHaveLength(2);
  for (const run of published) {
    expect(run).toMatch(/^signed=".*@\$\(.*"$/m);
    expect(run).toMatch(/^cosign sign --yes "\$signed"$/m);
    expect(run).toMatch(/^cosign attest --yes --type cyclonedx --predicate release\/\w+\.cdx\.json "\$signed"$/m);
  }
  expect(runs.join('\n')).toMatch(/BASE=\S+@\$digest/);
  expect(runs.join('\n')).not.toContain('--key');
  // Images of the other format lose the Dockerfile's healthcheck.
  expect(runs.join('\n')).toMatch(/^buildah bud --format docker /m);
});
