import { ApiError } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { Button } from './button.tsx';
import styles from './states.module.css';

const UNAVAILABLE = 503;
/** A client error: the same request would fail again. */
const isFinal = (status: number | undefined): boolean =>
  status !== undefined && [400, 401, 403, 404, 409].includes(status);

/** The API's error message and a button to retry. The rest of the page stays usable. */
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
      {onRetry !== undefined && !isFinal(status) && <Button onClick={onRetry}>{t('Retry')}</Button>}
    </div>
  );
}
