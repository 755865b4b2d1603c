/** Papers that stand at the root of the repository, where forges look for them, as pages of the site. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, ROOT_PAPERS, siteLink } from './links.ts';

type Paper = { readonly params: { readonly paper: string }; readonly content: string };

export const papersOf = (folder: string): readonly Paper[] =>
  Object.entries(ROOT_PAPERS)
    .filter(([, path]) => path.startsWith(`${folder}/`))
    .map(([file, path]) => ({
      params: { paper: path.slice(folder.length + 1) },
      content: readFileSync(join(ROOT, file), 'utf8').replaceAll(
        /(\[[^\]\n]*\])\(([^)\s]+)\)/g,
        (whole, text, href) => {
          const link = siteLink(file, href);
          if (link === undefined) return whole;
          return link.kind === 'none' ? text.slice(1, -1) : `${text}(${link.href})`;
        },
      ),
    }));
