/** The rules and the values the configuration gives them. */

import { useGet } from '../../api/use-api.ts';
import { t } from '../../i18n/t.ts';
import styles from '../../parts/list/lists.module.css';
import { Loaded } from '../../parts/page/page.tsx';
import { Tag } from '../../parts/values/values.tsx';
import { ALERT_NAMES, alertTag } from './kinds.ts';

export const Rules = () => (
  <Loaded of={useGet('/admin/v1/alerts/rules', {})} rows={8}>
    {({ items }) => (
      <>
        <p className={styles['second']}>
          {t('Thresholds are set in the configuration file, under “alerts”; changes apply on reload.')}
        </p>
        <ul className={styles['cardGrid']}>
          {items.map(({ kind, enabled, raisedWhen, window, audience }) => (
            <li key={kind} className={styles['card']}>
              <header>
                <Tag kind={alertTag(kind)} text={t(ALERT_NAMES[kind])} />
                <Tag kind={enabled ? 'ok' : 'plain'} text={enabled ? t('on') : t('off')} />
              </header>
              <p>{raisedWhen}</p>
              <p className={styles['second']}>
                {window} · {audience === 'operators' ? t('Operators') : t('Operators and the account')}
              </p>
            </li>
          ))}
        </ul>
      </>
    )}
  </Loaded>
);
