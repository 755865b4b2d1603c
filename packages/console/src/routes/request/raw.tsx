import { t } from '../../i18n/t.ts';
import { CopyButton } from '../../parts/base/copy.tsx';
import { Panel } from '../../parts/page/page.tsx';
import styles from './request.module.css';
import type { RequestDetail } from './source.ts';

/** The record as the API gives it. */
export function Raw({ request }: { readonly request: RequestDetail }) {
  const text = JSON.stringify(request, null, 2);
  return (
    <Panel title={t('Record')} actions={<CopyButton text={text} />}>
      <pre className={styles['raw']}>{text}</pre>
    </Panel>
  );
}
