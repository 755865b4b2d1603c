/** What a button does, as lines for a terminal: curl and the `trivium` command. Secrets are written as `$TRIVIUM_ADMIN_SECRET`. */
import type { Write } from '../../api/use-api.ts';
import { t } from '../../i18n/t.ts';
import { CodeBlock } from './code-block.tsx';
import styles from './commands.module.css';
import { adminCurl } from './copy.tsx';

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
