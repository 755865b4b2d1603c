import { t } from '../../i18n/t.ts';
import styles from './states.module.css';

const WIDTHS = [92, 78, 86, 64, 81, 70, 88, 59];

/** A placeholder while loading, shown after 150 ms. */
export const Skeleton = ({ rows = 6 }: { readonly rows?: number }) => (
  <div className={styles['skeleton']} role="status" data-loading aria-label={t('Loading')}>
    {Array.from({ length: rows }, (_, row) => row).map((row) => (
      <div key={row} className={styles['bar']} style={{ inlineSize: `${WIDTHS[row % WIDTHS.length]}%` }} />
    ))}
  </div>
);
