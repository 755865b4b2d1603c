/** Who changed what, the newest first; operators can check that no entry was altered. */
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { call, type Schemas } from '../api/client.ts';
import { useList } from '../api/use-list.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { CodeBlock } from '../parts/base/code-block.tsx';
import { adminCurl, CopyAs } from '../parts/base/copy.tsx';
import { Dialog } from '../parts/base/dialog.tsx';
import { EmptyState } from '../parts/base/empty-state.tsx';
import { Problem } from '../parts/base/problem.tsx';
import { type Column, DataTable } from '../parts/list/data-table.tsx';
import styles from '../parts/list/lists.module.css';
import { NotListed } from '../parts/list/not-listed.tsx';
import { Facts, PageFrame } from '../parts/page/page.tsx';
import { Id, None, Tag, When } from '../parts/values/values.tsx';
import { useAccount, useSearchParams, useSetSearch } from '../state/search.ts';
import { hasRole, useMe } from '../state/session.ts';
import { useRows } from '../state/use-rows.ts';

type Entry = Schemas['AuditEntry'];
type Verdict = Schemas['AuditVerdict'];

/** `kind: prepaid · name: Acme`: what was set, in one line. */
const detailText = (detail: Entry['detail']): string =>
  Object.entries(detail)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(' · ');

const columns = (): readonly Column<Entry>[] => [
  { id: 'at', title: t('Time'), width: '136px', cell: ({ at }) => <When at={at} /> },
  { id: 'actor', title: t('Actor'), width: 'minmax(96px, 0.8fr)', cell: ({ actor }) => <Id text={actor} /> },
  { id: 'action', title: t('Action'), width: 'minmax(168px, 1fr)', cell: ({ action }) => <Tag text={action} /> },
  { id: 'subject', title: t('Subject'), width: 'minmax(128px, 1.4fr)', cell: ({ subject }) => <Id text={subject} /> },
  { id: 'account', title: t('Account'), width: 'minmax(72px, 0.8fr)', cell: ({ accountId }) => accountId ?? <None /> },
  {
    id: 'detail',
    title: t('Set to'),
    width: 'minmax(200px, 3fr)',
    cell: ({ detail }) => <span title={detailText(detail)}>{detailText(detail)}</span>,
  },
];

const compact = ({ at, action, actor, subject }: Entry) => (
  <div className={styles['compact']}>
    <span>
      <Tag text={action} /> <Id text={actor} />
    </span>
    <span className={styles['second']}>
      <When at={at} /> <Id text={subject} />
    </span>
  </div>
);

export function Page() {
  const me = useMe();
  const account = useAccount();
  const { entry: openId } = useSearchParams();
  const setSearch = useSetSearch();
  const path = account === undefined ? '/admin/v1/audit' : `/admin/v1/accounts/${account}/audit`;
  const list = useList<Entry>([path], (after, signal) => {
    const query = { limit: '100', after };
    return account === undefined
      ? call('get', '/admin/v1/audit', { query }, signal)
      : call('get', '/admin/v1/accounts/{account}/audit', { path: { account }, query }, signal);
  });
  const open = (id: string | undefined): void => setSearch({ entry: id });
  const { currentId } = useRows(
    list.rows,
    ({ id }) => id,
    ({ id }) => open(id),
  );
  const shown = list.rows.find(({ id }) => id === openId);
  const cli = account === undefined ? 'trivium audit list' : `trivium audit list --account ${account}`;
  return (
    <PageFrame
      title={t('Audit')}
      isFixed
      actions={
        <>
          {hasRole(me, 'operator') && <VerifyChain />}
          <CopyAs
            forms={[
              { name: 'curl', text: () => adminCurl('GET', `${path}?limit=100`) },
              { name: 'trivium', text: () => cli },
            ]}
          />
        </>
      }
    >
      {list.error !== null && <Problem error={list.error} onRetry={list.retry} />}
      <NotListed id={openId} list={list} />
      <DataTable
        label={t('Audit')}
        columns={columns()}
        rows={list.rows}
        idOf={({ id }) => id}
        isLoading={list.isLoading}
        empty={list.error === null && <EmptyState title={t('Nothing was changed yet.')} />}
        onOpen={({ id }) => open(id)}
        currentId={currentId}
        hasMore={list.hasMore}
        onMore={list.onMore}
        compact={compact}
      />
      {shown !== undefined && (
        <Dialog title={shown.action} kind="drawer" isOpen onClose={() => open(undefined)}>
          <EntryDetail entry={shown} />
        </Dialog>
      )}
    </PageFrame>
  );
}

const EntryDetail = ({ entry }: { readonly entry: Entry }) => (
  <>
    <Facts
      facts={[
        [t('Time'), <When key="at" at={entry.at} />],
        [t('Actor'), <Id key="actor" text={entry.actor} />],
        [t('Account'), entry.accountId ?? <None key="none" />],
        [t('Subject'), <Id key="subject" text={entry.subject} />],
      ]}
    />
    <CodeBlock title={t('Set to')} text={JSON.stringify(entry.detail, null, 2)} isTall />
  </>
);

function VerifyChain() {
  const [verdict, setVerdict] = useState<Verdict | Error>();
  const [isBusy, setBusy] = useState(false);
  const verify = async (): Promise<void> => {
    setBusy(true);
    try {
      setVerdict(await call('get', '/admin/v1/audit/verify', {}));
    } catch (error) {
      setVerdict(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button icon={<ShieldCheck size={14} />} isBusy={isBusy} onClick={() => void verify()}>
        {t('Verify chain')}
      </Button>
      <span role="status" className={styles['status']}>
        {verdict !== undefined && <VerdictTag verdict={verdict} />}
      </span>
    </>
  );
}

function VerdictTag({ verdict }: { readonly verdict: Verdict | Error }) {
  if (verdict instanceof Error) return <Tag kind="bad" text={verdict.message} />;
  if (verdict.intact) return <Tag kind="ok" text={t('No entry was altered')} />;
  return <Tag kind="bad" text={t('Altered: {entries}', { entries: verdict.broken.join(', ') })} />;
}
