/** Where messages are sent: destinations of alerts and webhooks of accounts look and act the same. */
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Commands, type CommandsProps } from '../../parts/base/commands.tsx';
import { EmptyState } from '../../parts/base/empty-state.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { Skeleton } from '../../parts/base/skeleton.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import styles from '../../parts/list/lists.module.css';
import { Tag, When } from '../../parts/values/values.tsx';

export type Receiver = {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly note: string;
  readonly createdAt: string;
  readonly goneAt: string | null;
};

export type ReceiversProps = {
  readonly rows: readonly Receiver[] | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
  readonly empty: string;
  readonly addText: string;
  /** Undefined: the role may only look. */
  readonly onAdd?: (() => void) | undefined;
  readonly onTest: (id: string) => Promise<unknown>;
  readonly onRemove: (id: string) => Promise<unknown>;
  readonly removal: (id: string) => CommandsProps;
  readonly deliveries: (receiver: Receiver, onClose: () => void) => ReactNode;
  readonly more?: (receiver: Receiver) => ReactNode;
};

export function Receivers(props: ReceiversProps) {
  const { rows, error, retry, empty, addText, onAdd, onTest, onRemove, removal, deliveries, more } = props;
  const [shown, setShown] = useState<Receiver>();
  const [removed, setRemoved] = useState<Receiver>();
  const test = async (receiver: Receiver): Promise<void> => {
    try {
      await onTest(receiver.id);
      toast(t('Test message sent'));
      setShown(receiver);
    } catch (cause) {
      toast(cause instanceof Error ? cause.message : String(cause), { isBad: true });
    }
  };
  const add = onAdd !== undefined && (
    <Button kind="primary" icon={<Plus size={14} />} onClick={onAdd}>
      {addText}
    </Button>
  );
  if (error !== null && rows === undefined) return <Problem error={error} onRetry={retry} />;
  if (rows === undefined) return <Skeleton rows={4} />;
  if (rows.length === 0) return <EmptyState title={empty}>{add}</EmptyState>;
  return (
    <>
      <div className={styles['tools']}>{add}</div>
      <ul className={styles['cards']}>
        {rows.map((row) => (
          <li key={row.id} className={styles['card']}>
            <header>
              <strong>{row.title}</strong>
              <Tag text={row.kind} />
              {row.goneAt !== null && <Tag kind="bad" text={t('removed')} />}
              <span className={styles['buttons']}>
                <Button onClick={() => setShown(row)}>{t('Deliveries')}</Button>
                {onAdd !== undefined && row.goneAt === null && (
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
      {shown !== undefined && deliveries(shown, () => setShown(undefined))}
      {removed !== undefined && (
        <Confirm
          title={t('Remove {name}', { name: removed.title })}
          action={t('Remove')}
          isOpen
          onClose={() => setRemoved(undefined)}
          onConfirm={() => onRemove(removed.id)}
        >
          <p>{t('Messages that are on their way to it are dropped.')}</p>
          <Commands {...removal(removed.id)} />
        </Confirm>
      )}
    </>
  );
}
