/** Every process that serves, as each last reported itself. */

import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/use-api.ts';
import { wholeList } from '../../api/use-list.ts';
import { formatCount } from '../../format/numbers.ts';
import { triviumLine } from '../../format/shell.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import { CopyAs, readForms } from '../../parts/base/copy.tsx';
import type { Column } from '../../parts/list/columns.tsx';
import { Compact, List } from '../../parts/list/list.tsx';
import { Panel } from '../../parts/page/page.tsx';
import { Ago, Id, Tag } from '../../parts/values/values.tsx';

type Node = Schemas['Node'];

const REFRESH_MS = 5000;
/** Enough characters to tell two apart. */
const SHOWN_HASH = 8;

const NodeState = ({ unready }: Node) =>
  unready === null ? (
    <Tag kind="ok" text={t('ready')} />
  ) : (
    <span title={unready}>
      <Tag kind="bad" text={t('not ready')} />
    </span>
  );

const COLUMNS: readonly Column<Node>[] = [
  { of: 'id', as: 'id', title: msg('Node'), width: 'minmax(130px, 2fr)' },
  { id: 'state', title: msg('State'), width: '84px', cell: NodeState },
  { of: 'version', as: 'text', title: msg('Version'), width: '60px' },
  { of: 'startedAt', as: 'ago', title: msg('Started'), width: '92px' },
  {
    id: 'listener',
    title: msg('Listens at'),
    width: 'minmax(130px, 1fr)',
    cell: ({ listeners }) => listeners.data.replace('http://', ''),
  },
  {
    id: 'config',
    title: msg('Configuration'),
    width: '110px',
    cell: ({ configHash, generation }) => <Id text={`${configHash.slice(0, SHOWN_HASH)} · ${generation}`} />,
  },
  { of: 'inFlight', as: 'count', title: msg('In flight'), width: '64px' },
  {
    id: 'backlog',
    title: msg('Unposted charges'),
    width: '84px',
    align: 'end',
    cell: ({ unpostedSettlements, usageWaiting }) => formatCount(unpostedSettlements + usageWaiting, locale()),
  },
  { of: 'loopDelayMs', as: 'ms', title: msg('Loop delay'), width: '76px' },
  {
    id: 'limits',
    title: msg('Rate limits'),
    width: '76px',
    /** Whether they are counted together with the other nodes. */
    cell: ({ limitsShared }) => (limitsShared === null ? t('not shared') : limitsShared ? t('shared') : t('apart')),
  },
  {
    id: 'seen',
    title: msg('Seen'),
    width: '92px',
    cell: ({ seenAt, self }) => (self ? t('this node') : <Ago at={seenAt} />),
  },
];

export function Nodes() {
  const list = wholeList(useGet('/admin/v1/nodes', {}, { refreshMs: REFRESH_MS }));
  const hashes = new Set(list.rows.map(({ configHash }) => configHash));
  return (
    <Panel title={t('Nodes')} actions={<CopyAs forms={readForms('/admin/v1/nodes', triviumLine(['nodes', 'list']))} />}>
      {hashes.size > 1 && <p>{t('The nodes do not all have the same settings: compare them under Configuration.')}</p>}
      <List
        label={t('Nodes')}
        list={list}
        columns={COLUMNS}
        compact={(node) => (
          <Compact
            first={
              <>
                <NodeState {...node} /> <Id text={node.id} />
              </>
            }
            second={
              <>
                {node.version} · {t('In flight')} {formatCount(node.inFlight, locale())}
              </>
            }
          />
        )}
      />
    </Panel>
  );
}
