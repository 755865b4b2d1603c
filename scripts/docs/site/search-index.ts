/** The site's own search, as the browser runs it: the built index, looked up with the theme's options. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { searchTerm, searchWeight } from '../../../docs/.vitepress/search.ts';

const INDEX_FILE = /^@localSearchIndexroot\..*\.js$/;

/** The options of VitePress's search box, with ours laid over them as in the configuration of the site. */
const OPTIONS = {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  processTerm: searchTerm,
};
const SEARCH = { fuzzy: 0.2, prefix: true, boost: { title: 4, titles: 3, text: 1 }, boostDocument: searchWeight };

export type SiteSearch = {
  readonly bytes: number;
  /** Pages of the first hits, in their order; a page may come more than once. */
  hits(query: string, count: number): readonly string[];
};

export async function openSearch(folder: string): Promise<SiteSearch> {
  const chunks = join(folder, 'assets/chunks');
  const file = readdirSync(chunks).find((name) => INDEX_FILE.test(name));
  if (file === undefined) throw new Error('the built site has no search index');
  const path = join(chunks, file);
  const { default: json } = (await import(path)) as { readonly default: string };
  const index = MiniSearch.loadJSON(json, OPTIONS);
  return {
    bytes: readFileSync(path).byteLength,
    hits: (query, count) =>
      index
        .search(query, SEARCH)
        .slice(0, count)
        .map(({ id }) => {
          const page =
            String(id)
              .split('#')[0]
              ?.replace(/^\//, '')
              .replace(/\.html$/, '') ?? '';
          return page === '' || page.endsWith('/') ? `${page}index` : page;
        }),
  };
}
