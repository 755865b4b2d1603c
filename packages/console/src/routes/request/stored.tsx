/** The response that a caller stored, with its input: what the next turn of the conversation will refer to. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { callScoped } from '../../api/client.ts';
import { msg, t } from '../../i18n/t.ts';
import { EmptyState, Problem, Skeleton } from '../../parts/base/states.tsx';
import { Facts } from '../../parts/page/page.tsx';
import { Id, When } from '../../parts/values/values.tsx';
import { place } from '../../state/search.ts';
import { useMe } from '../../state/session.ts';
import styles from './wire.module.css';
import { WirePane } from './wire-pane.tsx';

const PARTS = [
  ['input', 'callerRequest', msg('Input')],
  ['response', 'callerResponse', msg('Answer')],
] as const;

export function Stored({ id }: { readonly id: string }) {
  const { accountId } = useMe();
  const stored = useQuery({
    queryKey: ['/admin/v1/requests/{id}/stored', accountId, id],
    queryFn: ({ signal }) => callScoped('get', 'requests/{id}/stored', accountId, { path: { id } }, signal),
    // Each access to content is written to the audit log, so it is fetched only once.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (stored.isError) return <Problem error={stored.error} onRetry={() => void stored.refetch()} />;
  if (stored.data === undefined) return <Skeleton />;
  const { data } = stored;
  if (!data.stored) return <EmptyState title={t('The content of this request is not stored.')} />;
  return (
    <>
      <Facts
        facts={[
          data.previousRequestId !== null && [
            t('Follows request'),
            <Link key="follows" {...place('/requests/$id', { id: data.previousRequestId }, { tab: 'stored' })}>
              <Id text={data.previousRequestId} />
            </Link>,
          ],
          data.conversationId !== null && [t('Conversation'), <Id key="conversation" text={data.conversationId} />],
          data.expiresAt !== null && [t('Kept until'), <When key="until" at={data.expiresAt} />],
        ]}
      />
      <div className={styles['panes']}>
        {PARTS.map(([member, name, title]) => {
          const part = data[member];
          if (part === null) return null;
          const pane = { ...part, startLine: '', headers: [], frames: [] };
          return <WirePane key={member} name={name} title={t(title)} pane={pane} marks={NO_MARKS} isPretty />;
        })}
      </div>
    </>
  );
}

const NO_MARKS = [] as const;
