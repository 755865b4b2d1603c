/** Documents that cannot rot: what they name exists, what is generated is fresh, what must be complete is. */
import { spawnSync } from 'node:child_process';
import { dirname, join, normalize } from 'node:path';
import { loadConfig } from '@trivium/gateway/config';
import { METERS } from '@trivium/protocol/canonical';
import { describe, expect, test } from 'vitest';
import { SHIPPED_PROVIDERS } from '../../packages/gateway/src/models/providers/provider-set.ts';
import { canonicalTypes } from './canonical-types.ts';
import { broughtBy } from './lock-file.ts';
import { anchorsOf, codeSpansOf, fencesOf, linksOf, tablesOf } from './markdown.ts';
import { exists, files, ROOT, read, readJson } from './tree.ts';

type PackageFile = Readonly<
  Partial<
    Record<'scripts' | 'dependencies' | 'devDependencies' | 'optionalDependencies', Readonly<Record<string, string>>>
  >
>;

const documents = files.filter((file) => file.endsWith('.md'));
const root = readJson<PackageFile>('package.json');

test('there are documents to read', () => {
  for (const name of [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'docs/contribute/lifecycle.md',
    'docs/decisions/README.md',
  ])
    expect(documents).toContain(name);
});

/** A path from the root, or the end of one; patterns and places to fill in are not paths. */
const FROM_ROOT = /^(?:packages|docs|scripts|tests|bench|examples|\.ci)\/[\w./@-]+$/;
const FILE = /^[\w.@-]+(?:\/[\w.@-]+)+\.(?:ts|md|json|yaml|sse|c|mjs|sh|txt)$/;

/** Made by a run, not part of a checkout. */
const MADE: ReadonlySet<string> = new Set(['bench/build/', 'bench/results/', 'tests/results/']);

function missingPaths(document: string): string[] {
  return codeSpansOf(read(document)).filter((span) => {
    if (MADE.has(span)) return false;
    if (FROM_ROOT.test(span) && exists(span)) return false;
    if (FILE.test(span)) return !files.some((file) => file === span || file.endsWith(`/${span}`));
    return FROM_ROOT.test(span);
  });
}

function brokenLinks(document: string): string[] {
  return linksOf(read(document)).filter((link) => {
    if (/^(?:https?|mailto):/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? document : normalize(join(dirname(document), path));
    // The site serves what stands in its public folder from its root.
    if (!exists(link.startsWith('/') ? `docs/public${path}` : target)) return true;
    return anchor !== undefined && !anchorsOf(read(target)).has(anchor);
  });
}

describe.each(documents)('%s', (document) => {
  test('names only paths that exist', () => expect(missingPaths(document)).toEqual([]));
  test('links only to what is there', () => expect(brokenLinks(document)).toEqual([]));
  test('names only scripts that npm can run', () => {
    const named = [...read(document).matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => root.scripts?.[name] === undefined)).toEqual([]);
  });
});

describe('generated documents are fresh', () => {
  test.each([
    'scripts/docs/generate-admin-api.ts',
    'scripts/docs/generate-architecture.ts',
    'scripts/docs/generate-cli.ts',
    'scripts/docs/generate-clients.ts',
    'scripts/docs/generate-console-columns.ts',
    'scripts/docs/generate-data-plane-api.ts',
    'scripts/docs/generate-faults.ts',
    'scripts/docs/generate-providers.ts',
    'scripts/docs/generate-support-matrix.ts',
    'scripts/docs/generate-webhook-events.ts',
    'scripts/generate-config-docs.ts',
  ])('%s', (script) => {
    const run = spawnSync(process.execPath, ['--conditions=trivium-source', join(ROOT, script), '--check'], {
      encoding: 'utf8',
    });
    expect(`${run.stderr}${run.status}`).toBe('0');
  });
});

