import type { ReactNode } from 'react';
import styles from './states.module.css';

/** One sentence, and one thing to do: a button, a link or a command. */
export const EmptyState = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className={styles['empty']}>
    <p>{title}</p>
    {children !== undefined && <div className={styles['actions']}>{children}</div>}
  </div>
);
