/** Routing policies: whose requests, which of them, and what holds for them. */

import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useGet } from '../api/use-api.ts';
import { wholeList } from '../api/use-list.ts';
import { triviumLine } from '../format/shell.ts';
import { msg, t, translated } from '../i18n/t.ts';
import type { Column } from '../parts/list/columns.tsx';
import type { FilterField } from '../parts/list/filter-bar.tsx';
import { Compact } from '../parts/list/list.tsx';
import { ListPage } from '../parts/list/list-page.tsx';
import { Ago, None, Tag } from '../parts/values/values.tsx';
import { place, useSearchParams, useSetSearch } from '../state/search.ts';
import { CanaryTag } from './policies/canary-state.tsx';
import { EditPolicy } from './policies/edit-policy.tsx';
import styles from './policies/policies.module.css';
import { matchInWords, type PolicyVersion, SOURCE_NAMES, saidInShort, scopeInWords } from './policies/words.ts';

type Row = PolicyVersion & {
  readonly id: string;
  readonly scope: string;
  readonly match: string;
  readonly said: string;
};

const rowOf = (version: PolicyVersion): Row => ({
  ...version,
  id: version.name,
  scope: scopeInWords(version.policy?.scope),
  match: matchInWords(version.policy?.match),
  said: version.policy === null ? '' : saidInShort(version.policy),
});

const PolicyLink = ({ name }: Row) => (
  <Link {...place('/policies/$name', { name })} title={name}>
    {name}
  </Link>
);

const COLUMNS: readonly Column<Row>[] = [
  { id: 'name', title: msg('Name'), width: 'minmax(110px, 1.3fr)', cell: PolicyLink },
  { of: 'scope', as: 'text', title: msg('Scope'), width: 'minmax(100px, 1.2fr)' },
  { of: 'match', as: 'text', title: msg('Matches'), width: 'minmax(90px, 1.2fr)' },
  {
    id: 'said',
    title: msg('Says'),
    width: 'minmax(160px, 3fr)',
    cell: ({ said, canary }) => (
      <span className={styles['clipped']} title={said}>
        {canary?.state === 'stepped-back' && <CanaryTag canary={canary} />} {said}
      </span>
    ),
  },
  {
    id: 'source',
    title: msg('Source, version'),
    width: '120px',
    cell: ({ source, version }) =>
      source === 'file' ? t(SOURCE_NAMES.file) : `${t(SOURCE_NAMES.database)}, ${version}`,
  },
  {
    id: 'saved',
    title: msg('Saved'),
    width: 'minmax(136px, 0.8fr)',
    cell: ({ createdAt, createdBy }) =>
      createdAt === null ? (
        <None />
      ) : (
        <>
          <Ago at={createdAt} /> · <bdi title={createdBy ?? ''}>{createdBy}</bdi>
        </>
      ),
  },
];

const FIELDS: readonly FilterField[] = [{ id: 'q', label: msg('Word in a policy') }];

/** The API gives all of them at once, so that a search in what is loaded finds all. */
const isFound = (row: Row, q: string): boolean =>
  [row.name, row.scope, row.match, row.said].some((text) => text.toLowerCase().includes(q.toLowerCase()));

export function Page() {
  const navigate = useNavigate();
  const setSearch = useSetSearch();
  const { q = '', source = 'all', create } = useSearchParams();
  const list = wholeList(useGet('/admin/v1/policies', {}));
  const all = useMemo(() => list.rows.map(rowOf), [list.rows]);
  const rows = all.filter((row) => isFound(row, q) && (source === 'all' || row.source === source));
  const open = (name: string): void => void navigate(place('/policies/$name', { name }));
  return (
    <ListPage
      title={t('Policies')}
      list={{ ...list, rows }}
      columns={COLUMNS}
      compact={(row) => (
        <Compact
          first={<PolicyLink {...row} />}
          end={row.source === 'file' ? <Tag text={t(SOURCE_NAMES.file)} /> : <Ago at={row.createdAt} />}
          second={<span className={styles['clipped']}>{`${row.scope} · ${row.said}`}</span>}
        />
      )}
      onOpen={({ name }) => open(name)}
      fields={FIELDS}
      placeholder={t('Search by name, account, model or provider')}
      selects={[
        {
          id: 'source',
          label: t('Source'),
          choices: [['all', t('all sources')], ...Object.entries(translated(SOURCE_NAMES))],
        },
      ]}
      path="/admin/v1/policies"
      cli={triviumLine(['policies', 'list'])}
      mayCreate
      none={t(
        'No policy yet. A policy sets providers, regions, fallbacks and limits for requests, without anything callers send.',
      )}
      noMatch={t('No policy matches these filters.')}
    >
      {create === 'yes' && (
        <EditPolicy onClose={() => setSearch({ create: undefined })} onSaved={({ name }) => open(name)} />
      )}
    </ListPage>
  );
}
