/** The shape of the source in figures: folders, arrows between them, sizes and functions. Read with a parser, types included. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'vite';
import { circlesBetweenNeighbours, importsIn, sourcesIn } from '../check-imports.ts';
import { IMPORT_TABLE } from '../import-table.ts';

const GATEWAY = 'gateway/src/';
const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);
const SMALL_LINES = 3;

export type Figures = {
  /** Folders directly in the gateway's source. */
  readonly folders: number;
  /** Pairs of them of which one imports the other. */
  readonly arrows: number;
  /** Arrows to a folder that the import table lists later. */
  readonly upwards: number;
  /** Sets of neighbours that import one another, in any folder of any package. */
  readonly circles: number;
  readonly largestFolder: { readonly path: string; readonly files: number };
  readonly longestFile: { readonly path: string; readonly lines: number };
  /** Without tests, fixtures and generated files, as are the functions. */
  readonly linesByHand: number;
  readonly functions: number;
  readonly functionsPer1000Lines: number;
  /** Of up to three lines. */
  readonly smallFunctionsPercent: number;
};

/** `generated`: paths below `packages/` that no one writes by hand. */
export function figuresOf(packagesDir: string, generated: readonly string[]): Figures {
  const files = sourcesIn(packagesDir).filter((file) => !file.includes('.fixture.') && !generated.includes(file));
  const imports = importsIn(packagesDir);
  const arrows = arrowsOf(imports);
  const measured = files.map((file) => measure(file, readFileSync(join(packagesDir, file), 'utf8')));
  const sum = (of: (one: Measured) => number): number => measured.reduce((total, one) => total + of(one), 0);
  const perFolder = new Map<string, number>();
  for (const file of files) perFolder.set(dirname(file), (perFolder.get(dirname(file)) ?? 0) + 1);
  const [path = '', own = 0] = [...perFolder].sort(([, one], [, other]) => other - one)[0] ?? [];
  const longest = measured.toSorted((one, other) => other.lines - one.lines)[0];
  const [lines, functions] = [sum((one) => one.lines), sum((one) => one.functions)];
  return {
    folders: new Set(files.filter((file) => file.startsWith(GATEWAY)).map(districtOf)).size - 1,
    arrows: arrows.length,
    upwards: arrows.filter(([from, to]) => floorOf(from) < floorOf(to)).length,
    circles: circlesBetweenNeighbours(imports).length,
    largestFolder: { path, files: own },
    longestFile: { path: longest?.file ?? '', lines: longest?.lines ?? 0 },
    linesByHand: lines,
    functions,
    functionsPer1000Lines: Math.round((functions / lines) * 10_000) / 10,
    smallFunctionsPercent: Math.round((sum((one) => one.small) / functions) * 100),
  };
}

/** A folder of the gateway, or `main.ts`. */
const districtOf = (file: string): string => file.slice(GATEWAY.length).split('/')[0] ?? '';

const floorOf = (district: string): number => IMPORT_TABLE.findIndex(({ path }) => path === `${GATEWAY}${district}`);

function arrowsOf(imports: ReadonlyMap<string, readonly string[]>): readonly (readonly [from: string, to: string])[] {
  const found = new Map<string, readonly [string, string]>();
  for (const [file, targets] of imports) {
    if (!file.startsWith(GATEWAY)) continue;
    for (const target of targets.filter((path) => path.startsWith(GATEWAY) && imports.has(path))) {
      const [from, to] = [districtOf(file), districtOf(target)];
      if (from !== to) found.set(`${from} ${to}`, [from, to]);
    }
  }
  return [...found.values()];
}

type Measured = { readonly file: string; readonly lines: number; readonly functions: number; readonly small: number };

export function measure(file: string, text: string): Measured {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  let [functions, small] = [0, 0];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one);
    if (typeof node !== 'object' || node === null || !('type' in node)) return;
    const { type, start, end, body } = node as { type: string; start: number; end: number; body?: unknown };
    if (FUNCTIONS.has(type) && body !== null) {
      functions++;
      if (text.slice(start, end).split('\n').length <= SMALL_LINES) small++;
    }
    for (const value of Object.values(node)) if (typeof value === 'object') visit(value);
  };
  visit(program);
  return { file, lines: text.split('\n').length - 1, functions, small };
}
