/**
 * `npm run release:version`: turns the changesets into the next version of all packages and of the chart, and into a section of the
 * changelog; the lock file follows. What was written under Unreleased by hand is part of that section.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CHART = 'deploy/helm/trivium/Chart.yaml';
const UNRELEASED = '## [Unreleased]\n';

/** Lines about our own packages, which all have one version; and headings that have nothing else below them. */
const OWN_PACKAGES = /^ *- (?:Updated dependencies.*|@trivium\/\S+)\n/gm;
const EMPTY_HEADINGS = /^### .*\n+(?=###|$(?![\s\S]))/gm;

/** The newest section of a changelog as changesets writes it, without its heading. */
export function newestSection(text: string, version: string): string {
  const start = text.indexOf(`## ${version}\n`);
  if (start < 0) throw new Error(`the changelog has no section ${version}`);
  const body = text.slice(start + `## ${version}\n`.length);
  const end = body.search(/^## /m);
  const section = `${(end < 0 ? body : body.slice(0, end)).trim()}\n`;
  return section.replaceAll(OWN_PACKAGES, '').replaceAll(EMPTY_HEADINGS, '').trim();
}

export function releaseUnreleased(changelog: string, version: string, date: string, section: string): string {
  if (!changelog.includes(UNRELEASED)) throw new Error('CHANGELOG.md has no section Unreleased');
  return changelog.replace(UNRELEASED, () => `${UNRELEASED}\n## [${version}] - ${date}\n\n${section}\n`);
}

export const chartOf = (chart: string, version: string): string =>
  chart.replace(/^version: .*$/m, `version: ${version}`).replace(/^appVersion: .*$/m, `appVersion: "${version}"`);

/** Everything but the lock file. Gives the new version. */
export function nextVersion(root: string, date: string): string {
  // The first release is the version that the packages already have: another one would skip it.
  const current = versionOf(root);
  if (execFileSync('git', ['tag', '--list', `v${current}`], { cwd: root, encoding: 'utf8' }).trim() === '')
    throw new Error(`there is no tag v${current}: release that first, or fetch the tags`);
  // Fails where there is none.
  execFileSync(process.execPath, [join(root, 'node_modules/@changesets/cli/bin.js'), 'version'], {
    cwd: root,
    stdio: 'inherit',
  });
  const version = versionOf(root);
  const section = newestSection(readFileSync(join(root, 'packages/cli/CHANGELOG.md'), 'utf8'), version);
  for (const name of readdirSync(join(root, 'packages')))
    rmSync(join(root, 'packages', name, 'CHANGELOG.md'), { force: true });
  rewrite(join(root, 'CHANGELOG.md'), (text) => releaseUnreleased(text, version, date, section));
  if (existsSync(join(root, CHART))) rewrite(join(root, CHART), (text) => chartOf(text, version));
  return version;
}

const versionOf = (root: string): string =>
  (JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as { version: string }).version;

const rewrite = (file: string, change: (text: string) => string): void =>
  writeFileSync(file, change(readFileSync(file, 'utf8')));

if (import.meta.main) {
  const root = new URL('../../', import.meta.url).pathname;
  console.log(nextVersion(root, new Date().toISOString().slice(0, 10)));
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], { cwd: root, stdio: 'inherit' });
}
