/** What went wrong, in the API's words, and a button to retry. The rest of the page stays usable. */
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
