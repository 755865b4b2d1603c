/** Every process that serves, as each last reported itself. */
import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/use-api.ts';
import { formatCount } from '../../format/numbers.ts';
import { triviumLine } from '../../format/shell.ts';
import { locale, t } from '../../i18n/t.ts';
import { adminCurl, CopyAs } from '../../parts/base/copy.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { type Column, DataTable } from '../../parts/list/data-table.tsx';
import lists from '../../parts/list/lists.module.css';
import { Panel } from '../../parts/page/page.tsx';
import { Ago } from '../../parts/values/ago.tsx';
import { Duration, Id, Tag } from '../../parts/values/values.tsx';

type Node = Schemas['Node'];

const REFRESH_MS = 5000;
/** Enough characters to tell two apart. */
const SHOWN_HASH = 8;

const figure = (count: number): string => formatCount(count, locale());

function NodeState({ node }: { readonly node: Node }) {
  if (node.unready === null) return <Tag kind="ok" text={t('ready')} />;
  return (
    <span title={node.unready}>
      <Tag kind="bad" text={t('not ready')} />
    </span>
  );
}

/** `shared`: with the other nodes. */
const limitsText = (isShared: boolean | null): string => {
  if (isShared === null) return t('alone');
  return isShared ? t('shared') : t('apart');
};

const columns = (): readonly Column<Node>[] => [
  {
    id: 'id',
    title: t('Node'),
    width: 'minmax(130px, 2fr)',
    cell: ({ id }) => <Id text={id} />,
  },
  { id: 'state', title: t('State'), width: '84px', cell: (node) => <NodeState node={node} /> },
  { id: 'version', title: t('Version'), width: '60px', cell: ({ version }) => version },
  { id: 'started', title: t('Started'), width: '92px', cell: ({ startedAt }) => <Ago at={startedAt} /> },
  {
    id: 'listener',
    title: t('Listens at'),
    width: 'minmax(130px, 1fr)',
    cell: ({ listeners }) => listeners.data.replace('http://', ''),
  },
  {
    id: 'config',
    title: t('Configuration'),
    width: '110px',
    cell: ({ configHash, generation }) => <Id text={`${configHash.slice(0, SHOWN_HASH)} · ${generation}`} />,
  },
  { id: 'flight', title: t('In flight'), width: '64px', align: 'end', cell: ({ inFlight }) => figure(inFlight) },
  {
    id: 'backlog',
    title: t('To be stored'),
    width: '84px',
    align: 'end',
    cell: ({ unpostedSettlements, usageWaiting }) => figure(unpostedSettlements + usageWaiting),
  },
  {
    id: 'delay',
    title: t('Loop delay'),
    width: '76px',
    align: 'end',
    cell: ({ loopDelayMs }) => <Duration ms={loopDelayMs} />,
  },
  { id: 'limits', title: t('Rate limits'), width: '76px', cell: ({ limitsShared }) => limitsText(limitsShared) },
  {
    id: 'seen',
    title: t('Seen'),
    width: '92px',
    cell: ({ seenAt, self }) => (self ? t('answers now') : <Ago at={seenAt} />),
  },
];

const compact = (node: Node) => (
  <div className={lists['compact']}>
    <span>
      <NodeState node={node} /> <Id text={node.id} />
    </span>
    <span className={lists['second']}>
      {node.version} · {t('In flight')} {figure(node.inFlight)}
    </span>
  </div>
);

export function Nodes() {
  const nodes = useGet('/admin/v1/nodes', {}, { refreshMs: REFRESH_MS });
  const rows = nodes.data?.items ?? [];
  const hashes = new Set(rows.map(({ configHash }) => configHash));
  return (
    <Panel
      title={t('Nodes')}
      actions={
        <CopyAs
          forms={[
            { name: 'curl', text: () => adminCurl('GET', '/admin/v1/nodes') },
            { name: 'trivium', text: () => triviumLine(['nodes', 'list']) },
          ]}
        />
      }
    >
      {nodes.isError && <Problem error={nodes.error} onRetry={() => void nodes.refetch()} />}
      {hashes.size > 1 && <p>{t('The nodes do not all have the same settings: compare them under Configuration.')}</p>}
      <DataTable
        label={t('Nodes')}
        columns={columns()}
        compact={compact}
        rows={rows}
        idOf={({ id }) => id}
        isLoading={nodes.isPending}
        isWhole
      />
    </Panel>
  );
}
