/** A look at a request beside the list; it follows j and k. */
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { t } from '../../i18n/t.ts';
import { Button, buttonClass } from '../../parts/base/button.tsx';
import { Loaded } from '../../parts/page/page.tsx';
import { place, useListState } from '../../state/search.ts';
import { RequestHead } from '../request/head.tsx';
import { Path } from '../request/path.tsx';
import { useRequest } from '../request/source.ts';
import styles from './requests.module.css';

export function Peek({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  return (
    <aside className={styles['peek']} aria-label={t('Request {id}', { id })}>
      <header className={styles['peekHead']}>
        <Link {...place('/requests/$id', { id })} state={useListState()} className={buttonClass()}>
          {t('Open as page')}
        </Link>
        <Button kind="quiet" icon={<X size={16} />} aria-label={t('Close')} onClick={onClose} />
      </header>
      <div className={styles['peekBody']}>
        <Loaded of={useRequest(id)}>
          {(request) => (
            <>
              <RequestHead request={request} />
              <Path request={request} isNarrow />
            </>
          )}
        </Loaded>
      </div>
    </aside>
  );
}
