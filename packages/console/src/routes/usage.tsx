/** Spend, requests, tokens, errors and times, by any dimension, over time and beside the period before. */

import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { useGet } from '../api/use-api.ts';
import { compareUsd, shareOfUsd } from '../format/money.ts';
import { sumUsd } from '../format/money-sum.ts';
import { formatShare } from '../format/numbers.ts';
import { rangeText } from '../format/range.ts';
import type { Search } from '../format/search.ts';
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
import { Compact } from '../parts/list/list.tsx';
import styles from '../parts/list/lists.module.css';
import { RangePicker, Widen } from '../parts/list/range-picker.tsx';
import { PageFrame } from '../parts/page/page.tsx';
import { Duration, Money, Share, Tokens } from '../parts/values/values.tsx';
import { usePreferences } from '../state/preferences.ts';
import { place, useAccount, useRange, useSameAccount, useSearchParams, useSetSearch } from '../state/search.ts';
import { hasRole, useMe } from '../state/session.ts';
import { DIMENSION_NAMES, type Dimension, groupOf, type Measure, measures, type SpendRow } from './usage/measures.ts';
import { timelineOf } from './usage/series.ts';
import usageStyles from './usage/usage.module.css';

const FALLBACK = '30d';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

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
  // Whole hours: the sums are of hours, and a stable question is answered from the cache.
  const { fromMs, untilMs } = boundsAt(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS);
  const bucket =
    (['hour', 'day', 'month'] as const).find((each) => each === search['bucket']) ??
    (untilMs - fromMs <= 2 * DAY_MS ? 'hour' : untilMs - fromMs <= 120 * DAY_MS ? 'day' : 'month');
  const isCompared = search['compare'] !== 'off';

  const span = (from: number, until: number) => ({
    from: new Date(from).toISOString(),
    until: new Date(until).toISOString(),
    tz: zoneName(zone),
    by,
    account,
  });
  const latency = measure.isTime ? 'true' : undefined;
  const now = span(fromMs, untilMs);
  const over = useGet('/admin/v1/usage', { query: { ...now, bucket, latency } });
  const sums = useGet('/admin/v1/usage', { query: { ...now, latency: 'true' } });
  const before = useGet(
    '/admin/v1/usage',
    { query: span(fromMs - (untilMs - fromMs), fromMs) },
    { enabled: isCompared },
  );

  const rows = useMemo(
    () => [...(sums.data?.items ?? [])].sort((a, b) => compareUsd(b.costUsd, a.costUsd) || b.requests - a.requests),
    [sums.data],
  );
  const order = useMemo(() => rows.map((row) => groupOf(row, by)), [rows, by]);
  const { times, series } = useMemo(() => {
    return timelineOf(over.data?.items ?? [], by, order, measure, { none: t('none'), others: t('others') });
  }, [over.data, by, order, measure]);
  const bounds = useMemo(() => ({ fromMs, untilMs }), [fromMs, untilMs]);
  const total = sumUsd(rows.map(({ costUsd }) => costUsd));
  const earlier = new Map(before.data?.items.map((row) => [groupOf(row, by), row]));
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
          <a className={buttonClass()} href={`/admin/v1/usage.csv?${query}`} download="usage.csv">
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
            columns={columnsOf({ by, total, earlier, isCompared, place: { ...kept, range: rangeText(range) } })}
            rows={rows}
            idOf={(row) => groupOf(row, by)}
            isWhole
            compact={(row) => (
              <Compact
                first={groupOf(row, by) || t('none')}
                end={<Money usd={row.costUsd} />}
                second={
                  <>
                    {t('{requests, plural, one {# request} other {# requests}}', { requests: row.requests })} ·{' '}
                    {formatShare(shareOfUsd(row.costUsd, total), locale())}
                  </>
                }
              />
            )}
          />
          <p className={styles['second']}>
            {t('Total')} <Money usd={total} />
            {sums.data?.truncated === true && ` · ${t('There are more groups than are shown.')}`}
          </p>
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
  readonly total: string;
  readonly earlier: ReadonlyMap<string, SpendRow>;
  readonly isCompared: boolean;
  /** Of the requests behind a row: the range and the account of the page. */
  readonly place: Search;
};

/** Dimensions that the list of requests can be filtered by. */
const LINKED: ReadonlySet<string> = new Set(['model', 'provider', 'key', 'account', 'member', 'protocol', 'outcome']);

function columnsOf({ by, total, earlier, isCompared, place: kept }: ColumnsOf): readonly Column<SpendRow>[] {
  const figure = { width: '72px', align: 'end' } as const;
  return [
    {
      id: 'group',
      title: DIMENSION_NAMES[by as Dimension] ?? by,
      width: 'minmax(200px, 2fr)',
      cell: (row) => {
        const group = groupOf(row, by);
        if (group === '' || !LINKED.has(by)) return group || t('none');
        return (
          <Link {...place('/requests', {}, { ...kept, [by]: group })} title={group}>
            {group}
          </Link>
        );
      },
    },
    { of: 'requests', as: 'tokens', title: msg('Requests'), width: '72px' },
    { ...figure, id: 'input', title: msg('In'), cell: ({ tokens }) => <Tokens count={tokens.input} /> },
    { ...figure, id: 'cached', title: msg('Cached'), cell: ({ tokens }) => <Tokens count={tokens.cached} /> },
    { ...figure, id: 'output', title: msg('Out'), cell: ({ tokens }) => <Tokens count={tokens.output} /> },
    {
      ...figure,
      id: 'errors',
      title: msg('Errors'),
      cell: ({ failed, requests }) => <Share share={requests > 0 ? failed / requests : 0} />,
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
            cell: (row: SpendRow) => <Money usd={earlier.get(groupOf(row, by))?.costUsd ?? null} />,
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
