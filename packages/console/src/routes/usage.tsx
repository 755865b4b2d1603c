/** Spend, requests, tokens, errors and times, by any dimension, over time and beside the period before. */

import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { useGet } from '../api/use-api.ts';
import { compareUsd, shareOfUsd } from '../format/money.ts';
import { formatShare } from '../format/numbers.ts';
import { rangeText } from '../format/range.ts';
import type { Search } from '../format/search.ts';
import { askedBy, errorShareOf, groupOf, idOf, labelOf, type SpendRow } from '../format/spend-row.ts';
import { zoneName } from '../format/when.ts';
import { locale, msg, t, translated } from '../i18n/t.ts';
import { buttonClass } from '../parts/base/button.tsx';
import { CopyAs, readForms } from '../parts/base/copy.tsx';
import { EmptyState, Problem, Skeleton } from '../parts/base/states.tsx';
import { Chart } from '../parts/figures/chart.tsx';
import { type Options, Select } from '../parts/form/fields.tsx';
import { controlClass } from '../parts/form/form.tsx';
import type { Column } from '../parts/list/columns.tsx';
import { DataTable } from '../parts/list/data-table.tsx';
import { FilterBar, useFilters } from '../parts/list/filter-bar.tsx';
import { Compact } from '../parts/list/list.tsx';
import styles from '../parts/list/lists.module.css';
import { RangePicker, Widen } from '../parts/list/range-picker.tsx';
import { PageFrame } from '../parts/page/page.tsx';
import { Duration, Money, Share, Text, Tokens } from '../parts/values/values.tsx';
import { usePreferences } from '../state/preferences.ts';
import { place, useAccount, useRange, useSameAccount, useSearchParams, useSetSearch } from '../state/search.ts';
import { hasRole, useMe } from '../state/session.ts';
import { REQUEST_FIELDS } from './requests/fields.ts';
import { DIMENSION_NAMES, type Dimension, type Measure, measures, sumOf } from './usage/measures.ts';
import { timelineOf } from './usage/series.ts';
import usageStyles from './usage/usage.module.css';
import { SavedViews } from './views/saved-views.tsx';

const FALLBACK = '30d';
/** Those of requests that usage is summed up by. */
const FIELDS = REQUEST_FIELDS.filter(({ id }) => ['model', 'provider', 'key', 'member', 'protocol'].includes(id)).map(
  // One value each: sums have no patterns.
  ({ example, ...field }) => field,
);
const DAY_MS = 86_400_000;

