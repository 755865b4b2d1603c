/** One request: what happened on its way, what was sent, what it cost. */

import { Link, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { ArrowLeft, ChevronLeft, ChevronRight } from 'lucide-react';
import { Suspense } from 'react';
import { t } from '../i18n/t.ts';
import { Button, buttonClass } from '../parts/base/button.tsx';
import { adminCurl, CopyAs, CopyButton, copyText } from '../parts/base/copy.tsx';
import { lazyPart } from '../parts/base/lazy-part.ts';
import { Skeleton } from '../parts/base/states.tsx';
import { Loaded, PageFrame, Panel } from '../parts/page/page.tsx';
import { Tabs } from '../parts/page/tabs.tsx';
import { useListSearch } from '../state/search.ts';
import { hasRole, useMe } from '../state/session.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { Bill } from './request/bill.tsx';
import { copyForms, requestPath } from './request/copy-forms.ts';
import { RequestHead } from './request/head.tsx';
import { type Direction, neighbourOf, openNeighbour } from './request/neighbour.ts';
import { Path } from './request/path.tsx';
import styles from './request/request.module.css';
import { useRequest } from './request/source.ts';
import { Stored } from './request/stored.tsx';
import { Wire } from './request/wire.tsx';

const Conversation = lazyPart(() => import('./request/conversation.tsx'), 'Conversation');

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const navigate = useNavigate();
  const router = useRouter();
  const list = useListSearch();
  const request = useRequest(id);
  const me = useMe();
  const { accountId } = me;
  const step = (direction: Direction): void => {
    if (request.data !== undefined)
      void openNeighbour(router, neighbourOf(request.data, direction, accountId), direction);
  };
  useShortcuts({
    '[': () => step('newer'),
    ']': () => step('older'),
    Escape: () => void navigate({ to: '/requests', search: list as never }),
    y: () => void copyText(location.href, t('Link copied')),
    c: () => void copyText(adminCurl('GET', requestPath(id, accountId))),
  });
  const { data } = request;
  return (
    <PageFrame
      title={t('Request')}
      actions={
        <>
          <Link to="/requests" search={list as never} className={buttonClass()}>
            <ArrowLeft size={14} />
            {t('All requests')}
          </Link>
          <Button
            icon={<ChevronLeft size={14} />}
            aria-label={t('Newer request')}
            title={t('Newer request')}
            onClick={() => step('newer')}
          />
          <Button
            icon={<ChevronRight size={14} />}
            aria-label={t('Older request')}
            title={t('Older request')}
            onClick={() => step('older')}
          />
          {data !== undefined && <CopyAs forms={copyForms(data, accountId)} />}
        </>
      }
    >
      <Loaded of={request} rows={10}>
        {(data) => (
          <>
            <RequestHead request={data} />
            <Tabs
              label={t('Request')}
              items={[
                { id: 'path', text: t('Path'), content: <Path request={data} /> },
                ...(hasRole(me, 'admin')
                  ? [{ id: 'wire', text: t('Wire'), content: <Wire key={data.id} request={data} /> }]
                  : []),
                ...(hasRole(me, 'admin') && data.protocol === 'responses'
                  ? [{ id: 'stored', text: t('Stored'), content: <Stored key={data.id} id={data.id} /> }]
                  : []),
                { id: 'bill', text: t('Bill'), content: <Bill request={data} /> },
                ...(data.conversation === null
                  ? []
                  : [
                      {
                        id: 'conversation',
                        text: t('Conversation'),
                        content: (
                          <Suspense fallback={<Skeleton />}>
                            <Conversation request={data} conversation={data.conversation} />
                          </Suspense>
                        ),
                      },
                    ]),
                { id: 'raw', text: t('Raw'), content: <Raw text={JSON.stringify(data, null, 2)} /> },
              ]}
            />
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}

/** The record as the API gives it. */
const Raw = ({ text }: { readonly text: string }) => (
  <Panel title={t('Record')} actions={<CopyButton text={text} />}>
    <pre className={styles['raw']}>{text}</pre>
  </Panel>
);
