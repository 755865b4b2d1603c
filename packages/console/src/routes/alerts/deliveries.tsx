/** Messages of the last seven days to one receiver, and a way to send one again. */
import type { Schemas } from '../../api/client.ts';
import { type ListPage, useList } from '../../api/use-list.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Commands, type CommandsProps } from '../../parts/base/commands.tsx';
import { Dialog } from '../../parts/base/dialog.tsx';
import { EmptyState } from '../../parts/base/empty-state.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { Skeleton } from '../../parts/base/skeleton.tsx';
import { toast } from '../../parts/base/toast.tsx';
import styles from '../../parts/list/lists.module.css';
import { Id, Tag, type TagKind, When } from '../../parts/values/values.tsx';

type Delivery = Schemas['WebhookDelivery'];

const REFRESH_MS = 3000;
const KINDS: Readonly<Record<Delivery['state'], TagKind>> = { due: 'accent', delivered: 'ok', failed: 'bad' };
const stateNames = (): Readonly<Record<Delivery['state'], string>> => ({
  due: t('on its way'),
  delivered: t('delivered'),
  failed: t('failed'),
});

export type DeliveriesProps = {
  readonly name: string;
  /** Of the list, and the first part of the key it is kept under. */
  readonly path: string;
  readonly read: (after: string | undefined, signal: AbortSignal) => Promise<ListPage<Delivery>>;
  /** False: the role may only look. */
  readonly canSend?: boolean;
  readonly resend: (id: string) => Promise<unknown>;
  readonly resending: (id: string) => CommandsProps;
  readonly testing: CommandsProps;
  readonly onClose: () => void;
};

export function Deliveries(props: DeliveriesProps) {
  const { name, path, read, canSend = true, resend, resending, testing, onClose } = props;
  const list = useList<Delivery>([path], read, { refreshMs: REFRESH_MS });
  const [latest] = list.rows;
  const again = async (id: string): Promise<void> => {
    try {
      await resend(id);
      toast(t('Sent again'));
      list.retry();
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { isBad: true });
    }
  };
  return (
    <Dialog title={t('Deliveries to {name}', { name })} kind="drawer" isOpen onClose={onClose}>
      {list.error !== null && <Problem error={list.error} onRetry={list.retry} />}
      {list.isLoading && <Skeleton rows={4} />}
      {!list.isLoading && list.error === null && list.rows.length === 0 && (
        <EmptyState title={t('Nothing was sent within seven days.')} />
      )}
      <ul className={styles['cards']}>
        {list.rows.map((delivery) => (
          <li key={delivery.id} className={styles['card']}>
            <header>
              <Tag kind={KINDS[delivery.state]} text={stateNames()[delivery.state]} />
              <span>{delivery.event ?? t('test message')}</span>
              {canSend && (
                <Button className={styles['push'] ?? ''} onClick={() => void again(delivery.id)}>
                  {t('Resend')}
                </Button>
              )}
            </header>
            <p className={styles['second']}>
              <When at={delivery.createdAt} /> · {t('{tries, plural, one {# try} other {# tries}}', delivery)}
              {delivery.lastStatus !== null && ` · HTTP ${delivery.lastStatus}`}
              {delivery.nextTryAt !== null && (
                <>
                  {' · '}
                  {t('next try')} <When at={delivery.nextTryAt} />
                </>
              )}
            </p>
            {delivery.lastProblem !== null && <p className={styles['problem']}>{delivery.lastProblem}</p>}
            <Id text={delivery.id} />
          </li>
        ))}
      </ul>
      {list.hasMore && <Button onClick={list.onMore}>{t('Show more')}</Button>}
      {canSend && <Commands title={t('Test message in a terminal')} {...testing} />}
      {canSend && latest !== undefined && <Commands title={t('Resend in a terminal')} {...resending(latest.id)} />}
    </Dialog>
  );
}
