/** Says that the row which the address names is not among those shown: the API has no route for one alone. */
import type { Listed } from '../../api/use-list.ts';
import { t } from '../../i18n/t.ts';
import styles from '../base/states.module.css';

type NotListedProps = {
  readonly id: string | undefined;
  readonly list: Pick<Listed<{ readonly id: string }>, 'rows' | 'isLoading' | 'error'>;
};

export const NotListed = ({ id, list: { rows, isLoading, error } }: NotListedProps) =>
  id === undefined || isLoading || error !== null || rows.some((row) => row.id === id) ? null : (
    <p role="status" className={styles['note']}>
      {t('No row shown has the id {id}. It may be further down, or the filters or the account leave it out.', { id })}
    </p>
  );
