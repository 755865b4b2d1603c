/** The settings a node works with, what says each, and how they differ from the file or from another node. */

import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/use-api.ts';
import { wholeList } from '../../api/use-list.ts';
import { formatCount } from '../../format/numbers.ts';
import { triviumLine } from '../../format/shell.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import { CopyAs, readForms } from '../../parts/base/copy.tsx';
import { SearchSelect } from '../../parts/form/fields.tsx';
import { controlClass } from '../../parts/form/form.tsx';
import type { Column } from '../../parts/list/columns.tsx';
import { Compact, List, type ListProps } from '../../parts/list/list.tsx';
import lists from '../../parts/list/lists.module.css';
import { Panel } from '../../parts/page/page.tsx';
import { Id, None, Tag } from '../../parts/values/values.tsx';
import { useSearchParams, useSetSearch } from '../../state/search.ts';
import { matching, valueText } from './matching.ts';

type Setting = Schemas['Setting'];
type Change = Schemas['SettingChange'];

/** Rows shown at most; the search finds the rest. */
const MAX_ROWS = 1000;

export const RowsLeftOut = ({ count }: { readonly count: number }) =>
  count <= MAX_ROWS ? null : (
    <p className={lists['second']}>
      {t('The first {shown} of {count} rows are shown. The commands of “Copy as” list all.', {
        shown: formatCount(MAX_ROWS, locale()),
        count: formatCount(count, locale()),
      })}
    </p>
  );

const SOURCES: Readonly<Record<Setting['source'], string>> = {
  file: msg('file'),
  environment: msg('environment'),
  database: msg('database'),
  default: msg('default'),
};

const Value = ({ value }: { readonly value: unknown }) => (value === null ? <None /> : <Id text={valueText(value)} />);

const SETTING_COLUMNS: readonly Column<Setting>[] = [
  { of: 'path', as: 'id', title: msg('Setting'), width: 'minmax(200px, 1.5fr)' },
  { id: 'value', title: msg('Value'), width: 'minmax(200px, 2fr)', cell: Value },
  { of: 'source', as: SOURCES, title: msg('Source'), width: '110px' },
  {
    id: 'place',
    title: msg('Where'),
    width: 'minmax(140px, 1fr)',
    cell: ({ source, place }) =>
      source === 'default' ? <None /> : <span title={place ?? ''}>{place ?? t(SOURCES[source])}</span>,
  },
];

const CHANGE_COLUMNS: readonly Column<Change>[] = [
  { of: 'path', as: 'id', title: msg('Setting'), width: 'minmax(200px, 1.5fr)' },
  { id: 'from', title: msg('Runs with'), width: 'minmax(160px, 1fr)', cell: ({ from }) => <Value value={from} /> },
  { id: 'to', title: msg('Other side'), width: 'minmax(160px, 1fr)', cell: ({ to }) => <Value value={to} /> },
  {
    id: 'effect',
    title: msg('Takes'),
    width: '96px',
    cell: ({ needsRestart }) => (needsRestart ? <Tag kind="warn" text={t('restart')} /> : <Tag text={t('reload')} />),
  },
];

type SettingsProps<T> = Pick<ListProps<T>, 'label' | 'list' | 'columns' | 'empty'> & {
  /** The second line of a row on a phone. */
  readonly second: (row: T) => string;
};

/** Rows known by the path of a setting. */
const Settings = <T extends { readonly path: string }>({ list, second, ...props }: SettingsProps<T>) => (
  <>
    <List
      {...props}
      list={{ ...list, rows: list.rows.slice(0, MAX_ROWS) }}
      idOf={({ path }) => path}
      compact={(row) => <Compact first={<Id text={row.path} />} second={second(row)} />}
    />
    <RowsLeftOut count={list.rows.length} />
  </>
);

export function Configuration() {
  const { node, against, q = '', show } = useSearchParams();
  const setSearch = useSetSearch();
  const nodes = useGet('/admin/v1/nodes', {});
  const query = node === undefined ? {} : { node };
  const list = wholeList(useGet('/admin/v1/config', { query }));
  const others = (nodes.data?.items ?? []).map(({ id }) => [id, id] as const);
  return (
    <>
      <div className={lists['tools']}>
        <SearchSelect id="node" label={t('Node')} choices={[['', t('the node that answers')], ...others]} />
        <SearchSelect id="against" label={t('Compare with')} choices={[['', t('its file, as it is now')], ...others]} />
      </div>
      <Differences node={node} against={against} />
      <Panel
        title={t('Settings in force')}
        actions={
          <CopyAs
            forms={readForms(
              `/admin/v1/config?${new URLSearchParams(query)}`,
              triviumLine(['config', 'show'], [['node', node]]),
            )}
          />
        }
      >
        <div className={lists['tools']}>
          <input
            type="search"
            className={controlClass}
            aria-label={t('Search settings')}
            placeholder={t('Search settings')}
            value={q}
            onChange={({ target }) => setSearch({ q: target.value === '' ? undefined : target.value })}
          />
          <SearchSelect
            id="show"
            label={t('Source')}
            choices={[
              ['set', t('without defaults')],
              ['all', t('with defaults')],
            ]}
          />
        </div>
        <Settings
          label={t('Settings in force')}
          columns={SETTING_COLUMNS}
          list={{ ...list, rows: matching(list.rows, q, show === 'all') }}
          second={({ value, source }) => `${valueText(value)} · ${t(SOURCES[source])}`}
          empty={t('No setting matches.')}
        />
      </Panel>
    </>
  );
}

type Sides = { readonly node: string | undefined; readonly against: string | undefined };

function Differences({ node, against }: Sides) {
  const query = { ...(node !== undefined && { node }), ...(against !== undefined && { against }) };
  const diff = useGet('/admin/v1/config/diff', { query });
  const problems = diff.data?.problems ?? [];
  return (
    <Panel
      title={t('Differences')}
      actions={
        <CopyAs
          forms={readForms(
            `/admin/v1/config/diff?${new URLSearchParams(query)}`,
            triviumLine(['config', 'diff'], [['running', true], ...Object.entries({ node, against })]),
          )}
        />
      }
    >
      {problems.map(({ place, path, message }) => (
        <p key={`${place} ${path}`} className={lists['problem']}>
          {[place, path, message].filter((part) => part !== '').join(': ')}
        </p>
      ))}
      {problems.length === 0 && (
        <Settings
          label={t('Differences')}
          columns={CHANGE_COLUMNS}
          list={wholeList(diff)}
          second={({ from, to }) => `${valueText(from)} → ${valueText(to)}`}
          empty={t('Both sides are the same.')}
        />
      )}
    </Panel>
  );
}
