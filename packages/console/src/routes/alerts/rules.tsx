/** The rules and the values the configuration gives them. */
import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/use-api.ts';
import { t } from '../../i18n/t.ts';
import { Problem } from '../../parts/base/problem.tsx';
import { Skeleton } from '../../parts/base/skeleton.tsx';
import styles from '../../parts/list/lists.module.css';
import { Tag } from '../../parts/values/values.tsx';
import { KIND_TAGS, kindNames } from './kinds.ts';

const audienceText = (audience: Schemas['AlertRule']['audience']): string =>
  audience === 'operators' ? t('Operators') : t('Operators and the account');

export function Rules() {
  const rules = useGet('/admin/v1/alerts/rules', {});
  if (rules.isError) return <Problem error={rules.error} onRetry={() => void rules.refetch()} />;
  if (rules.data === undefined) return <Skeleton rows={8} />;
  return (
    <>
      <p className={styles['second']}>
        {t('Thresholds are set in the configuration file, under “alerts”; changes apply on reload.')}
      </p>
      <ul className={styles['cardGrid']}>
        {rules.data.items.map(({ kind, enabled, raisedWhen, window, audience }) => (
          <li key={kind} className={styles['card']}>
            <header>
              <Tag kind={KIND_TAGS[kind]} text={kindNames()[kind]} />
              <Tag kind={enabled ? 'ok' : 'plain'} text={enabled ? t('on') : t('off')} />
            </header>
            <p>{raisedWhen}</p>
            <p className={styles['second']}>
              {window} · {audienceText(audience)}
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
