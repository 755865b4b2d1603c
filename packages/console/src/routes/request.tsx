import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useShortcuts } from '../app/shortcuts.ts';
import { t } from '../i18n/t.ts';
import { buttonClass } from '../parts/button.tsx';
import { adminCurl, CopyAs, copyText } from '../parts/copy.tsx';
import { PageFrame } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Bill } from './request/bill.tsx';
import { copyForms } from './request/copy-forms.ts';
import { RequestHead } from './request/head.tsx';
import { Path } from './request/path.tsx';
import { Raw } from './request/raw.tsx';
import { useRequest } from './request/source.ts';
import { Wire } from './request/wire.tsx';

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const navigate = useNavigate();
  const request = useRequest(id);
  useShortcuts({
    Escape: () => void navigate({ to: '/requests' }),
    y: () => void copyText(location.href, t('Link copied')),
    c: () => void copyText(adminCurl('GET', `/admin/v1/requests/${id}`)),
  });
  const { data } = request;
  return (
    <PageFrame
      title={t('Request')}
      actions={
        <>
          <Link to="/requests" className={buttonClass()}>
            <ArrowLeft size={14} />
            {t('All requests')}
          </Link>
          {data !== undefined && <CopyAs forms={copyForms(data)} />}
        </>
      }
    >
      {request.isError && <Problem error={request.error} onRetry={() => void request.refetch()} />}
      {data === undefined && !request.isError && <Skeleton rows={10} />}
      {data !== undefined && (
        <>
          <RequestHead request={data} />
          <Tabs
            label={t('Request')}
            items={[
              { id: 'path', text: t('Path'), content: () => <Path request={data} /> },
              { id: 'wire', text: t('Wire'), content: () => <Wire request={data} /> },
              { id: 'bill', text: t('Bill'), content: () => <Bill request={data} /> },
              { id: 'raw', text: t('Raw'), content: () => <Raw request={data} /> },
            ]}
          />
        </>
      )}
    </PageFrame>
  );
}
