/** The calls of a conversation in a row, in their order, with what they cost together. */

import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { callScoped, type Schemas } from '../../api/client.ts';
import { wholeList } from '../../api/use-list.ts';
import { sumUsd } from '../../format/money-sum.ts';
import { msg, t } from '../../i18n/t.ts';
import type { Column } from '../../parts/list/columns.tsx';
import { Compact, List } from '../../parts/list/list.tsx';
import { Panel } from '../../parts/page/page.tsx';
import { Outcome } from '../../parts/values/outcome.tsx';
import { Duration, Money, Tokens } from '../../parts/values/values.tsx';
import { place } from '../../state/search.ts';
import { useMe } from '../../state/session.ts';
import { LATEST_COLUMNS } from '../keys/latest-requests.tsx';
import { Only } from './head.tsx';
import styles from './request.module.css';

type Row = Schemas['RequestRow'];
type Numbered = Row & { readonly order: number };

const MAX_SHOWN = 200;
/** Conversations go on for days; those that had the same name a month before are others. */
const AROUND_MS = 15 * 86_400_000;

const COLUMNS: readonly Column<Numbered>[] = [
  { of: 'order', as: 'count', title: msg('No.'), width: '44px' },
  ...(LATEST_COLUMNS as readonly Column<Numbered>[]),
];

type ConversationProps = {
  readonly request: Pick<Row, 'id' | 'receivedAt'>;
  readonly conversation: string;
};

export function Conversation({ request, conversation }: ConversationProps) {
  const { accountId } = useMe();
  const navigate = useNavigate();
  const atMs = Date.parse(request.receivedAt);
  const [from, until] = [atMs - AROUND_MS, atMs + AROUND_MS].map((ms) => new Date(ms).toISOString());
  const query = { conversation, from, until, order: 'oldest', limit: String(MAX_SHOWN) };
  const calls = useQuery({
    queryKey: ['/admin/v1/requests', 'conversation', accountId, conversation, from],
    queryFn: async ({ signal }) => {
      const { items, next } = await callScoped('get', 'requests', accountId, { query }, signal);
      return { items: items.map((row, at) => ({ ...row, order: at + 1 })), next };
    },
  });
  const rows = calls.data?.items ?? [];
  const all = { requests: rows.length };
  return (
    <Panel
      title={t('Calls of this conversation')}
      actions={<Only request={request} name="conversation" value={conversation} text={t('In the list of requests')} />}
    >
      {rows.length > 0 && (
        <p className={styles['muted']}>
          {calls.data?.next === null
            ? t('{requests, plural, one {# call} other {# calls}}', all)
            : t('The first {requests, plural, one {# call} other {# calls}}', all)}
          {' · '}
          <Money usd={sumUsd(rows.map(({ costUsd }) => costUsd ?? '0'))} />
          {' · '}
          <Tokens count={rows.reduce((sum, row) => sum + row.inputTokens, 0)} /> →{' '}
          <Tokens count={rows.reduce((sum, row) => sum + row.outputTokens, 0)} />
        </p>
      )}
      <List
        label={t('Calls of this conversation')}
        list={wholeList(calls)}
        columns={COLUMNS}
        currentId={request.id}
        compact={(row) => (
          <Compact
            first={
              <>
                {row.order}. <Outcome {...row} />
              </>
            }
            end={<Money usd={row.costUsd} isEstimated={row.estimated} />}
            second={row.model ?? row.askedModel}
            secondEnd={<Duration ms={row.durationMs} />}
          />
        )}
        onOpen={({ id }) => void navigate(place('/requests/$id', { id }, { tab: 'conversation' }))}
      />
    </Panel>
  );
}
