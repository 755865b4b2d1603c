/**
 * Checks every import below `packages/` against the import table, and what a program loads at its start against what it may load.
 * Also finds circles of imports between files and between folders, and type names with two meanings. Fails when it finds nothing to read.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { typeNameProblems } from './check-type-names.ts';
import {
  DIALECT_REGISTRY,
  DIALECTS_FOLDER,
  IMPORT_TABLE,
  LIGHT_STARTS,
  type LightStart,
  type Zone,
} from './import-table.ts';

const IMPORT =
  /^\s*(?:import|export)\b[^'";]*?from\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|^\s*import\s*['"]([^'"]+)['"]/gm;

export type ImportReport = { readonly modules: number; readonly problems: readonly string[] };

export function checkImports(packagesDir: string): ImportReport {
  const files = sourcesIn(packagesDir);
  const problems = files.flatMap((file) => problemsOf(file, readFileSync(join(packagesDir, file), 'utf8')));
  return { modules: files.length, problems };
}

export const sourcesIn = (packagesDir: string): readonly string[] =>
  readdirSync(packagesDir, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /^[^/]+\/src\/.*\.tsx?$/.test(path) && !/\.(?:test|d)\.ts$/.test(path),
  );

export function problemsOf(file: string, source: string): string[] {
  const zone = zoneOf(file);
  if (zone === undefined) return [`${file}: belongs to no zone of the import table`];
  return [...source.matchAll(IMPORT)].flatMap((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    const problem = specifier.startsWith('.')
      ? relativeProblem(file, zone, specifier)
      : packageProblem(zone, specifier);
    return problem === undefined ? [] : [`${file}: ${problem}`];
  });
}

function zoneOf(file: string): Zone | undefined {
  return IMPORT_TABLE.filter((zone) => isInside(file, zone.path)).sort((a, b) => b.path.length - a.path.length)[0];
}

const isInside = (path: string, zone: string): boolean => path === zone || path.startsWith(`${zone}/`);

function relativeProblem(file: string, zone: Zone, specifier: string): string | undefined {
  const target = normalize(join(dirname(file), specifier));
  if (!isInside(target, zone.path) && !zone.zones.some((allowed) => isInside(target, allowed)))
    return `may not import ${target}`;
  const [own, other] = [dialectOf(file), dialectOf(target)];
  if (other !== undefined && other !== own && !DIALECT_REGISTRY.includes(file))
    return `may not import dialect ${other}`;
  return undefined;
}

function dialectOf(path: string): string | undefined {
  const inner = relative(DIALECTS_FOLDER, path);
  return inner.startsWith('..') || !inner.includes('/') ? undefined : inner.split('/')[0];
}

function packageProblem(zone: Zone, specifier: string): string | undefined {
  if (specifier.startsWith('@trivium/')) {
    const target = specifier.slice('@trivium/'.length);
    return zone.zones.some((allowed) => isInside(target, allowed)) ? undefined : `may not import ${specifier}`;
  }
  if (specifier.startsWith('node:') && zone.packages.includes('node:*')) return undefined;
  const name =
    specifier.startsWith('node:') || specifier.startsWith('@') ? specifier : (specifier.split('/')[0] ?? specifier);
  return zone.packages.includes(name) ? undefined : `may not import ${specifier}`;
}

/** Every file below `packages/` with the files it imports, types included. */
export function importsIn(packagesDir: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    sourcesIn(packagesDir).map((file) => [file, relativeImports(file, readFileSync(join(packagesDir, file), 'utf8'))]),
  );
}

/**
 * Neighbours that import one another in a circle: where there is one, nothing says which comes first. Neighbours are the folders
 * and files of one folder, whatever is inside them, so this holds at every level of the tree.
 */
export function circlesBetweenNeighbours(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const levels = new Map<string, Map<string, string[]>>();
  for (const [file, targets] of imports)
    for (const target of targets.filter((path) => imports.has(path))) {
      const { folder, from, to } = whereTheyPart(file, target);
      const level = levels.get(folder) ?? new Map<string, string[]>();
      levels.set(folder, level);
      level.set(from, [...(level.get(from) ?? []), to]);
      if (!level.has(to)) level.set(to, []);
    }
  return [...levels.values()].flatMap(circlesAmong);
}

/** The folder that holds both, and what of it holds the one and the other. */
function whereTheyPart(file: string, target: string): { folder: string; from: string; to: string } {
  const [own, other] = [file.split('/'), target.split('/')];
  const depth = own.findIndex((name, at) => name !== other[at]);
  return {
    folder: own.slice(0, depth).join('/'),
    from: own.slice(0, depth + 1).join('/'),
    to: other.slice(0, depth + 1).join('/'),
  };
}

/** By Tarjan's algorithm: every set that reach each other, as one line each. */
export function circlesAmong(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const found: string[] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    lowest.set(file, own);
    path.push(file);
    for (const other of imports.get(file) ?? []) {
      if (!imports.has(other)) continue;
      const reached = order.has(other) ? (path.includes(other) ? order.get(other) : undefined) : visit(other);
      if (reached !== undefined) lowest.set(file, Math.min(lowest.get(file)!, reached));
    }
    if (lowest.get(file) === own) {
      const circle = path.splice(path.indexOf(file));
      if (circle.length > 1) found.push(`${circle.length} import one another: ${circle.join(', ')}`);
    }
    return lowest.get(file)!;
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return found;
}

const relativeImports = (file: string, source: string): string[] =>
  [...source.matchAll(IMPORT)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(file), specifier)));

/** Follows what is imported at once: neither types, which are gone by then, nor what `import()` brings later. */
export function checkStart(packagesDir: string, { entry, without, through = {} }: LightStart): ImportReport {
  const loaded = new Set([entry]);
  const problems: string[] = [];
  // Grows while it is walked.
  for (const file of loaded)
    for (const specifier of importedAtOnce(readFileSync(join(packagesDir, file), 'utf8'))) {
      const exception = through[specifier];
      if (exception !== undefined) loaded.add(exception);
      else if (specifier.startsWith('.')) loaded.add(normalize(join(dirname(file), specifier)));
      else if (without.some((name) => isInside(specifier, name)))
        problems.push(`${file}: ${entry} may not load ${specifier} at its start`);
    }
  return { modules: loaded.size, problems };
}

const importedAtOnce = (source: string): string[] =>
  [...source.matchAll(IMPORT)].flatMap(([text, named, , bare]) => {
    const specifier = named ?? bare;
    return specifier === undefined || /^\s*(?:import|export)\s+type\b/.test(text) ? [] : [specifier];
  });

if (import.meta.main) {
  const packagesDir = new URL('../packages', import.meta.url).pathname;
  const reports = [checkImports(packagesDir), ...LIGHT_STARTS.map((start) => checkStart(packagesDir, start))];
  const circles = circlesBetweenNeighbours(importsIn(packagesDir));
  const names = typeNameProblems(packagesDir, sourcesIn(packagesDir));
  const problems = [...reports.flatMap((report) => report.problems), ...circles, ...names];
  const modules = reports[0]?.modules ?? 0;
  for (const problem of problems) console.error(problem);
  console.log(`imports: ${modules} modules, ${circles.length} circles, ${problems.length} problems`);
  process.exitCode = problems.length > 0 || modules === 0 ? 1 : 0;
}
