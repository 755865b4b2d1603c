/** The settings a node works with, what says each, and how they differ from the file or from another node. */
import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/use-api.ts';
import { formatCount } from '../../format/numbers.ts';
import { type CliOption, triviumLine } from '../../format/shell.ts';
import { locale, t } from '../../i18n/t.ts';
import { adminCurl, CopyAs } from '../../parts/base/copy.tsx';
import { EmptyState } from '../../parts/base/empty-state.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { controlClass } from '../../parts/form/field.tsx';
import { SearchSelect } from '../../parts/form/select.tsx';
import { type Column, DataTable } from '../../parts/list/data-table.tsx';
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

const sourceNames = (): Readonly<Record<Setting['source'], string>> => ({
  file: t('file'),
  environment: t('environment'),
  database: t('database'),
  default: t('default'),
});

const Value = ({ value }: { readonly value: unknown }) => (value === null ? <None /> : <Id text={valueText(value)} />);

const Where = ({ source, place }: Setting) =>
  source === 'default' ? <None /> : <span title={place ?? ''}>{place ?? sourceNames()[source]}</span>;

const settingColumns = (): readonly Column<Setting>[] => [
  { id: 'path', title: t('Setting'), width: 'minmax(200px, 1.5fr)', cell: ({ path }) => <Id text={path} /> },
  { id: 'value', title: t('Value'), width: 'minmax(200px, 2fr)', cell: ({ value }) => <Value value={value} /> },
  { id: 'source', title: t('Source'), width: '110px', cell: ({ source }) => sourceNames()[source] },
  { id: 'place', title: t('Where'), width: 'minmax(140px, 1fr)', cell: (setting) => <Where {...setting} /> },
];

const compactSetting = ({ path, value, source }: Setting) => (
  <div className={lists['compact']}>
    <span>
      <Id text={path} />
    </span>
    <span className={lists['second']}>
      {valueText(value)} · {sourceNames()[source]}
    </span>
  </div>
);

const Effect = ({ needsRestart }: Change) =>
  needsRestart ? <Tag kind="warn" text={t('restart')} /> : <Tag text={t('reload')} />;

const changeColumns = (): readonly Column<Change>[] => [
  { id: 'path', title: t('Setting'), width: 'minmax(200px, 1.5fr)', cell: ({ path }) => <Id text={path} /> },
  { id: 'from', title: t('Runs with'), width: 'minmax(160px, 1fr)', cell: ({ from }) => <Value value={from} /> },
  { id: 'to', title: t('Other side'), width: 'minmax(160px, 1fr)', cell: ({ to }) => <Value value={to} /> },
  { id: 'effect', title: t('Takes'), width: '96px', cell: (change) => <Effect {...change} /> },
];

const compactChange = ({ path, from, to }: Change) => (
  <div className={lists['compact']}>
    <span>
      <Id text={path} />
    </span>
    <span className={lists['second']}>
      {valueText(from)} → {valueText(to)}
    </span>
  </div>
);

export function Configuration() {
  const { node, against, q = '', show } = useSearchParams();
  const setSearch = useSetSearch();
  const nodes = useGet('/admin/v1/nodes', {});
  const query = node === undefined ? {} : { node };
  const configuration = useGet('/admin/v1/config', { query });
  const rows = matching(configuration.data?.items ?? [], q, show === 'all');
  const others = (nodes.data?.items ?? []).map(({ id }) => [id, id] as const);
  const options: readonly CliOption[] = [['node', node]];
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
            forms={[
              { name: 'curl', text: () => adminCurl('GET', `/admin/v1/config?${new URLSearchParams(query)}`) },
              { name: 'trivium', text: () => triviumLine(['config', 'show'], options) },
            ]}
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
        {configuration.isError && <Problem error={configuration.error} onRetry={() => void configuration.refetch()} />}
        <DataTable
          label={t('Settings in force')}
          columns={settingColumns()}
          compact={compactSetting}
          rows={rows.slice(0, MAX_ROWS)}
          idOf={({ path }) => path}
          isLoading={configuration.isPending}
          isWhole
          empty={!configuration.isError && <EmptyState title={t('No setting matches.')} />}
        />
        <RowsLeftOut count={rows.length} />
      </Panel>
    </>
  );
}

type Sides = { readonly node: string | undefined; readonly against: string | undefined };

function Differences({ node, against }: Sides) {
  const query = { ...(node !== undefined && { node }), ...(against !== undefined && { against }) };
  const diff = useGet('/admin/v1/config/diff', { query });
  const options: readonly CliOption[] = [
    ['running', true],
    ['node', node],
    ['against', against],
  ];
  const problems = diff.data?.problems ?? [];
  const rows = diff.data?.items ?? [];
  return (
    <Panel
      title={t('Differences')}
      actions={
        <CopyAs
          forms={[
            { name: 'curl', text: () => adminCurl('GET', `/admin/v1/config/diff?${new URLSearchParams(query)}`) },
            { name: 'trivium', text: () => triviumLine(['config', 'diff'], options) },
          ]}
        />
      }
    >
      {diff.isError && <Problem error={diff.error} onRetry={() => void diff.refetch()} />}
      {problems.map(({ place, path, message }) => (
        <p key={`${place} ${path}`} className={lists['problem']}>
          {[place, path, message].filter((part) => part !== '').join(': ')}
        </p>
      ))}
      {problems.length === 0 && !diff.isError && (
        <>
          <DataTable
            label={t('Differences')}
            columns={changeColumns()}
            compact={compactChange}
            rows={rows.slice(0, MAX_ROWS)}
            idOf={({ path }) => path}
            isLoading={diff.isPending}
            isWhole
            empty={<EmptyState title={t('Both sides are the same.')} />}
          />
          <RowsLeftOut count={rows.length} />
        </>
      )}
    </Panel>
  );
}
