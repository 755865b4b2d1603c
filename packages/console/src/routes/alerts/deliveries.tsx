/** Messages of the last seven days to one receiver, and a way to send one again. */

import type { Schemas } from '../../api/client.ts';
import type { Write } from '../../api/use-api.ts';
import { type Rows, useList } from '../../api/use-list.ts';
import { msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Commands } from '../../parts/base/copy.tsx';
import { Dialog } from '../../parts/base/dialog.tsx';
import { EmptyState, QueryProblem, Skeleton } from '../../parts/base/states.tsx';
import { toast, toastProblem } from '../../parts/base/toast.tsx';
import styles from '../../parts/list/lists.module.css';
import { Id, Tag, type TagKind, When } from '../../parts/values/values.tsx';

type Delivery = Schemas['WebhookDelivery'];

const REFRESH_MS = 3000;

const KINDS: Readonly<Record<Delivery['state'], TagKind>> = { due: 'accent', delivered: 'ok', failed: 'bad' };
const STATE_NAMES: Readonly<Record<Delivery['state'], string>> = {
  due: msg('on its way'),
  delivered: msg('delivered'),
  failed: msg('failed'),
};

/** What can be done with receivers and their deliveries, and the commands that do the same. */
export type Ways = {
  readonly deliveries: (
    id: string,
    page: { readonly after: string | undefined },
    signal: AbortSignal,
  ) => Promise<Rows<Delivery>>;
  readonly test: (id: string) => Write;
  readonly resend: (delivery: string) => Write;
  readonly cli: (verb: 'test' | 'resend' | 'remove', id: string) => string;
};

export type DeliveriesProps = {
  readonly id: string;
  readonly name: string;
  readonly ways: Ways;
  /** False: the role may only look. */
  readonly canSend: boolean;
  readonly onClose: () => void;
};

export function Deliveries({ id, name, ways, canSend, onClose }: DeliveriesProps) {
  const list = useList<Delivery>(['deliveries', id], ({ after }, signal) => ways.deliveries(id, { after }, signal), {
    refreshMs: REFRESH_MS,
  });
  const [latest] = list.rows;
  const again = async (delivery: string): Promise<void> => {
    try {
      await ways.resend(delivery).send();
      toast(t('Sent again'));
      list.refetch();
    } catch (error) {
      toastProblem(error);
    }
  };
  return (
    <Dialog title={t('Deliveries to {name}', { name })} kind="drawer" isOpen onClose={onClose}>
      <QueryProblem of={list} />
      {list.isLoading && <Skeleton rows={4} />}
      {!list.isLoading && list.error === null && list.rows.length === 0 && (
        <EmptyState title={t('Nothing was sent within seven days.')} />
      )}
      <ul className={styles['cards']}>
        {list.rows.map((delivery) => (
          <li key={delivery.id} className={styles['card']}>
            <header>
              <Tag kind={KINDS[delivery.state]} text={t(STATE_NAMES[delivery.state])} />
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
      {canSend && <Commands title={t('Test message in a terminal')} {...ways.test(id)} cli={ways.cli('test', id)} />}
      {canSend && latest !== undefined && (
        <Commands title={t('Resend in a terminal')} {...ways.resend(latest.id)} cli={ways.cli('resend', latest.id)} />
      )}
    </Dialog>
  );
}
