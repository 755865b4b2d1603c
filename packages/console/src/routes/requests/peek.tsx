import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { t } from '../../i18n/t.ts';
import { Button, buttonClass } from '../../parts/base/button.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { Skeleton } from '../../parts/base/skeleton.tsx';
import { useListState } from '../../state/search.ts';
import { RequestHead } from '../request/head.tsx';
import { Path } from '../request/path.tsx';
import { useRequest } from '../request/source.ts';
import styles from './requests.module.css';

/** A look at a request beside the list; it follows j and k. */
export default function Peek({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const request = useRequest(id);
  return (
    <aside className={styles['peek']} aria-label={t('Request {id}', { id })}>
      <header className={styles['peekHead']}>
        <Link to="/requests/$id" params={{ id } as never} state={useListState()} className={buttonClass()}>
          {t('Open as page')}
        </Link>
        <Button kind="quiet" icon={<X size={16} />} aria-label={t('Close')} onClick={onClose} />
      </header>
      <div className={styles['peekBody']}>
        {request.isError && <Problem error={request.error} onRetry={() => void request.refetch()} />}
        {request.data === undefined && !request.isError && <Skeleton />}
        {request.data !== undefined && (
          <>
            <RequestHead request={request.data} />
            <Path request={request.data} isNarrow />
          </>
        )}
      </div>
    </aside>
  );
}
