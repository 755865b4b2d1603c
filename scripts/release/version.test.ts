/** The next version, made by the real changesets in a copy of the manifests. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nextVersion } from './version.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'trivium-version-'));
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const manifests = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/package.json`);
const { version: current } = JSON.parse(readFileSync(join(ROOT, 'packages/cli/package.json'), 'utf8')) as Manifest;
type Manifest = { version: string; dependencies?: Record<string, string> };

beforeAll(() => {
  for (const path of [...manifests, 'package.json', 'package-lock.json', '.changeset/config.json']) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n\n- Written by hand.\n');
  mkdirSync(join(folder, 'deploy/helm/trivium'), { recursive: true });
  writeFileSync(join(folder, 'deploy/helm/trivium/Chart.yaml'), 'name: trivium\nversion: 0.0.1\nappVersion: "0.0.1"\n');
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '-q', '-b', 'main');
  git('add', 'package.json');
  git('-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '-qm', 'start');
  git('tag', `v${current}`);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('versions begin with 0, one for all packages and the chart', () => {
  const versions = new Set(
    manifests.map((path) => (JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest).version),
  );
  expect([...versions]).toEqual([expect.stringMatching(/^0\./)]);
  expect(readFileSync(join(ROOT, 'deploy/helm/trivium/Chart.yaml'), 'utf8')).toMatch(
    `version: ${current}\nappVersion: "${current}"\n`,
  );
});

test('a version that was not tagged is released before there is a next one', () => {
  execFileSync('git', ['tag', '--delete', `v${current}`], { cwd: folder });
  expect(() => nextVersion(folder, '2030-01-02')).toThrow(`there is no tag v${current}`);
  execFileSync('git', ['tag', `v${current}`], { cwd: folder });
});

test('without a changeset there is no new version', () => {
  expect(() => nextVersion(folder, '2030-01-02')).toThrow();
});

test('a changeset brings one version to all packages and the chart, and its sentence to the changelog', () => {
  const [major = 0, minor = 0] = current.split('.').map(Number);
  const expected = `${major}.${minor + 1}.0`;
  writeFileSync(join(folder, '.changeset/brave-roads.md'), "---\n'trivium': minor\n---\n\nRoads are braver.\n");
  expect(nextVersion(folder, '2030-01-02')).toBe(expected);
  for (const path of manifests) {
    const { version, dependencies = {} } = JSON.parse(read(path)) as Manifest;
    expect(version).toBe(expected);
    for (const [name, range] of Object.entries(dependencies))
      if (name.startsWith('@trivium/')) expect(range).toBe(expected);
  }
  expect(read('deploy/helm/trivium/Chart.yaml')).toBe(
    `name: trivium\nversion: ${expected}\nappVersion: "${expected}"\n`,
  );
  const changelog = read('CHANGELOG.md');
  expect(changelog).toContain(`## [Unreleased]\n\n## [${expected}] - 2030-01-02\n\n### Minor Changes\n\n- `);
  expect(changelog).toMatch(/Roads are braver\.\n\n- Written by hand\.\n$/);
  expect(readdirSync(join(folder, '.changeset'))).toEqual(['config.json']);
});
