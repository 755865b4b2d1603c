/** Requests in their list: all the columns there are, and those shown from the start. */

import { Link } from '@tanstack/react-router';
import { formatDuration } from '../../format/numbers.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import type { Column } from '../../parts/list/columns.tsx';
import { LaneTag, Outcome } from '../../parts/values/outcome.tsx';
import { Money, None, Tag, Text, Tokens, When } from '../../parts/values/values.tsx';
import { place, useListState } from '../../state/search.ts';
import styles from './requests.module.css';
import type { Row } from './source.ts';

/** Names of keys by id: rows of the live stream have only the id. */
export type KeyNames = ReadonlyMap<string, string>;

const RequestLink = ({ id, receivedAt }: Row) => (
  <Link {...place('/requests/$id', { id })} state={useListState()} className={styles['time']}>
    <When at={receivedAt} />
  </Link>
);

export const requestColumns = (keyNames: KeyNames): readonly (Column<Row> & { readonly id: string })[] => [
  { id: 'time', title: msg('Time'), width: 'minmax(90px, max-content)', cell: (row) => <RequestLink {...row} /> },
  {
    id: 'outcome',
    title: msg('Outcome'),
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
    title: msg('Model'),
    width: 'minmax(150px, 1.9fr)',
    cell: ({ model, askedModel }) => <Text text={model ?? askedModel} />,
  },
  { id: 'provider', of: 'provider', as: 'text', title: msg('Provider'), width: 'minmax(80px, 0.8fr)' },
  { id: 'path', title: msg('Path'), width: 'minmax(126px, 1.4fr)', cell: LaneTag },
  {
    id: 'tokens',
    title: msg('Tokens'),
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
    title: msg('Cost'),
    width: 'minmax(84px, 92px)',
    align: 'end',
    cell: ({ costUsd, estimated }) => <Money usd={costUsd} isEstimated={estimated} />,
  },
  { id: 'first', of: 'firstTokenMs', as: 'ms', title: msg('First token'), width: 'minmax(68px, 88px)' },
  { id: 'total', of: 'durationMs', as: 'ms', title: msg('Total'), width: '68px' },
  {
    id: 'key',
    title: msg('Key'),
    width: 'minmax(64px, 0.8fr)',
    cell: ({ keyId, keyName }) => <Text text={keyName ?? (keyId === null ? null : (keyNames.get(keyId) ?? keyId))} />,
  },
  { id: 'account', of: 'accountId', as: 'text', title: msg('Account'), width: 'minmax(90px, 0.8fr)' },
  { id: 'asked', of: 'askedModel', as: 'text', title: msg('Asked model'), width: 'minmax(140px, 1fr)' },
  { id: 'protocol', of: 'protocol', as: 'text', title: msg('Protocol'), width: '90px' },
  { id: 'operation', of: 'operation', as: 'text', title: msg('Operation'), width: '80px' },
  { id: 'stream', of: 'stream', as: 'flag', title: msg('Stream'), width: '64px' },
  { id: 'cached', of: 'cachedTokens', as: 'tokens', title: msg('Cache reads'), width: '90px' },
  { id: 'member', of: 'memberId', as: 'text', title: msg('Member'), width: 'minmax(100px, 0.8fr)' },
  { id: 'id', of: 'id', as: 'id', title: msg('Request id'), width: '230px' },
];

/** By id. */
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