export function Page() {
  const isOperator = hasRole(useMe(), 'operator');
  const account = useAccount();
  const kept = useSameAccount();
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const { zone } = usePreferences();
  const { range, boundsAt } = useRange(FALLBACK);
  const all = useMemo(measures, []);
  const measure = all.find(({ id }) => id === search['measure']) ?? (all[0] as Measure);
  const by = search['by'] ?? 'model';
  const then = search['then'] === by ? undefined : search['then'];
  const filters = useFilters(FIELDS);
  const { fromMs, untilMs } = boundsAt(Date.now());
  const bucket =
    (['hour', 'day', 'month'] as const).find((each) => each === search['bucket']) ??
    (untilMs - fromMs <= 2 * DAY_MS ? 'hour' : untilMs - fromMs <= 120 * DAY_MS ? 'day' : 'month');
  const isCompared = search['compare'] !== 'off';

  const span = (from: number, until: number, groups: string) => ({
    ...filters,
    from: new Date(from).toISOString(),
    until: new Date(until).toISOString(),
    tz: zoneName(zone),
    by: groups,
    account,
  });
  const groups = [...new Set([...askedBy(by, account).split(','), ...(then === undefined ? [] : [then])])].join(',');
  const labelsOf = (row: SpendRow): readonly string[] =>
    [labelOf(row, by), then === undefined ? '' : labelOf(row, then)].filter(Boolean);
  const keyOf = (row: SpendRow): string =>
    then === undefined ? groupOf(row, by) : `${groupOf(row, by)}\n${groupOf(row, then)}`;
  const latency = measure.isTime ? 'true' : undefined;
  const now = span(fromMs, untilMs, groups);
  const over = useGet('/admin/v1/usage', { query: { ...now, by: askedBy(by, account), bucket, latency } });
  const sums = useGet('/admin/v1/usage', { query: { ...now, latency: 'true' } });
  const before = useGet(
    '/admin/v1/usage',
    { query: span(fromMs - (untilMs - fromMs), fromMs, groups) },
    { enabled: isCompared },
  );

  const rows = useMemo(
    () => [...(sums.data?.items ?? [])].sort((a, b) => compareUsd(b.costUsd, a.costUsd) || b.recorded - a.recorded),
    [sums.data],
  );
  const order = useMemo(() => {
    const costs = new Map<string, number>();
    for (const row of rows) costs.set(groupOf(row, by), (costs.get(groupOf(row, by)) ?? 0) + Number(row.costUsd));
    return [...costs].sort(([, one], [, other]) => other - one).map(([group]) => group);
  }, [rows, by]);
  const { times, series } = useMemo(() => {
    return timelineOf(over.data?.items ?? [], by, order, measure, { none: t('none'), others: t('others') });
  }, [over.data, by, order, measure]);
  const bounds = useMemo(() => ({ fromMs, untilMs }), [fromMs, untilMs]);
  const sum = useMemo(() => sumOf(rows), [rows]);
  const total = sum.costUsd;
  const earlier = new Map(before.data?.items.map((row) => [keyOf(row), row]));
  const days = [fromMs, untilMs - 1].map((ms) => new Date(ms).toISOString().slice(0, 10));
  const query = new URLSearchParams(
    Object.entries({ ...now, bucket }).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  const dimensions = Object.entries(translated(DIMENSION_NAMES)).filter(([id]) => isOperator || id !== 'account');
  const problem = sums.error ?? over.error;
  return (
    <PageFrame
      title={t('Usage')}
      actions={
        <>
          <RangePicker fallback={FALLBACK} />
          <SavedViews page="usage" />
          <a
            className={buttonClass()}
            href={`/admin/v1/usage.csv?${query}`}
            download={`usage-${groups.replaceAll(',', '-')}-${days.join('_')}.csv`}
          >
            <Download size={14} />
            CSV
          </a>
          <CopyAs forms={readForms(`/admin/v1/usage?${query}`)} />
        </>
      }
    >
      <search className={styles['tools']}>
        <Pick id="measure" label={t('Measure')} value={measure.id} options={all.map(({ id, name }) => [id, name])} />
        <Pick
          id="by"
          label={t('By')}
          value={by}
          options={by.startsWith('tag:') ? [...dimensions, [by, by]] : dimensions}
        />
        <Pick
          id="then"
          label={t('Then by')}
          value={then ?? ''}
          options={[['', t('Nothing')], ...dimensions.filter(([id]) => id !== by)]}
        />
        <Pick
          id="bucket"
          label={t('Bucket')}
          value={bucket}
          options={{ hour: t('Hour'), day: t('Day'), month: t('Month') }}
        />
        <Pick
          id="compare"
          label={t('Compare')}
          value={isCompared ? 'previous' : 'off'}
          options={{ previous: t('Period before'), off: t('Nothing') }}
        />
      </search>
      <FilterBar fields={FIELDS} plain="model" placeholder={t('Filter, e.g. provider:openai')} />
      {problem !== null && (
        <Problem
          error={problem}
          onRetry={() => {
            void sums.refetch();
            void over.refetch();
          }}
        />
      )}
      {sums.isLoading && <Skeleton rows={10} />}
      {sums.data !== undefined && rows.length === 0 && (
        <EmptyState title={t('No requests in this range.')}>
          <Widen to="30d" range={range}>
            {t('Widen to 30 days')}
          </Widen>
        </EmptyState>
      )}
      {rows.length > 0 && (
        <>
          <section className={usageStyles['chart']}>
            <Chart
              label={measure.name}
              kind={measure.isTime ? 'lines' : 'columns'}
              times={times}
              series={series}
              format={measure.format}
              bounds={bounds}
              height={240}
              onSelect={(from, until) =>
                setSearch({ range: `${new Date(from).toISOString()}..${new Date(until).toISOString()}` })
              }
            />
          </section>
          <DataTable
            label={t('Usage')}
            columns={columnsOf({
              by,
              then,
              total,
              earlierOf: (row) =>
                (row === sum ? sumOf(before.data?.items ?? []) : earlier.get(keyOf(row)))?.costUsd ?? null,
              isCompared,
              sum,
              place: { ...kept, ...filters, range: rangeText(range) },
            })}
            rows={[...rows, sum]}
            idOf={(row) => (row === sum ? 'sum' : keyOf(row))}
            isWhole
            compact={(row) => (
              <Compact
                first={row === sum ? <b>{t('Total')}</b> : labelsOf(row).join(' · ') || t('none')}
                end={<Money usd={row.costUsd} />}
                second={
                  <>
                    {t('{requests, plural, one {# request} other {# requests}}', { requests: row.recorded })} ·{' '}
                    {formatShare(shareOfUsd(row.costUsd, total), locale())}
                  </>
                }
              />
            )}
          />
          {sums.data?.truncated === true && (
            <p className={styles['second']}>{t('There are more groups than are shown.')}</p>
          )}
        </>
      )}
    </PageFrame>
  );
}

/** What is meant where the address bar has none. */
const DEFAULTS: Readonly<Record<string, string>> = { measure: 'spend', by: 'model', compare: 'previous' };

type PickProps = {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly options: Options;
};

function Pick({ id, label, value, options }: PickProps) {
  const setSearch = useSetSearch();
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child
    <label className={usageStyles['pick']}>
      <span>{label}</span>
      <Select
        className={controlClass}
        value={value}
        options={options}
        onChange={(next) => setSearch({ [id]: next === DEFAULTS[id] ? undefined : next })}
      />
    </label>
  );
}

