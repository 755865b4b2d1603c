import { useData, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';
import './style.css';

/** Every page can be read as plain Markdown, by people and by programs. */
const MarkdownLink = {
  setup() {
    const { frontmatter } = useData();
    return () =>
      h('p', { class: 'as-markdown' }, [
        h(
          'a',
          { href: withBase(frontmatter.value['markdown'] ?? '/llms.txt'), target: '_blank' },
          'This page as Markdown',
        ),
      ]);
  },
};

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-footer-before': () => h(MarkdownLink) }),
};
