/** The built site as files: its pages, what they link to, and how many clicks each is from the landing page. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export type BuiltPage = {
  /** From the root of the site, without `.html`. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly anchors: ReadonlySet<string>;
  /** Hrefs of all links, unchanged. */
  readonly links: readonly string[];
};

const decode = (text: string): string =>
  text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<');

function parse(path: string, html: string): BuiltPage {
  const body = html.slice(html.indexOf('<body'));
  return {
    path,
    title: decode(/<title>([^<]*)<\/title>/.exec(html)?.[1] ?? ''),
    description: decode(/<meta name="description" content="([^"]*)"/.exec(html)?.[1] ?? ''),
    anchors: new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => decode(id))),
    links: [...body.matchAll(/<a\b[^>]*? href="([^"]*)"/g)].map(([, href = '']) => decode(href)),
  };
}

export const readSite = (folder: string): ReadonlyMap<string, BuiltPage> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.html') && file !== '404.html')
      .map((file) => {
        const path = file.slice(0, -'.html'.length);
        return [path, parse(path, readFileSync(join(folder, file), 'utf8'))];
      }),
  );

/** The page and anchor a link of the site leads to; undefined for links that leave it. */
function followLink(from: string, href: string): { readonly target: string; readonly anchor: string } | undefined {
  if (/^[a-z]+:/i.test(href)) return undefined;
  const [path = '', anchor = ''] = href.split('#');
  if (path === '') return { target: from, anchor: decodeURIComponent(anchor) };
  const absolute = path.startsWith('/') ? path.slice(1) : normalize(join(dirname(from), path));
  const file = absolute === '' || absolute.endsWith('/') ? `${absolute}index` : absolute.replace(/\.html$/, '');
  return { target: file, anchor: decodeURIComponent(anchor) };
}

export const deadLinks = (folder: string, pages: ReadonlyMap<string, BuiltPage>): readonly string[] =>
  [...pages.values()].flatMap(({ path, links }) =>
    [...new Set(links)].flatMap((href) => {
      const followed = followLink(path, href);
      if (followed === undefined) return [];
      const page = pages.get(followed.target);
      if (page === undefined) return existsSync(join(folder, followed.target)) ? [] : [`${path}: ${href}`];
      return followed.anchor === '' || page.anchors.has(followed.anchor) ? [] : [`${path}: ${href} (no such anchor)`];
    }),
  );

/** Clicks from the landing page to each page that can be reached. */
export function clicksTo(pages: ReadonlyMap<string, BuiltPage>): ReadonlyMap<string, number> {
  const clicks = new Map([['index', 0]]);
  for (const [path, distance] of clicks)
    for (const href of pages.get(path)?.links ?? []) {
      const target = followLink(path, href)?.target;
      if (target !== undefined && pages.has(target) && !clicks.has(target)) clicks.set(target, distance + 1);
    }
  return clicks;
}
