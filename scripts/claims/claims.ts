/** The rows of claims.yaml beside the sentences of the pages, and what they name. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isPublished, published } from '../release/published.ts';
import { sentencesOf } from './sentences.ts';

export const ROOT = new URL('../..', import.meta.url).pathname;
const NPM = /^npm (?:run )?(\S+)/;

type Row = {
  readonly says: string;
  readonly by?: readonly string[];
  readonly promisesNothing?: string;
  /** Said only until the packages are published, or only from then on (scripts/release/published.ts). */
  readonly when?: 'published' | 'unpublished';
};
export type Claims = { readonly quick: readonly string[]; readonly pages: Readonly<Record<string, readonly Row[]>> };

export const isCommand = (shown: string): boolean => NPM.test(shown);

export function readClaims(isReleased = isPublished(readFileSync(join(ROOT, 'README.md'), 'utf8'))): Claims {
  const all = parse(readFileSync(join(ROOT, 'scripts/claims/claims.yaml'), 'utf8')) as Claims;
  const isSaid = ({ when }: Row): boolean => when === undefined || (when === 'published') === isReleased;
  return {
    ...all,
    pages: Object.fromEntries(Object.entries(all.pages).map(([page, rows]) => [page, rows.filter(isSaid)])),
  };
}

const RT = /^npm run rt -- ([\w-]+)/;

/** The resilience scenarios with their nodes, read as text: loading them all takes seconds. */
const scenarios: ReadonlyMap<string, number> = new Map(
  readdirSync(join(ROOT, 'tests/rt/scenarios')).flatMap((file) => {
    const text = readFileSync(join(ROOT, 'tests/rt/scenarios', file), 'utf8');
    const name = /^ {2}name: '([\w-]+)',$/m.exec(text)?.[1];
    return name === undefined ? [] : [[name, Number(/^ {2}nodes: (\d+),$/m.exec(text)?.[1] ?? 1)] as const];
  }),
);

/** Undefined for what is no resilience scenario. */
export const nodesOf = (shown: string): number | undefined => scenarios.get(RT.exec(shown)?.[1] ?? '');

export function problemOfName(shown: string, scripts: ReadonlySet<string>): string | undefined {
  const script = NPM.exec(shown)?.[1];
  if (script === 'rt' && shown !== 'npm run rt -- all' && nodesOf(shown) === undefined)
    return `there is no scenario ${shown}`;
  if (script !== undefined) return scripts.has(script) ? undefined : `npm has no script ${script}`;
  return existsSync(join(ROOT, shown)) ? undefined : `there is no ${shown}`;
}

/** Sentences without a row, rows without a sentence, and rows that name nothing, or something that is not there. */
export function problemsOf(
  { pages }: Claims,
  read: (page: string) => string,
  scripts: ReadonlySet<string>,
): readonly string[] {
  return Object.entries(pages).flatMap(([page, rows]) => {
    const said = new Set(sentencesOf(read(page)));
    const known = new Set(rows.map(({ says }) => says));
    return [
      ...[...said]
        .filter((sentence) => !known.has(sentence))
        .map((sentence) => `${page} says, without a row: ${sentence}`),
      ...[...known].filter((sentence) => !said.has(sentence)).map((sentence) => `${page} does not say: ${sentence}`),
      ...rows.flatMap(({ says, by, promisesNothing }) => {
        if ((by === undefined || by.length === 0) === (promisesNothing === undefined))
          return [`${page}: either tests or why it promises nothing: ${says}`];
        return (by ?? []).flatMap((shown) => problemOfName(shown, scripts) ?? []);
      }),
    ];
  });
}

/** What all rows name, once each. */
export const shownBy = ({ pages }: Claims): readonly string[] => [
  ...new Set(Object.values(pages).flatMap((rows) => rows.flatMap(({ by = [] }) => by))),
];

/** As the pages are, or as they will be once the packages are published. */
export function ownProblems(form: 'now' | 'published' = 'now'): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  const claims = form === 'now' ? readClaims() : readClaims(true);
  const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
  const scripts = new Set(Object.keys(manifest.scripts));
  return [
    ...problemsOf(claims, form === 'now' ? read : (page) => published(read(page)), scripts),
    ...claims.quick
      .filter((command) => !shownBy(claims).includes(command))
      .map((command) => `quick, but shows nothing: ${command}`),
  ];
}
