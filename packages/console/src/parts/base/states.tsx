/** What is shown in place of content: while it loads, where there is none, and what went wrong. */

import type { ReactNode } from 'react';
import { ApiError } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { Button } from './button.tsx';
import styles from './states.module.css';

const UNAVAILABLE = 503;

/** Client errors: the same request would fail again. */
const FINAL: readonly (number | undefined)[] = [400, 401, 403, 404, 409];

export function Problem({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  const status = error instanceof ApiError ? error.status : undefined;
  const isAway = status === UNAVAILABLE || status === 0;
  const title =
    status === 0
      ? t('No connection')
      : status === UNAVAILABLE
        ? t('Not available')
        : status === undefined
          ? t('Error')
          : String(status);
  return (
    <div className={styles['problem']} role="alert" data-away={isAway}>
      <strong>{title}</strong>
      <p>{error.message}</p>
      {onRetry !== undefined && !FINAL.includes(status) && <Button onClick={onRetry}>{t('Retry')}</Button>}
    </div>
  );
}

type Failing = { readonly error: Error | null; readonly refetch: () => unknown };

/** Why a query has no answer, or no newer one; nothing where it has. */
export const QueryProblem = ({ of: { error, refetch } }: { readonly of: Failing }) =>
  error === null ? null : <Problem error={error} onRetry={() => void refetch()} />;

const WIDTHS = [92, 78, 86, 64, 81, 70, 88, 59];

/** A placeholder while loading, shown after 150 ms. */
export const Skeleton = ({ rows = 6 }: { readonly rows?: number }) => (
  <div className={styles['skeleton']} role="status" data-loading aria-label={t('Loading')}>
    {Array.from({ length: rows }, (_, row) => row).map((row) => (
      <div key={row} className={styles['bar']} style={{ inlineSize: `${WIDTHS[row % WIDTHS.length]}%` }} />
    ))}
  </div>
);

/** One sentence, and one thing to do: a button, a link or a command. */
export const EmptyState = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className={styles['empty']}>
    <p>{title}</p>
    {children !== undefined && <div className={styles['actions']}>{children}</div>}
  </div>
);