describe('docs/contribute/canonical.md', () => {
  const text = read('docs/contribute/canonical.md');
  const tables = tablesOf(text);
  const titleOf = ({ name, file }: { readonly name: string; readonly file: string }): string =>
    `\`${name}\` in \`${file}\``;

  test('has a table for every type, and for no other', () => {
    expect(canonicalTypes.length).toBeGreaterThan(25);
    expect([...tables.keys()].sort()).toEqual(canonicalTypes.map(titleOf).sort());
  });
  test.each(canonicalTypes)('$name: every member, and no other', (type) => {
    const named = (tables.get(titleOf(type)) ?? []).flatMap(([cell = '']) => codeSpansOf(cell));
    expect(named.sort()).toEqual([...type.members].sort());
  });
  test('names every meter, in order', () => {
    expect(codeSpansOf(text.slice(text.indexOf('## Meters'))).filter((span) => span !== 'usage.ts')).toEqual([
      ...METERS,
    ]);
  });
});

test.each(['nginx.conf', 'haproxy.cfg', 'envoy.yaml', 'Caddyfile'])(
  'the guide to proxies shows %s as it is',
  (file) => {
    const shown = fencesOf(read('docs/operate/behind-a-proxy.md')).map(({ text }) => text);
    expect(shown).toContain(read(`examples/proxies/${file}`));
  },
);

describe('docs/contribute/dependencies.md', () => {
  const lines = [...tablesOf(read('docs/contribute/dependencies.md')).values()].flat();
  const nameOf = (cell: string | undefined): string => cell?.replaceAll('`', '') ?? '';
  const packageFiles = files.filter((file) => file.endsWith('package.json'));
  const direct = new Map(
    packageFiles.flatMap((file) => {
      const { dependencies, devDependencies, optionalDependencies } = readJson<PackageFile>(file);
      const lockFile = file.startsWith('bench/')
        ? file.replace('package.json', 'package-lock.json')
        : 'package-lock.json';
      return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
        .filter((name) => !name.startsWith('@trivium/'))
        .map((name) => [name, lockFile] as const);
    }),
  );

  test('has one line for every direct dependency, and no other', () => {
    expect(packageFiles.length).toBeGreaterThanOrEqual(5);
    expect(lines.map(([name]) => nameOf(name)).sort()).toEqual([...direct.keys()].sort());
  });
  test.each(lines)(
    '%s: who uses it is right, it has a job, and what it brings is counted',
    (name, users, job, _why, brings) => {
      const lockFile = direct.get(nameOf(name)) ?? '';
      expect(Number(brings)).toBe(broughtBy(lockFile, nameOf(name)));
      expect(job).not.toBe('');
      const owners = packageFiles
        .filter((file) => {
          const { dependencies, devDependencies, optionalDependencies } = readJson<PackageFile>(file);
          return nameOf(name) in { ...dependencies, ...devDependencies, ...optionalDependencies };
        })
        .map((file) => /^packages\/(\w+)\//.exec(file)?.[1] ?? (file.startsWith('bench/') ? 'bench' : 'root'));
      expect((users ?? '').replace(', optional', '').split(', ').sort()).toEqual(owners.sort());
    },
  );
});

describe('README.md', () => {
  const fences = new Map(fencesOf(read('README.md')).flatMap(({ id, text }) => (id === undefined ? [] : [[id, text]])));

  test('marks what the tests run', () => {
    expect([...fences.keys()]).toEqual(['start-clone', 'sdk-openai', 'sdk-anthropic', 'sdk-google', 'trivium-yaml']);
    expect(fences.get('start-clone')).toContain('npm run trivium -- dev');
  });
  test('fits on a few screens', () => expect(read('README.md').split('\n').length).toBeLessThanOrEqual(150));
  test('counts the shipped providers right', () => {
    expect(read('README.md')).toContain(`**${SHIPPED_PROVIDERS.length} built-in providers**`);
    expect(read('README.md')).toContain(`| Providers | ${SHIPPED_PROVIDERS.length}, and any server`);
    expect(read('CHANGELOG.md')).toContain(`one key in front of ${SHIPPED_PROVIDERS.length} built-in providers`);
  });
  test('shows a configuration that is right', () => {
    const outcome = loadConfig({ text: fences.get('trivium-yaml') ?? '', env: {}, offline: true });
    expect('problems' in outcome ? outcome.problems : []).toEqual([]);
  });
});
