/** Who changed what, the newest first; operators can check that no entry was altered. */

import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { asError, call, callScoped, type Schemas, scopedPath } from '../api/client.ts';
import { useList } from '../api/use-list.ts';
import { changeText, sidesOf } from '../format/audited.ts';
import { jsonLines, type Line } from '../format/json-lines.ts';
import { triviumLine } from '../format/shell.ts';
import { msg, t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { CodeBlock } from '../parts/base/copy.tsx';
import { Dialog } from '../parts/base/dialog.tsx';
import { Diff, type DiffSide } from '../parts/figures/diff.tsx';
import type { Column } from '../parts/list/columns.tsx';
import { Compact } from '../parts/list/list.tsx';
import { ListPage } from '../parts/list/list-page.tsx';
import styles from '../parts/list/lists.module.css';
import { NotListed } from '../parts/list/not-listed.tsx';
import { Facts } from '../parts/page/page.tsx';
import { Id, None, Tag, When } from '../parts/values/values.tsx';
import { useAccount, useSearchParams, useSetSearch } from '../state/search.ts';
import { hasRole, useMe } from '../state/session.ts';

type Entry = Schemas['AuditEntry'];
type Verdict = Schemas['AuditVerdict'];

/** In one line: `kind: prepaid · name: Acme`, and where it was something else before: `role: viewer → admin`. */
function Detail({ detail }: Entry) {
  const text = changeText(detail);
  return <span title={text}>{text}</span>;
}

const COLUMNS: readonly Column<Entry>[] = [
  { of: 'at', as: 'when', title: msg('Time'), width: '136px' },
  { of: 'actor', as: 'id', title: msg('Actor'), width: 'minmax(96px, 0.8fr)' },
  { of: 'action', as: 'tag', title: msg('Action'), width: 'minmax(168px, 1fr)' },
  { of: 'subject', as: 'id', title: msg('Subject'), width: 'minmax(128px, 1.4fr)' },
  { of: 'accountId', as: 'text', title: msg('Account'), width: 'minmax(72px, 0.8fr)' },
  { id: 'detail', title: msg('Changes'), width: 'minmax(200px, 3fr)', cell: Detail },
];

export function Page() {
  const isOperator = hasRole(useMe(), 'operator');
  const account = useAccount();
  const { entry: openId } = useSearchParams();
  const setSearch = useSetSearch();
  const list = useList<Entry>([scopedPath('audit', account)], (query, signal) =>
    callScoped('get', 'audit', account, { query }, signal),
  );
  const shown = list.rows.find(({ id }) => id === openId);
  return (
    <ListPage
      title={t('Audit')}
      list={list}
      columns={COLUMNS}
      compact={({ at, action, actor, subject }) => (
        <Compact
          first={
            <>
              <Tag text={action} /> <Id text={actor} />
            </>
          }
          second={
            <>
              <When at={at} /> <Id text={subject} />
            </>
          }
        />
      )}
      onOpen={({ id }) => setSearch({ entry: id })}
      path={`${scopedPath('audit', account)}?limit=100`}
      cli={triviumLine(['audit', 'list'], [['account', account]])}
      actions={isOperator && <VerifyChain />}
      none={t('Nothing was changed yet.')}
      notes={<NotListed id={openId} list={list} />}
    >
      {shown !== undefined && (
        <Dialog title={shown.action} kind="drawer" isOpen onClose={() => setSearch({ entry: undefined })}>
          <Facts
            facts={[
              [t('Time'), <When key="at" at={shown.at} />],
              [t('Actor'), <Id key="actor" text={shown.actor} />],
              [t('Account'), shown.accountId ?? <None key="none" />],
              [t('Subject'), <Id key="subject" text={shown.subject} />],
            ]}
          />
          <Change detail={shown.detail} />
        </Dialog>
      )}
    </ListPage>
  );
}

function Change({ detail }: Pick<Entry, 'detail'>) {
  const { before, after } = sidesOf(detail);
  if (before === undefined) return <CodeBlock title={t('Set to')} text={JSON.stringify(after, null, 2)} isTall />;
  const side = (title: string, value: object): DiffSide<Line> => ({
    title,
    lines: jsonLines(JSON.stringify(value)) ?? [],
  });
  return <Diff label={t('Changes')} before={side(t('Before'), before)} after={side(t('Afterwards'), after)} />;
}

function VerifyChain() {
  const [verdict, setVerdict] = useState<Verdict | Error>();
  const [isBusy, setBusy] = useState(false);
  const verify = async (): Promise<void> => {
    setBusy(true);
    setVerdict(await call('get', '/admin/v1/audit/verify', {}).catch(asError));
    setBusy(false);
  };
  return (
    <>
      <Button icon={<ShieldCheck size={14} />} isBusy={isBusy} onClick={() => void verify()}>
        {t('Verify chain')}
      </Button>
      <span role="status" className={styles['status']}>
        {verdict instanceof Error ? (
          <Tag kind="bad" text={verdict.message} />
        ) : verdict?.intact === true ? (
          <Tag kind="ok" text={t('No entry was altered')} />
        ) : (
          verdict !== undefined && (
            <Tag kind="bad" text={t('Altered: {entries}', { entries: verdict.broken.join(', ') })} />
          )
        )}
      </span>
    </>
  );
}
