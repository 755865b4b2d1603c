/** One routing policy: what it says, and its versions. */

import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useGet, useWrite } from '../api/use-api.ts';
import { triviumLine } from '../format/shell.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { CopyAs, readForms } from '../parts/base/copy.tsx';
import { toast } from '../parts/base/toast.tsx';
import { WriteDialog } from '../parts/form/write-dialog.tsx';
import { Crumbs, Facts, LoadedPage, PageFrame, Panel } from '../parts/page/page.tsx';
import { Tag, When } from '../parts/values/values.tsx';
import { AccountLink } from './accounts/names.tsx';
import { CanaryLine } from './policies/canary-state.tsx';
import { EditPolicy } from './policies/edit-policy.tsx';
import styles from './policies/policies.module.css';
import { VersionHistory } from './policies/version-history.tsx';
import {
  matchInWords,
  type Policy,
  type PolicyVersion,
  policyText,
  SOURCE_NAMES,
  saidInWords,
  scopeInWords,
} from './policies/words.ts';

const PATH = '/admin/v1/policies/{id}';

export function Page() {
  const { name = '' } = useParams({ strict: false }) as { name?: string };
  return (
    <LoadedPage of={useGet(PATH, { path: { id: name } })} title={name}>
      {({ items }) => <PolicyPage key={name} name={name} versions={items} />}
    </LoadedPage>
  );
}

function PolicyPage({ name, versions }: { readonly name: string; readonly versions: readonly PolicyVersion[] }) {
  const [edited, setEdited] = useState<Policy>();
  const [isRemoving, setRemoving] = useState(false);
  const [latest] = versions;
  const policy = latest?.policy ?? null;
  const isOfFile = latest?.source === 'file';
  const last = versions.find((each) => each.policy !== null)?.policy ?? null;
  return (
    <PageFrame
      title={name}
      heading={
        <Crumbs section={t('Policies')} to="/policies" title={name}>
          {latest !== undefined && <Tag text={t(SOURCE_NAMES[latest.source])} />}
          {policy === null && <Tag kind="warn" text={t('removed')} />}
        </Crumbs>
      }
      actions={
        <>
          <CopyAs
            forms={readForms(
              `/admin/v1/policies/${encodeURIComponent(name)}`,
              triviumLine(['policies', 'history', name]),
            )}
          />
          {!isOfFile && policy !== null && (
            <>
              <Button onClick={() => setEdited(policy)}>{t('Change')}</Button>
              <Button kind="danger" onClick={() => setRemoving(true)}>
                {t('Remove')}
              </Button>
            </>
          )}
          {policy === null && last !== null && <Button onClick={() => setEdited(last)}>{t('Save it again')}</Button>}
        </>
      }
    >
      {isOfFile && (
        <p className={styles['note']}>
          {t(
            'This policy is in the configuration file, under “policies”. Change it there; a running gateway reads the file again.',
          )}
        </p>
      )}
      {policy === null && <p className={styles['note']}>{t('This policy is removed and holds for no request.')}</p>}
      {policy !== null && latest !== undefined && <PolicyFacts policy={policy} latest={latest} />}
      <VersionHistory
        key={latest?.version}
        versions={versions.map(({ policy: value, ...version }) => ({ ...version, value }))}
        textOf={policyText}
        {...(!isOfFile && { onRestore: setEdited })}
      />
      {edited !== undefined && <EditPolicy policy={edited} onClose={() => setEdited(undefined)} />}
      {isRemoving && <RemovePolicy name={name} onClose={() => setRemoving(false)} />}
    </PageFrame>
  );
}

function PolicyFacts({ policy, latest }: { readonly policy: Policy; readonly latest: PolicyVersion }) {
  const account = policy.scope?.account;
  return (
    <>
      <Facts
        facts={[
          [t('Scope'), scopeInWords(policy.scope)],
          account !== undefined && [t('Account'), <AccountLink key="account" id={account} text={account} />],
          [t('Matches'), matchInWords(policy.match)],
          latest.source === 'database' && [t('Version'), latest.version],
          latest.source === 'database' && [t('Saved'), <When key="saved" at={latest.createdAt} />],
          latest.createdBy !== null && [t('Saved by'), <bdi key="by">{latest.createdBy}</bdi>],
          latest.canary !== null && [
            t('Canary'),
            <CanaryLine key="canary" name={latest.name} canary={latest.canary} />,
          ],
        ]}
      />
      <Panel title={t('What it says')}>
        <dl className={styles['said']}>
          {saidInWords(policy).map(([member, text]) => [
            <dt key={member}>{member}</dt>,
            <dd key={`${member} text`}>{text}</dd>,
          ])}
        </dl>
      </Panel>
    </>
  );
}

function RemovePolicy({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const write = useWrite();
  return (
    <WriteDialog
      title={t('Remove {name}', { name })}
      action={t('Remove')}
      isDanger
      onClose={onClose}
      write={write('delete', PATH, { path: { id: name } }, [PATH, '/admin/v1/policies'])}
      cli={triviumLine(['policies', 'remove', name])}
      onDone={() => toast(t('The policy is removed.'))}
    >
      <p>{t('It holds for no request from the next one on. Its versions stay listed, and it can be saved again.')}</p>
    </WriteDialog>
  );
}
