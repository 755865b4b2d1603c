/** The newest requests of a key. */

import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/use-api.ts';
import { wholeList } from '../../api/use-list.ts';
import { msg, t } from '../../i18n/t.ts';
import type { Column } from '../../parts/list/columns.tsx';
import { Compact, List } from '../../parts/list/list.tsx';
import { Panel } from '../../parts/page/page.tsx';
import { LaneTag, Outcome } from '../../parts/values/outcome.tsx';
import { Money, None, Tokens, When } from '../../parts/values/values.tsx';
import { place } from '../../state/search.ts';

type Row = Schemas['RequestRow'];

const SHOWN = '10';
const REFRESH_MS = 30_000;

const RequestLink = ({ id, receivedAt }: Row) => (
  <Link {...place('/requests/$id', { id })}>
    <When at={receivedAt} />
  </Link>
);

const Cost = ({ costUsd, estimated }: Row) => <Money usd={costUsd} isEstimated={estimated} />;

export const LATEST_COLUMNS: readonly Column<Row>[] = [
  { id: 'time', title: msg('Time'), width: '130px', cell: RequestLink },
  { id: 'outcome', title: msg('Outcome'), width: '160px', cell: Outcome },
  {
    id: 'model',
    title: msg('Model'),
    width: 'minmax(140px, 2fr)',
    cell: ({ model, askedModel }) => model ?? askedModel,
  },
  { of: 'provider', as: 'text', title: msg('Provider'), width: 'minmax(90px, 1fr)' },
  { id: 'lane', title: msg('Path'), width: 'minmax(90px, 1fr)', cell: LaneTag },
  {
    id: 'tokens',
    title: msg('Tokens'),
    width: '110px',
    align: 'end',
    cell: ({ inputTokens, outputTokens }) =>
      inputTokens + outputTokens === 0 ? (
        <None />
      ) : (
        <>
          <Tokens count={inputTokens} /> → <Tokens count={outputTokens} />
        </>
      ),
  },
  { id: 'cost', title: msg('Cost'), width: '90px', align: 'end', cell: Cost },
  { of: 'durationMs', as: 'ms', title: msg('Total'), width: '80px' },
];

export function LatestRequests({ account, keyId }: { readonly account: string; readonly keyId: string }) {
  const requests = useGet(
    '/admin/v1/accounts/{account}/requests',
    { path: { account }, query: { key: keyId, limit: SHOWN } },
    { refreshMs: REFRESH_MS },
  );
  return (
    <Panel
      title={t('Latest requests')}
      actions={<Link {...place('/requests', {}, { account, key: keyId, range: '24h' })}>{t('All of them')}</Link>}
    >
      <List
        label={t('Latest requests')}
        list={wholeList(requests)}
        columns={LATEST_COLUMNS}
        compact={(row) => (
          <Compact
            first={<RequestLink {...row} />}
            end={<Outcome {...row} />}
            second={<span>{row.model ?? row.askedModel}</span>}
            secondEnd={<Cost {...row} />}
          />
        )}
        empty={t('No request with this key yet.')}
      />
    </Panel>
  );
}
