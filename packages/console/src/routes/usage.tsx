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
import { locale, t } from '../i18n/t.ts';
import { buttonClass } from '../parts/base/button.tsx';
import { adminCurl, CopyAs } from '../parts/base/copy.tsx';
import { EmptyState } from '../parts/base/empty-state.tsx';
import { Problem } from '../parts/base/problem.tsx';
import { Skeleton } from '../parts/base/skeleton.tsx';
import { Chart } from '../parts/figures/chart.tsx';
import { controlClass } from '../parts/form/field.tsx';
import { type Column, DataTable } from '../parts/list/data-table.tsx';
import styles from '../parts/list/lists.module.css';
import { RangePicker, Widen } from '../parts/list/range-picker.tsx';
import { PageFrame } from '../parts/page/page.tsx';
import { Duration, Money, Share, Tokens } from '../parts/values/values.tsx';
import { usePreferences } from '../state/preferences.ts';
import { useAccount, useRange, useSameAccount, useSearchParams, useSetSearch } from '../state/search.ts';
import { hasRole, useMe } from '../state/session.ts';
import { type Dimension, dimensionNames, groupOf, type Measure, measures, type SpendRow } from './usage/measures.ts';
import { timelineOf } from './usage/series.ts';
import usageStyles from './usage/usage.module.css';

const FALLBACK = '30d';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Whole hours: the sums are of hours, and a stable question is answered from the cache. */
const roundedUp = (ms: number): number => Math.ceil(ms / HOUR_MS) * HOUR_MS;

const bucketFor = (spanMs: number): 'hour' | 'day' | 'month' =>
  spanMs <= 2 * DAY_MS ? 'hour' : spanMs <= 120 * DAY_MS ? 'day' : 'month';

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
  const { fromMs, untilMs } = boundsAt(roundedUp(Date.now()));
  const bucket =
    (['hour', 'day', 'month'] as const).find((each) => each === search['bucket']) ?? bucketFor(untilMs - fromMs);
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
  const dimensions = Object.entries(dimensionNames()).filter(([id]) => isOperator || id !== 'account');
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
          <CopyAs forms={[{ name: 'curl', text: () => adminCurl('GET', `/admin/v1/usage?${query}`) }]} />
        </>
      }
    >
      <search className={styles['tools']}>
        <Pick
          label={t('Measure')}
          value={measure.id}
          options={all.map(({ id, name }) => [id, name])}
          onPick={(value) => setSearch({ measure: value === 'spend' ? undefined : value })}
        />
        <Pick
          label={t('By')}
          value={by}
          options={by.startsWith('tag:') ? [...dimensions, [by, by]] : dimensions}
          onPick={(value) => setSearch({ by: value === 'model' ? undefined : value })}
        />
        <Pick
          label={t('Bucket')}
          value={bucket}
          options={[
            ['hour', t('Hour')],
            ['day', t('Day')],
            ['month', t('Month')],
          ]}
          onPick={(value) => setSearch({ bucket: value })}
        />
        <Pick
          label={t('Compare')}
          value={isCompared ? 'previous' : 'off'}
          options={[
            ['previous', t('Period before')],
            ['off', t('Nothing')],
          ]}
          onPick={(value) => setSearch({ compare: value === 'off' ? 'off' : undefined })}
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
              <div className={styles['compact']}>
                <span>
                  {groupOf(row, by) || t('none')}
                  <span className={styles['push']}>
                    <Money usd={row.costUsd} />
                  </span>
                </span>
                <span className={styles['second']}>
                  {t('{requests, plural, one {# request} other {# requests}}', { requests: row.requests })} ·{' '}
                  {formatShare(shareOfUsd(row.costUsd, total), locale())}
                </span>
              </div>
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

type PickProps = {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[] | [string, string][];
  readonly onPick: (value: string) => void;
};

const Pick = ({ label, value, options, onPick }: PickProps) => (
  <label className={usageStyles['pick']}>
    <span>{label}</span>
    <select className={controlClass} value={value} onChange={({ target }) => onPick(target.value)}>
      {options.map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  </label>
);

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

function columnsOf({ by, total, earlier, isCompared, place }: ColumnsOf): readonly Column<SpendRow>[] {
  const name = dimensionNames()[by as Dimension] ?? by;
  const numbers = (id: string, title: string, cell: Column<SpendRow>['cell'], width = '72px'): Column<SpendRow> => ({
    id,
    title,
    width,
    align: 'end',
    cell,
  });
  return [
    {
      id: 'group',
      title: name,
      width: 'minmax(200px, 2fr)',
      cell: (row) => {
        const group = groupOf(row, by);
        if (group === '' || !LINKED.has(by)) return group || t('none');
        return (
          <Link to="/requests" search={{ ...place, [by]: group } as never} title={group}>
            {group}
          </Link>
        );
      },
    },
    numbers('requests', t('Requests'), ({ requests }) => <Tokens count={requests} />),
    numbers('input', t('In'), ({ tokens }) => <Tokens count={tokens.input} />),
    numbers('cached', t('Cached'), ({ tokens }) => <Tokens count={tokens.cached} />),
    numbers('output', t('Out'), ({ tokens }) => <Tokens count={tokens.output} />),
    numbers('errors', t('Errors'), ({ failed, requests }) => <Share share={requests > 0 ? failed / requests : 0} />),
    numbers('first', t('First token'), ({ firstTokenMs }) => <Duration ms={firstTokenMs?.p50 ?? null} />, '76px'),
    numbers('spend', t('Spend'), ({ costUsd }) => <Money usd={costUsd} />, '84px'),
    ...(isCompared
      ? [
          numbers(
            'before',
            t('Before'),
            (row) => <Money usd={earlier.get(groupOf(row, by))?.costUsd ?? null} />,
            '84px',
          ),
        ]
      : []),
    {
      id: 'share',
      title: t('Share of all'),
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
