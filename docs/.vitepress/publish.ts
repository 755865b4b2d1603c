/** What the site has beside its pages: each page as Markdown, `llms.txt`, and the files that pages link to. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PUBLISHED, ROOT, siteLink } from './links.ts';
import { MAP, PAGES, sourceOf } from './map.ts';

const LINK = /(\]\()([^)\s]+)(\))/g;

/** The path of a page's Markdown on the site. */
const textPath = (path: string): string => `${path.replace(/README$/, 'index')}.md`;

export async function publishTexts({ outDir }: { readonly outDir: string }): Promise<void> {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(outDir, path)), { recursive: true });
    writeFileSync(join(outDir, path), text);
  };
  const texts = PAGES.map(({ path }) => {
    const source = sourceOf(path);
    const text = readFileSync(join(ROOT, source), 'utf8').replaceAll(LINK, (whole, open, href: string, close) => {
      const link = siteLink(source, href);
      if (link?.kind === 'file') {
        mkdirSync(dirname(join(outDir, PUBLISHED, link.source)), { recursive: true });
        copyFileSync(join(ROOT, link.source), join(outDir, PUBLISHED, link.source));
      }
      return link === undefined || link.kind === 'none' ? whole : `${open}${link.href}${close}`;
    });
    write(textPath(path), text);
    return text;
  });
  write('llms.txt', index());
  write('llms-full.txt', texts.join('\n\n'));
}

const index = (): string =>
  [
    '# Trivium',
    '',
    '> The LLM gateway you run yourself: one key, three protocols (chat completions, messages, generate content), every model.',
    '',
    'Every page is also there as Markdown, under the paths below; `/llms-full.txt` has all of them in one file.',
    ...MAP.flatMap(({ title, groups }) => [
      '',
      `## ${title}`,
      '',
      ...groups.flatMap(({ pages }) =>
        pages.map((page) => `- [${page.title}](/${textPath(page.path)}): ${page.about}`),
      ),
    ]),
    '',
  ].join('\n');