type ColumnsOf = {
  readonly by: string;
  readonly then: string | undefined;
  /** Of all rows, the last one. */
  readonly sum: SpendRow;
  readonly total: string;
  readonly earlierOf: (row: SpendRow) => string | null;
  readonly isCompared: boolean;
  /** Of the requests behind a row: the range and the account of the page. */
  readonly place: Search;
};

/** Dimensions that the list of requests can be filtered by. */
const LINKED: ReadonlySet<string> = new Set(['model', 'provider', 'key', 'account', 'member', 'protocol', 'outcome']);

function columnsOf({
  by,
  then,
  sum,
  total,
  earlierOf,
  isCompared,
  place: kept,
}: ColumnsOf): readonly Column<SpendRow>[] {
  const figure = { width: '72px', align: 'end' } as const;
  return [
    {
      id: 'group',
      title: DIMENSION_NAMES[by as Dimension] ?? by,
      width: 'minmax(200px, 2fr)',
      cell: (row) => {
        if (row === sum) return <b>{t('Total')}</b>;
        const id = idOf(row, by);
        if (id === '' || !LINKED.has(by)) return id || t('none');
        const { account = kept['account'] } = row;
        return (
          <Link
            {...place('/requests', {}, { ...kept, ...(account !== undefined && { account }), [by]: id })}
            title={id}
          >
            {labelOf(row, by)}
          </Link>
        );
      },
    },
    ...(then === undefined
      ? []
      : [
          {
            id: 'then',
            title: DIMENSION_NAMES[then as Dimension] ?? then,
            width: 'minmax(120px, 1.5fr)',
            cell: (row: SpendRow) => (row === sum ? null : <Text text={labelOf(row, then) || t('none')} />),
          },
        ]),
    { of: 'recorded', as: 'tokens', title: msg('Requests'), width: '72px' },
    { ...figure, id: 'input', title: msg('In'), cell: ({ tokens }) => <Tokens count={tokens.input} /> },
    { ...figure, id: 'cached', title: msg('Cached'), cell: ({ tokens }) => <Tokens count={tokens.cached} /> },
    { ...figure, id: 'output', title: msg('Out'), cell: ({ tokens }) => <Tokens count={tokens.output} /> },
    {
      ...figure,
      id: 'errors',
      title: msg('Errors'),
      cell: (row) => <Share share={errorShareOf(row)} />,
    },
    {
      ...figure,
      id: 'first',
      title: msg('First token'),
      width: '76px',
      cell: ({ firstTokenMs }) => <Duration ms={firstTokenMs?.p50 ?? null} />,
    },
    { of: 'costUsd', as: 'usd', title: msg('Spend'), width: '84px' },
    ...(isCompared
      ? [
          {
            ...figure,
            id: 'before',
            title: msg('Before'),
            width: '84px',
            cell: (row: SpendRow) => <Money usd={earlierOf(row)} />,
          },
        ]
      : []),
    {
      id: 'share',
      title: msg('Share of all'),
      width: 'minmax(96px, 1fr)',
      cell: ({ costUsd }) => {
        const share = shareOfUsd(costUsd, total);
        return (
          <span className={usageStyles['share']}>
            <span>{formatShare(share, locale())}</span>
            <i style={{ inlineSize: `${Math.round(share * 100)}%` }} />
          </span>
        );
      },
    },
  ];
}
