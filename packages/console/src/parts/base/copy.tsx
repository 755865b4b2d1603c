/** What can be copied: texts, calls of the API and the commands that do the same. */

import { Check, Copy as CopyIcon } from 'lucide-react';
import { useState } from 'react';
import type { Write } from '../../api/use-api.ts';
import { quoted } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { Button } from './button.tsx';
import blocks from './code-block.module.css';
import styles from './commands.module.css';
import { Menu } from './menu.tsx';
import { toast } from './toast.tsx';

const SHOWN_MS = 1500;

/** Whether it was copied. */
export async function copyText(text: string, done = t('Copied')): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    toast(done);
    return true;
  } catch {
    toast(t('The browser does not allow copying here.'), { isBad: true });
    return false;
  }
}

/** A small button beside what it copies. */
export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    if (!(await copyText(text))) return;
    setDone(true);
    setTimeout(() => setDone(false), SHOWN_MS);
  };
  return (
    <Button
      kind="quiet"
      icon={isDone ? <Check size={14} /> : <CopyIcon size={14} />}
      aria-label={label ?? t('Copy')}
      onClick={() => void copy()}
    />
  );
}

export type CopyForm = { readonly name: string; readonly text: () => string };

/** The same call by curl, the `trivium` command or an SDK. Secrets are written as `$TRIVIUM_KEY` and `$TRIVIUM_ADMIN_SECRET`. */
export const CopyAs = ({ forms }: { readonly forms: readonly CopyForm[] }) => (
  <Menu
    trigger={<Button icon={<CopyIcon size={14} />}>{t('Copy as')}</Button>}
    groups={[
      {
        items: forms.map(({ name, text }) => ({
          text: name,
          onSelect: () => void copyText(text(), t('Copied as {name}', { name })),
        })),
      },
    ]}
  />
);

/** A read of the admin API by curl, and by the `trivium` command where it has one. */
export const readForms = (path: string, cli?: string): readonly CopyForm[] => [
  { name: 'curl', text: () => adminCurl('GET', path) },
  ...(cli === undefined ? [] : [{ name: 'trivium', text: () => cli }]),
];

/** A request to the admin API as a line for a shell. `path` with its query. */
export function adminCurl(method: string, path: string, body?: unknown): string {
  const parts = [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    `"$TRIVIUM_ADMIN_URL"${quoted(path)}`,
    '-H "Authorization: Bearer $TRIVIUM_ADMIN_SECRET"',
  ];
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", '-d', quoted(JSON.stringify(body)));
  return parts.join(' ');
}

export type CodeBlockProps = {
  readonly text: string;
  /** What it is, above it. */
  readonly title?: string;
  /** Lines shown before it scrolls. */
  readonly isTall?: boolean;
};

/** Text as it is, never markup, with a button that copies it. */
export const CodeBlock = ({ text, title, isTall = false }: CodeBlockProps) => (
  <div className={blocks['block']}>
    {title !== undefined && <span className={blocks['title']}>{title}</span>}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <pre className={blocks['text']} data-tall={isTall} tabIndex={0}>
      {text}
    </pre>
    <span className={blocks['copy']}>
      <CopyButton text={text} />
    </span>
  </div>
);

export type CommandsProps = Pick<Write, 'method' | 'path' | 'body'> & {
  readonly title?: string;
  /** Undefined where the command has none. */
  readonly cli?: string | undefined;
};

export const Commands = ({ method, path, body, cli, title }: CommandsProps) => (
  <details className={styles['commands']}>
    <summary>{title ?? t('The same in a terminal')}</summary>
    <CodeBlock title="curl" text={adminCurl(method.toUpperCase(), path, body)} />
    {cli !== undefined && <CodeBlock title="trivium" text={cli} />}
  </details>
);
