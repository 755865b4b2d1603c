/** Every place that can be sabotaged, in one fixed order, and a repeatable choice among them. */
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { applied, type Mutant, mutantsOf } from './mutators.ts';
import { lineOf } from './source-text.ts';

export type Site = Mutant & {
  /** Relative to the project's root. */
  readonly file: string;
  readonly line: number;
  /** The line before and after, for people. */
  readonly change: string;
};

/** An equivalent mutant: a change without visible effect, with the reason. */
export type Equivalent = { readonly file: string; readonly change: string; readonly reason: string };

const FOLDERS = [
  'packages/protocol/src/dialects',
  'packages/gateway/src/calls',
  'packages/gateway/src/http',
  'packages/gateway/src/people/accounts',
];

const isSource = (name: string): boolean => name.endsWith('.ts') && !/(?:\.test|\.fixture|stances)\.ts$/.test(name);

const sourceFiles = (root: URL): readonly string[] =>
  FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter(isSource)
      .map((name) => `${folder}/${name}`),
  ).sort();

function parses(text: string): boolean {
  try {
    stripTypeScriptTypes(text);
    return true;
  } catch {
    return false;
  }
}

const clean = (text: string): string => text.trim().replace(/\s+/g, ' ').slice(0, 160);

function changeOf(source: string, mutant: Mutant): string {
  const lineStart = source.lastIndexOf('\n', mutant.start - 1) + 1;
  const found = source.indexOf('\n', mutant.end);
  const lineEnd = found === -1 ? source.length : found;
  const before = source.slice(lineStart, lineEnd);
  const after = source.slice(lineStart, mutant.start) + mutant.replacement + source.slice(mutant.end, lineEnd);
  return `${mutant.kind}: ${clean(before)} → ${clean(after)}`;
}

/** Every path starts with the empty text. */
export const EVERY_FILE: readonly string[] = [''];

/** Sites in the files whose path starts with one of the texts. */
export function allSites(root: URL, equivalents: readonly Equivalent[], only = EVERY_FILE): readonly Site[] {
  const isEquivalent = (file: string, change: string): boolean =>
    equivalents.some((entry) => entry.file === file && entry.change === change);
  const chosen = sourceFiles(root).filter((file) => only.some((start) => file.startsWith(start)));
  return chosen.flatMap((file) => {
    const source = readFileSync(new URL(file, root), 'utf8');
    return mutantsOf(source)
      .map((mutant) => ({ ...mutant, file, line: lineOf(source, mutant.start), change: changeOf(source, mutant) }))
      .filter((site) => !isEquivalent(file, site.change) && parses(applied(source, site)));
  });
}

/** Numbers in [0, 1) that depend on the seed alone (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function sample<T>(items: readonly T[], count: number, seed: number): readonly T[] {
  const random = generator(seed);
  const pool = [...items];
  const chosen: T[] = [];
  while (chosen.length < count && pool.length > 0) chosen.push(...pool.splice(Math.floor(random() * pool.length), 1));
  return chosen;
}
