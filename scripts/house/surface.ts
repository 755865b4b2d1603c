/**
 * `npm run house:surface -- <commit>`: what users can do now and what they could at that commit, by lists: routes and their members,
 * commands and options, settings, metrics, pages of the console. Exits with 1 if something has gone. A list that is empty is an error.
 * `-- --freeze 0.2.0` writes what is offered now into a file, which a test holds every later version against.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { offeredNow, textOf } from './offered.ts';

type Lists = Readonly<Record<string, readonly string[]>>;

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 100_000_000 });

/** All names of members, with where they are: `paths./admin/v1/keys.get.parameters`. */
function namesIn(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => namesIn(one, path));
  if (typeof value !== 'object' || value === null) return [];
  const named = 'name' in value && 'in' in value ? [`${path}?${String(value.name)}`] : [];
  return [
    ...named,
    ...Object.entries(value).flatMap(([name, inner]) => [`${path}.${name}`, ...namesIn(inner, `${path}.${name}`)]),
  ];
}

function listsAt(commit: string): Lists {
  const read = (path: string): string => git('show', `${commit}:${path}`);
  const matches = (text: string, pattern: RegExp): readonly string[] => [
    ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
  ];
  const cli = read('docs/reference/cli.md');
  return {
    'admin routes and members': namesIn(JSON.parse(read('docs/reference/admin-api.json')), ''),
    'data plane routes and members': namesIn(JSON.parse(read('docs/reference/data-plane-api.json')), ''),
    'commands and options': cli
      .slice(cli.indexOf('<!-- generated from here on -->'))
      .split('\n')
      .flatMap((line) => matches(line, /^(?:#+ |\| )(`[^`]+`)/g)),
    settings: namesIn(JSON.parse(read('packages/gateway/config.schema.json')), '').filter(
      (name) => !/\.\d+/.test(name),
    ),
    metrics: matches(
      git('grep', '-hE', "'trivium_[a-z_]+'", commit, '--', 'packages/gateway/src'),
      /'(trivium_[a-z_]+)'/g,
    ),
    'pages of the console': matches(read('packages/console/src/app/pages.ts'), /path: '([^']+)'/g),
  };
}

const [before, version] = process.argv.slice(2);
if (before === '--freeze' && version !== undefined) {
  writeFileSync(new URL(`offered-${version}.txt`, import.meta.url), textOf(offeredNow()));
  process.exit();
}
if (before === undefined) throw new Error('usage: npm run house:surface -- <commit>');
const [old, now] = [listsAt(before), listsAt('HEAD')];
for (const [list, names] of Object.entries(old)) {
  const today = now[list] ?? [];
  if (names.length === 0 || today.length === 0) throw new Error(`no ${list} were found`);
  const gone = names.filter((name) => !today.includes(name));
  const added = today.filter((name) => !names.includes(name));
  console.log(`${list}: ${names.length} before, ${today.length} now, ${gone.length} gone, ${added.length} new`);
  for (const name of gone) console.log(`  gone ${name}`);
  for (const name of added) console.log(`  new  ${name}`);
  if (gone.length > 0) process.exitCode = 1;
}
