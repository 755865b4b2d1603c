import styles from './code-block.module.css';
import { CopyButton } from './copy.tsx';

export type CodeBlockProps = {
  readonly text: string;
  /** What it is, above it. */
  readonly title?: string;
  /** Lines shown before it scrolls. */
  readonly isTall?: boolean;
};

/** Text as it is, never markup, with a button that copies it. */
export const CodeBlock = ({ text, title, isTall = false }: CodeBlockProps) => (
  <div className={styles['block']}>
    {title !== undefined && <span className={styles['title']}>{title}</span>}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <pre className={styles['text']} data-tall={isTall} tabIndex={0}>
      {text}
    </pre>
    <span className={styles['copy']}>
      <CopyButton text={text} />
    </span>
  </div>
);
