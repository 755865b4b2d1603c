import { t } from '../../i18n/t.ts';
import styles from '../../parts/list/lists.module.css';

export type EventChoiceProps<E extends string> = {
  readonly events: readonly E[];
  readonly names: Readonly<Record<E, string>>;
  readonly chosen: readonly E[];
  readonly onChange: (chosen: readonly E[]) => void;
  /** What none chosen means. */
  readonly hint: string;
};

export function EventChoice<E extends string>({ events, names, chosen, onChange, hint }: EventChoiceProps<E>) {
  const toggle = (event: E, isOn: boolean): void =>
    onChange(events.filter((each) => (each === event ? isOn : chosen.includes(each))));
  return (
    <fieldset className={styles['events']}>
      <legend>{t('Events')}</legend>
      {events.map((event) => (
        <label key={event}>
          <input
            type="checkbox"
            checked={chosen.includes(event)}
            onChange={({ target }) => toggle(event, target.checked)}
          />
          {names[event]}
        </label>
      ))}
      <small className={styles['second']}>{hint}</small>
    </fieldset>
  );
}
