/** Where messages are sent: destinations of alerts and webhooks of accounts look and act the same. */

import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Write } from '../../api/use-api.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { EmptyState, QueryProblem, Skeleton } from '../../parts/base/states.tsx';
import { toast, toastProblem } from '../../parts/base/toast.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import styles from '../../parts/list/lists.module.css';
import { Tag, When } from '../../parts/values/values.tsx';
import { Deliveries, type Ways } from './deliveries.tsx';

export type Receiver = {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly note: string;
  readonly createdAt: string;
  readonly goneAt: string | null;
};

export type ReceiversProps = {
  /** Those that are gone are not shown. */
  readonly rows: readonly Receiver[] | undefined;
  readonly query: { readonly error: Error | null; readonly refetch: () => unknown };
  readonly ways: Ways & { readonly remove: (id: string) => Write };
  readonly empty: string;
  readonly addText: string;
  /** Undefined: the role may only look. */
  readonly onAdd?: (() => void) | undefined;
  readonly more?: (receiver: Receiver) => ReactNode;
};

export function Receivers({ rows, query, ways, empty, addText, onAdd, more }: ReceiversProps) {
  const [shown, setShown] = useState<Receiver>();
  const [removed, setRemoved] = useState<Receiver>();
  const test = async (receiver: Receiver): Promise<void> => {
    try {
      await ways.test(receiver.id).send();
      toast(t('Test message sent'));
      setShown(receiver);
    } catch (cause) {
      toastProblem(cause);
    }
  };
  const add = onAdd !== undefined && (
    <Button kind="primary" icon={<Plus size={14} />} onClick={onAdd}>
      {addText}
    </Button>
  );
  if (rows === undefined) return query.error === null ? <Skeleton rows={4} /> : <QueryProblem of={query} />;
  const kept = rows.filter(({ goneAt }) => goneAt === null);
  if (kept.length === 0) return <EmptyState title={empty}>{add}</EmptyState>;
  return (
    <>
      <div className={styles['tools']}>{add}</div>
      <ul className={styles['cards']}>
        {kept.map((row) => (
          <li key={row.id} className={styles['card']}>
            <header>
              <strong>{row.title}</strong>
              <Tag text={row.kind} />
              <span className={styles['buttons']}>
                <Button onClick={() => setShown(row)}>{t('Deliveries')}</Button>
                {onAdd !== undefined && (
                  <>
                    <Button onClick={() => void test(row)}>{t('Send test')}</Button>
                    {more?.(row)}
                    <Button kind="danger" onClick={() => setRemoved(row)}>
                      {t('Remove')}
                    </Button>
                  </>
                )}
              </span>
            </header>
            <p className={styles['second']}>
              {row.note} · {t('added')} <When at={row.createdAt} />
            </p>
          </li>
        ))}
      </ul>
      {shown !== undefined && (
        <Deliveries
          id={shown.id}
          name={shown.title}
          ways={ways}
          canSend={onAdd !== undefined}
          onClose={() => setShown(undefined)}
        />
      )}
      {removed !== undefined && (
        <WriteDialog
          title={t('Remove {name}', { name: removed.title })}
          action={t('Remove')}
          isDanger
          onClose={() => setRemoved(undefined)}
          write={ways.remove(removed.id)}
          cli={ways.cli('remove', removed.id)}
        >
          <p>{t('Messages that are on their way to it are dropped.')}</p>
        </WriteDialog>
      )}
    </>
  );
}

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
