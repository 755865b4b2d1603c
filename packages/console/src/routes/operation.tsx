/** One operation: its state, its results, and a button to cancel it. */
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange, useGet } from '../api/use-api.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { Commands, shellWord } from '../parts/base/commands.tsx';
import { adminCurl, CopyAs } from '../parts/base/copy.tsx';
import { EmptyState } from '../parts/base/empty-state.tsx';
import { Problem } from '../parts/base/problem.tsx';
import { Skeleton } from '../parts/base/skeleton.tsx';
import { Confirm } from '../parts/form/confirm.tsx';
import { Facts, PageFrame, Panel } from '../parts/page/page.tsx';
import { Clip } from '../parts/values/clip.tsx';
import { Duration, Id, Money, When } from '../parts/values/values.tsx';
import { useAccount } from '../state/search.ts';
import { hasRole, useMe } from '../state/session.ts';
import { elapsedMs, isOpen, OperationProgress, StateTag } from './operations/operation.tsx';
import styles from './operations/operations.module.css';

const ONE = '/admin/v1/accounts/{account}/operations/{id}';
const REFRESH_MS = 2000;

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const account = useAccount() ?? '';
  const isAdmin = hasRole(useMe(), 'admin');
  const [isDone, setDone] = useState(false);
  const found = useGet(ONE, { path: { account, id } }, isDone ? {} : { refreshMs: REFRESH_MS });
  const cancel = useChange('post', `${ONE}/cancel`, [ONE]);
  const [isCancelling, setCancelling] = useState(false);
  const operation = found.data;
  if (operation !== undefined && !isOpen(operation) && !isDone) setDone(true);
  const path = `/admin/v1/accounts/${account}/operations/${id}`;
  return (
    <PageFrame
      title={t('Operation {id}', { id })}
      actions={
        <>
          {operation !== undefined && isOpen(operation) && isAdmin && (
            <Button kind="danger" onClick={() => setCancelling(true)}>
              {t('Cancel operation')}
            </Button>
          )}
          <CopyAs
            forms={[
              { name: 'curl', text: () => adminCurl('GET', path) },
              { name: 'trivium', text: () => `trivium operations watch ${shellWord(account)} ${id}` },
            ]}
          />
        </>
      }
    >
      {found.error !== null && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isLoading && <Skeleton />}
      {operation !== undefined && (
        <>
          <Facts
            facts={[
              [t('State'), <StateTag key="state" state={operation.state} />],
              ...(isOpen(operation)
                ? [[t('Progress'), <OperationProgress key="progress" operation={operation} />] as const]
                : []),
              [t('Model'), operation.model],
              [t('Provider'), operation.provider],
              [t('Account'), operation.accountId],
              [t('Created'), <When key="created" at={operation.createdAt} />],
              [t('Finished'), <When key="finished" at={operation.finishedAt} />],
              [t('Elapsed'), <Duration key="elapsed" ms={elapsedMs(operation, Date.now())} />],
              [t('Cost'), <Money key="cost" usd={operation.costUsd} />],
              [t('Kept until'), <When key="kept" at={operation.expiresAt} />],
              [t('Name'), <Id key="name" text={operation.name} />],
              [
                t('Request'),
                <Link key="request" to="/requests/$id" params={{ id: operation.requestId }}>
                  <Id text={operation.requestId} />
                </Link>,
              ],
            ]}
          />
          {operation.problem !== null && <Problem error={new Error(operation.problem)} />}
          <Panel title={t('Videos')}>
            {operation.results.length === 0 ? (
              <EmptyState
                title={
                  isOpen(operation)
                    ? t('It is still running.')
                    : operation.blocked > 0
                      ? t('The provider held the videos back.')
                      : t('It made no video.')
                }
              />
            ) : (
              <div className={styles['results']}>
                {operation.results.map(({ link, mimeType, expiresAt }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: results keep their order
                  <figure key={index}>
                    {link === null ? (
                      <p>{t('The video is in the answer to its key only.')}</p>
                    ) : (
                      <Clip link={link} mime={mimeType} />
                    )}
                    <figcaption>
                      {mimeType}
                      {expiresAt !== null && (
                        <>
                          {' · '}
                          {t('kept until')} <When at={expiresAt} />
                        </>
                      )}
                    </figcaption>
                  </figure>
                ))}
              </div>
            )}
          </Panel>
        </>
      )}
      <Confirm
        title={t('Cancel operation')}
        action={t('Cancel operation')}
        isOpen={isCancelling}
        onClose={() => setCancelling(false)}
        onConfirm={() => cancel.mutateAsync({ path: { account, id } })}
      >
        <p>{t('Nothing is charged; the provider may go on, but its video is not fetched.')}</p>
        <Commands method="POST" path={`${path}/cancel`} cli={`trivium operations cancel ${shellWord(account)} ${id}`} />
      </Confirm>
    </PageFrame>
  );
}
