/** The rules with their values: those that have thresholds are changed here, with a preview over the last week. */

import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useGet, useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { toast, toastProblem } from '../../parts/base/toast.tsx';
import styles from '../../parts/list/lists.module.css';
import { Loaded } from '../../parts/page/page.tsx';
import { Tag } from '../../parts/values/values.tsx';
import { EditRule } from './edit-rule.tsx';
import { ALERT_NAMES, alertTag } from './kinds.ts';
import { raisedWhen, THRESHOLDS } from './rule-words.ts';

type Rule = Schemas['AlertRule'];

const PATH = '/admin/v1/alerts/rules';

export function Rules() {
  const [editing, setEditing] = useState<Rule>();
  return (
    <Loaded of={useGet(PATH, {})} rows={8}>
      {({ items }) => (
        <>
          <p className={styles['second']}>
            {t('What is set here replaces the configuration file, on all nodes, without a restart.')}
          </p>
          <ul className={styles['cardGrid']}>
            {items.map((rule) => (
              <RuleCard key={rule.kind} rule={rule} onEdit={() => setEditing(rule)} />
            ))}
          </ul>
          {editing !== undefined && <EditRule rule={editing} onClose={() => setEditing(undefined)} />}
        </>
      )}
    </Loaded>
  );
}

function RuleCard({ rule, onEdit }: { readonly rule: Rule; readonly onEdit: () => void }) {
  const write = useWrite();
  const { kind, enabled, audience, source } = rule;
  const path = { path: { id: kind } };
  const run = async (change: { send: () => Promise<unknown> }, done: string): Promise<void> => {
    try {
      await change.send();
      toast(done);
    } catch (error) {
      toastProblem(error);
    }
  };
  const one = '/admin/v1/alerts/rules/{id}';
  const hasThresholds = kind in THRESHOLDS;
  return (
    <li className={styles['card']}>
      <header>
        <Tag kind={alertTag(kind)} text={t(ALERT_NAMES[kind])} />
        <Tag kind={enabled ? 'ok' : 'plain'} text={enabled ? t('on') : t('off')} />
        <span className={styles['buttons']}>
          {source === 'database' && (
            <Button
              kind="quiet"
              title={triviumLine(['alerts', 'reset', kind])}
              onClick={() => void run(write('delete', one, path, [PATH]), t('As in the configuration file again.'))}
            >
              {t('Reset')}
            </Button>
          )}
          {hasThresholds ? (
            <Button onClick={onEdit}>{t('Edit')}</Button>
          ) : (
            <Button
              onClick={() =>
                void run(
                  write('patch', one, { ...path, body: { enabled: !enabled } }, [PATH]),
                  enabled ? t('The rule is switched off.') : t('The rule is switched on.'),
                )
              }
            >
              {enabled ? t('Switch off') : t('Switch on')}
            </Button>
          )}
        </span>
      </header>
      <p>{raisedWhen(rule)}</p>
      <p className={styles['second']}>
        {audience === 'operators' ? t('Operators') : t('Operators and the account')}
        {source === 'database' && ` · ${t('set here')}`}
      </p>
    </li>
  );
}
