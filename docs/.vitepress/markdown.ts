/** Markdown as our pages use it: comments are not shown, and links lead where the site has what they name. */
import type { MarkdownRenderer } from 'vitepress';
import { siteLink } from './links.ts';

/** Up to this many characters code in running text is never broken. */
const SHORT_CODE = 26;

const COMMENT = /^<!--[\s\S]*?-->\n?/gm;

export function markdownForSite(md: MarkdownRenderer): void {
  md.core.ruler.before('normalize', 'comments', (state) => {
    state.src = state.src.replaceAll(COMMENT, '');
  });
  // Short names stay whole. Long ones may break at dots and slashes, and nowhere else; an address not before its path begins.
  md.renderer.rules['code_inline'] = (tokens, at) => {
    const content = tokens[at]?.content ?? '';
    if (content.length <= SHORT_CODE) return `<code v-pre class="short">${md.utils.escapeHtml(content)}</code>`;
    const [origin = ''] = /^[a-z]+:\/\/[^/\s]+/.exec(content) ?? [];
    const rest = md.utils
      .escapeHtml(content.slice(origin.length))
      .replaceAll(/[/_](?=[\w&{])|\.(?=[a-z&{])/gi, '$&<wbr>');
    return `<code v-pre>${md.utils.escapeHtml(origin)}${rest}</code>`;
  };
  md.core.ruler.push('links', (state) => {
    const { relativePath = '' } = state.env as { readonly relativePath?: string };
    const page = `docs/${relativePath}`;
    for (const { children } of state.tokens) {
      const plain: boolean[] = [];
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          const link = siteLink(page, token.attrGet('href') ?? '');
          plain.push(link?.kind === 'none');
          if (link?.kind === 'none')
            Object.assign(token, { tag: 'span', attrs: [['title', `${link.source} in the repository`]] });
          else if (link?.kind === 'file') {
            // Not a page: neither checked nor followed as one.
            token.attrs = [
              ['href', `${process.env['DOCS_BASE'] ?? '/'}${link.href.slice(1)}`],
              ['target', '_blank'],
              ['download', ''],
            ];
          } else if (link?.kind === 'page') token.attrSet('href', link.href);
        } else if (token.type === 'link_close' && plain.pop() === true) token.tag = 'span';
      }
    }
  });
}
