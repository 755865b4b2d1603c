/** Whether the canary of a policy runs, or since when and why it has stepped back. */

import { useState } from 'react';
import { useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { Tag, When } from '../../parts/values/values.tsx';
import styles from './policies.module.css';
import { type CanaryState, whyInWords } from './words.ts';

export const CanaryTag = ({ canary }: { readonly canary: CanaryState }) =>
  canary.state === 'running' ? (
    <Tag kind="ok" text={t('canary runs')} />
  ) : (
    <Tag kind="bad" text={t('canary stepped back')} />
  );

export function CanaryLine({ name, canary }: { readonly name: string; readonly canary: CanaryState }) {
  const [isAsked, setAsked] = useState(false);
  const { since, why } = canary;
  return (
    <div className={styles['canary']}>
      <CanaryTag canary={canary} />
      {since !== null && <When at={since} />}
      {why !== null && <span>{whyInWords(why)}</span>}
      {canary.state === 'stepped-back' && <Button onClick={() => setAsked(true)}>{t('Resume')}</Button>}
      {isAsked && <ResumeCanary name={name} onClose={() => setAsked(false)} />}
    </div>
  );
}

function ResumeCanary({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const write = useWrite();
  const path = '/admin/v1/policies/{id}/resume';
  return (
    <WriteDialog
      title={t('Resume the canary of {name}', { name })}
      action={t('Resume')}
      onClose={onClose}
      write={write('post', path, { path: { id: name } }, ['/admin/v1/policies/{id}', '/admin/v1/policies'])}
      cli={triviumLine(['policies', 'resume', name])}
      onDone={() => toast(t('The canary runs again.'))}
    >
      <p>{t('It gets its share of conversations again on all nodes, and is judged anew.')}</p>
    </WriteDialog>
  );
}
