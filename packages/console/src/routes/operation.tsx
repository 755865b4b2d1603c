/** One operation: its state, its results, and a button to cancel it. */

import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { scopedPath } from '../api/client.ts';
import { useGet, useWrite } from '../api/use-api.ts';
import { triviumLine } from '../format/shell.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { CopyAs, readForms } from '../parts/base/copy.tsx';
import { EmptyState, Problem } from '../parts/base/states.tsx';
import { WriteDialog } from '../parts/form/write-dialog.tsx';
import { Facts, Loaded, PageFrame, Panel } from '../parts/page/page.tsx';
import { Clip } from '../parts/values/clip.tsx';
import { Id, Money, When } from '../parts/values/values.tsx';
import { useAccount } from '../state/search.ts';
import { hasRole, useMe } from '../state/session.ts';
import { Elapsed, isOpen, OperationProgress, StateTag } from './operations/operation.tsx';
import styles from './operations/operations.module.css';

const ONE = '/admin/v1/accounts/{account}/operations/{id}';
const REFRESH_MS = 2000;

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const account = useAccount() ?? '';
  const isAdmin = hasRole(useMe(), 'admin');
  const [isDone, setDone] = useState(false);
  const found = useGet(ONE, { path: { account, id } }, isDone ? {} : { refreshMs: REFRESH_MS });
  const write = useWrite();
  const [isCancelling, setCancelling] = useState(false);
  const operation = found.data;
  if (operation !== undefined && !isOpen(operation) && !isDone) setDone(true);
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
            forms={readForms(
              scopedPath(`operations/${id}`, account),
              triviumLine(['operations', 'watch', account, id]),
            )}
          />
        </>
      }
    >
      <Loaded of={found}>
        {(operation) => (
          <>
            <Facts
              facts={[
                [t('State'), <StateTag key="state" {...operation} />],
                isOpen(operation) && [t('Progress'), <OperationProgress key="progress" {...operation} />],
                [t('Model'), operation.model],
                [t('Provider'), operation.provider],
                [t('Account'), operation.accountId],
                [t('Created'), <When key="created" at={operation.createdAt} />],
                [t('Finished'), <When key="finished" at={operation.finishedAt} />],
                [t('Elapsed'), <Elapsed key="elapsed" {...operation} />],
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
      </Loaded>
      <WriteDialog
        title={t('Cancel operation')}
        action={t('Cancel operation')}
        isDanger
        isOpen={isCancelling}
        onClose={() => setCancelling(false)}
        write={write('post', `${ONE}/cancel`, { path: { account, id } }, [ONE])}
        cli={triviumLine(['operations', 'cancel', account, id])}
      >
        <p>{t('Nothing is charged; the provider may go on, but its video is not fetched.')}</p>
      </WriteDialog>
    </PageFrame>
  );
}
