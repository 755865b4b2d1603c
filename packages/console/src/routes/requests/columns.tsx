import { Link } from '@tanstack/react-router';
import { formatDuration } from '../../format/numbers.ts';
import { locale, t } from '../../i18n/t.ts';
import type { Column } from '../../parts/list/data-table.tsx';
import { LaneTag, Outcome } from '../../parts/values/outcome.tsx';
import { Duration, Id, Money, None, Tag, Tokens, When } from '../../parts/values/values.tsx';
import { useListState } from '../../state/search.ts';
import styles from './requests.module.css';
import type { Row } from './source.ts';

/** Names of keys by id: rows of the live stream have only the id. */
export type KeyNames = ReadonlyMap<string, string>;

const text = (value: string | null) => (value === null ? <None /> : <span title={value}>{value}</span>);

const RequestLink = ({ row: { id, receivedAt } }: { readonly row: Row }) => (
  <Link to="/requests/$id" params={{ id } as never} state={useListState()} className={styles['time']}>
    <When at={receivedAt} />
  </Link>
);

export const requestColumns = (keyNames: KeyNames): readonly Column<Row>[] => [
  {
    id: 'time',
    title: t('Time'),
    width: 'minmax(90px, max-content)',
    cell: (row) => <RequestLink row={row} />,
  },
  {
    id: 'outcome',
    title: t('Outcome'),
    width: 'minmax(104px, 1.5fr)',
    cell: (row) => (
      <>
        <Outcome {...row} />
        {row.attempts > 1 && <span className={styles['note']}> {t('{n} tries', { n: row.attempts })}</span>}
      </>
    ),
  },
  {
    id: 'model',
    title: t('Model'),
    width: 'minmax(150px, 1.9fr)',
    cell: ({ model, askedModel }) => text(model ?? askedModel),
  },
  { id: 'provider', title: t('Provider'), width: 'minmax(80px, 0.8fr)', cell: ({ provider }) => text(provider) },
  {
    id: 'path',
    title: t('Path'),
    width: 'minmax(126px, 1.4fr)',
    cell: (row) => <LaneTag lane={row.lane} losses={row.losses} />,
  },
  {
    id: 'tokens',
    title: t('Tokens'),
    width: '84px',
    align: 'end',
    cell: ({ inputTokens, outputTokens }) =>
      inputTokens + outputTokens === 0 ? (
        <None />
      ) : (
        <>
          <Tokens count={inputTokens} />
          <span className={styles['note']}> › </span>
          <Tokens count={outputTokens} />
        </>
      ),
  },
  {
    id: 'cost',
    title: t('Cost'),
    width: 'minmax(84px, 92px)',
    align: 'end',
    cell: ({ costUsd, estimated }) => <Money usd={costUsd} isEstimated={estimated} />,
  },
  {
    id: 'first',
    title: t('First token'),
    width: 'minmax(68px, 88px)',
    align: 'end',
    cell: ({ firstTokenMs }) => <Duration ms={firstTokenMs} />,
  },
  {
    id: 'total',
    title: t('Total'),
    width: '68px',
    align: 'end',
    cell: ({ durationMs }) => <Duration ms={durationMs} />,
  },
  {
    id: 'key',
    title: t('Key'),
    width: 'minmax(64px, 0.8fr)',
    cell: ({ keyId, keyName }) => text(keyName ?? (keyId === null ? null : (keyNames.get(keyId) ?? keyId))),
  },
  { id: 'account', title: t('Account'), width: 'minmax(90px, 0.8fr)', cell: ({ accountId }) => text(accountId) },
  { id: 'asked', title: t('Asked model'), width: 'minmax(140px, 1fr)', cell: ({ askedModel }) => text(askedModel) },
  { id: 'protocol', title: t('Protocol'), width: '90px', cell: ({ protocol }) => text(protocol) },
  { id: 'operation', title: t('Operation'), width: '80px', cell: ({ operation }) => text(operation) },
  { id: 'stream', title: t('Stream'), width: '64px', cell: ({ stream }) => (stream ? t('yes') : t('no')) },
  {
    id: 'cached',
    title: t('Cache reads'),
    width: '90px',
    align: 'end',
    cell: ({ cachedTokens }) => <Tokens count={cachedTokens} />,
  },
  { id: 'member', title: t('Member'), width: 'minmax(100px, 0.8fr)', cell: ({ memberId }) => text(memberId) },
  { id: 'id', title: t('Request id'), width: '230px', cell: ({ id }) => <Id text={id} /> },
];

export const DEFAULT_COLUMNS = [
  'time',
  'outcome',
  'model',
  'provider',
  'path',
  'tokens',
  'cost',
  'first',
  'total',
  'key',
];

/** Two lines on a phone. */
export const compactRow = (row: Row) => (
  <div className={styles['compact']}>
    <div>
      <Outcome {...row} />
      <span className={styles['grow']}>{row.model ?? row.askedModel ?? '–'}</span>
      <Money usd={row.costUsd} isEstimated={row.estimated} />
    </div>
    <div className={styles['note']}>
      <When at={row.receivedAt} />
      <span className={styles['grow']}>{row.provider ?? ''}</span>
      {row.losses > 0 && (
        <Tag kind="warn" text={t('{losses, plural, one {# loss} other {# losses}}', { losses: row.losses })} />
      )}
      <span>{formatDuration(row.durationMs, locale())}</span>
    </div>
  </div>
);
