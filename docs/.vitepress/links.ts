/** Links as GitHub shows them, made to work on the site: papers of the root get a page, files outside `docs/` are published beside the pages. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

export const ROOT = new URL('../../', import.meta.url).pathname;
export const DOCS = join(ROOT, 'docs');

/** Papers that stand at the root of the repository, where forges look for them, and the page of the site that includes each. */
export const ROOT_PAPERS: Readonly<Record<string, string>> = {
  'ARCHITECTURE.md': 'contribute/architecture',
  'CONTRIBUTING.md': 'contribute/set-up',
  'REVIEWING.md': 'contribute/reviewing',
  'SECURITY.md': 'contribute/security-reports',
  'CHANGELOG.md': 'reference/changelog',
};

/** Where the site keeps copies of files that pages link to. */
export const PUBLISHED = 'files';
const PUBLISHABLE = /\.(?:json|ya?ml|conf|cfg|service|toml|txt|Caddyfile)$/;

export type SiteLink =
  | { readonly kind: 'page'; readonly href: string }
  | { readonly kind: 'file'; readonly href: string; readonly source: string }
  | { readonly kind: 'none'; readonly source: string };

/** The file whose text a page shows. */
const sourceOf = (page: string): string =>
  Object.keys(ROOT_PAPERS).find((file) => `docs/${ROOT_PAPERS[file]}.md` === page) ?? page;

/** `page` is the Markdown file that contains the link, from the root of the repository. Returns undefined for links that do not change. */
export function siteLink(page: string, link: string): SiteLink | undefined {
  if (/^(?:[a-z]+:|#|\/)/i.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const target = normalize(join(dirname(sourceOf(page)), decodeURI(path)));
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const paper = ROOT_PAPERS[target];
  if (paper !== undefined) return { kind: 'page', href: `/${paper}${hash}` };
  if (target === 'README.md') return { kind: 'page', href: `/${hash}` };
  const isPage = target.startsWith('docs/') && target.endsWith('.md');
  if (isPage) return { kind: 'page', href: `/${relative('docs', target).replace(/README\.md$/, 'index.md')}${hash}` };
  const full = join(ROOT, target);
  if (PUBLISHABLE.test(target) && existsSync(full) && statSync(full).isFile())
    return { kind: 'file', href: `/${PUBLISHED}/${target}`, source: target };
  return { kind: 'none', source: target };
}

/** Anchors as GitHub makes them, so that a link works in both places. */
export const slugify = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
