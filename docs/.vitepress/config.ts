/** The documentation site: the Markdown of `docs/` unchanged, in the order of `docs/map.yaml`. `npm run docs:build` makes plain files. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { ROOT, ROOT_PAPERS, slugify } from './links.ts';
import { MAP, PAGES, type Page } from './map.ts';
import { markdownForSite } from './markdown.ts';
import { publishTexts } from './publish.ts';
import { searchTerm, searchText, searchWeight } from './search.ts';

type Manifest = { readonly repository?: string | { readonly url?: string } };

/** The one place where the address of the repository is known; without it there are no links into it. */
const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
const repositoryUrl = (typeof repository === 'string' ? repository : repository?.url)
  ?.replace(/^git\+/, '')
  .replace(/\.git$/, '');

const siteFile = (path: string): string => `${path.replace(/README$/, 'index')}.md`;
const hrefOf = ({ path }: Page): string => `/${path.replace(/(?:index|README)$/, '')}`;
const byFile = new Map(PAGES.map((page) => [siteFile(page.path), page]));

const sidebar: DefaultTheme.SidebarMulti = Object.fromEntries(
  MAP.flatMap(({ folder, groups }) => {
    const items = groups.map(({ title, collapsed, pages }) => ({
      text: title,
      ...(collapsed && { collapsed }),
      items: pages.map((page) => ({ text: page.label, link: hrefOf(page) })),
    }));
    // Decisions belong to the contributors' part and keep the folder that the code's comments name.
    return folder === 'contribute'
      ? [
          ['/contribute/', items],
          ['/decisions/', items],
        ]
      : [[`/${folder}/`, items]];
  }),
);

const nav = MAP.map(({ folder, title, groups }) => {
  const first = groups[0]?.pages[0];
  return { text: title, link: first === undefined ? '/' : hrefOf(first), activeMatch: `^/${folder}/` };
});

export default defineConfig({
  lang: 'en',
  title: 'Trivium',
  description: 'The LLM gateway you run yourself: one key, three protocols, every model.',
  base: process.env['DOCS_BASE'] ?? '/',
  outDir: join(ROOT, 'dist/site'),
  cacheDir: join(ROOT, 'node_modules/.cache/vitepress'),
  srcExclude: ['.vitepress/**'],
  rewrites: { 'decisions/README.md': 'decisions/index.md' },
  lastUpdated: existsSync(join(ROOT, '.git')),
  metaChunk: true,
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${process.env['DOCS_BASE'] ?? '/'}logo.svg` }],
    ['meta', { name: 'theme-color', content: '#1f5fd0' }],
  ],
  markdown: {
    // Our pages are Markdown without HTML; what looks like a tag in them is text.
    html: false,
    anchor: { slugify },
    toc: { slugify },
    theme: { light: 'github-light', dark: 'github-dark' },
    config: markdownForSite,
  },
  transformPageData(page) {
    const known = byFile.get(page.relativePath);
    if (known !== undefined) page.description = known.about;
    page.frontmatter['markdown'] = `/${page.relativePath}`;
  },
  buildEnd: publishTexts,
  themeConfig: {
    logo: '/logo.svg',
    nav,
    sidebar,
    outline: { level: [2, 3], label: 'On this page' },
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        miniSearch: {
          options: { processTerm: searchTerm },
          searchOptions: { boost: { title: 4, titles: 3, text: 1 }, boostDocument: searchWeight },
        },
        _render(source, env, md) {
          const html = searchText(env.relativePath, md.render(source, env));
          const terms = byFile.get(env.relativePath)?.terms ?? '';
          return terms === '' ? html : html.replace('</h1>', `</h1><p>${terms}</p>`);
        },
      },
    },
    ...(repositoryUrl !== undefined && {
      socialLinks: [{ icon: 'github', link: repositoryUrl }],
      editLink: {
        pattern: ({ filePath }) => `${repositoryUrl}/edit/main/${ROOT_PAPERS[filePath] ?? `docs/${filePath}`}`,
        text: 'Edit this page',
      },
    }),
    lastUpdated: { text: 'Last changed', formatOptions: { dateStyle: 'medium' } },
    docFooter: { prev: 'Before', next: 'Next' },
    footer: { message: 'Apache-2.0. The open-source version is the whole product.' },
  },
});
