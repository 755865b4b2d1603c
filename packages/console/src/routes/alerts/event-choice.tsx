/** Which events a receiver gets. */
import { t } from '../../i18n/t.ts';
import styles from '../../parts/list/lists.module.css';

export type EventChoiceProps<E extends string> = {
  /** Messages, by event. */
  readonly names: Readonly<Record<E, string>>;
  readonly chosen: readonly E[];
  readonly onChange: (chosen: readonly E[]) => void;
  /** What none chosen means. */
  readonly hint: string;
};

export function EventChoice<E extends string>({ names, chosen, onChange, hint }: EventChoiceProps<E>) {
  const events = Object.keys(names) as E[];
  return (
    <fieldset className={styles['events']}>
      <legend>{t('Events')}</legend>
      {events.map((event) => (
        <label key={event}>
          <input
            type="checkbox"
            checked={chosen.includes(event)}
            onChange={({ target }) =>
              onChange(events.filter((each) => (each === event ? target.checked : chosen.includes(each))))
            }
          />
          {t(names[event])}
        </label>
      ))}
      <small className={styles['second']}>{hint}</small>
    </fieldset>
  );
}
