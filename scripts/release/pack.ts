/**
 * `npm run pack -- <folder>`: the packages as they are published, one tarball each. Their manifests lose what only a checkout needs, and
 * get the repository's address from the environment of the release run: a checkout does not know where it is hosted.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = new URL('../../', import.meta.url).pathname;
/** The condition by which a checkout finds sources, which are not published. */
const SOURCE_CONDITION = 'trivium-source';

type Manifest = {
  readonly name: string;
  readonly files: readonly string[];
  readonly exports: Readonly<Record<string, unknown>>;
  readonly [more: string]: unknown;
};
type Environment = Readonly<Record<string, string | undefined>>;

/** What `GITHUB_SERVER_URL` and `GITHUB_REPOSITORY` name; npm compares it with the signed provenance statement. */
export function repositoryFields(env: Environment, directory: string): Record<string, unknown> {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = env;
  if (server === undefined || name === undefined) return {};
  const address = `${server}/${name}`;
  return {
    repository: { type: 'git', url: `git+${address}.git`, directory },
    homepage: `${address}#readme`,
    bugs: `${address}/issues`,
  };
}

const withoutSources = (target: unknown): unknown =>
  typeof target === 'object' && target !== null
    ? Object.fromEntries(Object.entries(target).filter(([condition]) => condition !== SOURCE_CONDITION))
    : target;

export const publishedManifest = (manifest: Manifest, env: Environment, directory: string): Manifest => ({
  ...manifest,
  ...repositoryFields(env, directory),
  exports: Object.fromEntries(Object.entries(manifest.exports).map(([path, to]) => [path, withoutSources(to)])),
});

/** Packs what was built. Gives the paths of the tarballs. */
export function pack(into: string, env: Environment = process.env): readonly string[] {
  mkdirSync(into, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'trivium-pack-'));
  try {
    return readdirSync(join(ROOT, 'packages')).flatMap((name) => {
      const [from, to] = [join(ROOT, 'packages', name), join(work, name)];
      const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Manifest;
      if (manifest['private'] === true) return [];
      mkdirSync(to);
      for (const path of [...manifest.files.filter((pattern) => !pattern.startsWith('!')), 'README.md'])
        cpSync(join(from, path), join(to, path), { recursive: true });
      cpSync(join(ROOT, 'LICENSE'), join(to, 'LICENSE'));
      const published = publishedManifest(manifest, env, `packages/${name}`);
      writeFileSync(join(to, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
      const [made] = JSON.parse(
        execFileSync('npm', ['pack', '--json', '--pack-destination', into], { cwd: to, encoding: 'utf8' }),
      ) as [{ filename: string }];
      return join(into, made.filename);
    });
  } finally {
    rmSync(work, { recursive: true });
  }
}

if (import.meta.main) {
  const [into] = process.argv.slice(2);
  if (into === undefined) throw new Error('usage: npm run pack -- <folder>');
  // From nothing: what an earlier build left behind is not published.
  for (const name of readdirSync(join(ROOT, 'packages')))
    for (const left of ['dist', 'tsconfig.tsbuildinfo'])
      rmSync(join(ROOT, 'packages', name, left), { recursive: true, force: true });
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: ROOT, stdio: 'inherit' });
  // npm runs scripts in the checkout; the folder is meant from where the command was typed.
  for (const tarball of pack(resolve(process.env['INIT_CWD'] ?? '.', into)))
    console.log(`${tarball} ${Math.ceil(statSync(tarball).size / 1000)} kB`);
}
