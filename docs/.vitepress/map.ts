/** Reads `docs/map.yaml`, which gives every page its place and its description. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { DOCS, ROOT, ROOT_PAPERS } from './links.ts';

export type Page = {
  /** From `docs/`, without `.md`. */
  readonly path: string;
  readonly title: string;
  readonly label: string;
  readonly about: string;
  readonly terms: string;
};
type Group = { readonly title: string; readonly collapsed: boolean; readonly pages: readonly Page[] };
type Section = { readonly folder: string; readonly title: string; readonly groups: readonly Group[] };

type Entry = {
  readonly path?: string;
  readonly all?: string;
  readonly about: string;
  readonly label?: string;
  readonly terms?: string;
};
type WrittenSection = Omit<Section, 'groups'> & {
  readonly groups: readonly {
    readonly title: string;
    readonly collapsed?: boolean;
    readonly pages: readonly Entry[];
  }[];
};

const ABOUT_LIMIT = 150;

/** The Markdown file a page is made of, from the root of the repository. */
export const sourceOf = (path: string): string =>
  Object.keys(ROOT_PAPERS).find((file) => ROOT_PAPERS[file] === path) ?? `docs/${path}.md`;

const titleOf = (path: string): string =>
  /^# (.+)$/m.exec(readFileSync(join(ROOT, sourceOf(path)), 'utf8'))?.[1]?.replaceAll('`', '') ?? '';

function pageOf(path: string, { about, label, terms = '' }: Entry): Page {
  const title = titleOf(path);
  return { path, title, label: label ?? title, about: about.replace('{title}', title).slice(0, ABOUT_LIMIT), terms };
}

const pagesOf = (entry: Entry): readonly Page[] => {
  const { path, all } = entry;
  if (path !== undefined) return [pageOf(path, entry)];
  return readdirSync(join(DOCS, all ?? ''))
    .filter((file) => file.endsWith('.md') && !/^(?:index|README)\.md$/.test(file))
    .sort()
    .map((file) => pageOf(`${all}/${file.slice(0, -'.md'.length)}`, entry));
};

export const MAP: readonly Section[] = (
  parse(readFileSync(join(DOCS, 'map.yaml'), 'utf8')) as readonly WrittenSection[]
).map(({ groups, ...section }) => ({
  ...section,
  groups: groups.map(({ title, collapsed = false, pages }) => ({ title, collapsed, pages: pages.flatMap(pagesOf) })),
}));

export const PAGES: readonly Page[] = MAP.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages));

/** Pages written as Markdown below `docs/` that the map does not name; the landing page has its place by nature. */
export const unmappedPages = (): readonly string[] => {
  const mapped = new Set(PAGES.map(({ path }) => `docs/${path}.md`));
  return readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && file !== 'index.md' && !file.startsWith('.'))
    .map((file) => `docs/${file}`)
    .filter((file) => !mapped.has(file))
    .sort();
};
