/** The state of things: spend, requests, errors and times of the range, beside those of the period before. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useGet } from '../api/use-api.ts';
import { useAccount, useRange } from '../app/search.ts';
import { compareUsd } from '../format/money.ts';
import { sumUsd } from '../format/money-sum.ts';
import { formatCount, formatDuration, formatShare } from '../format/numbers.ts';
import { rangeText } from '../format/range.ts';
import { locale, t } from '../i18n/t.ts';
import { Chart, type Series } from '../parts/chart.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { PageFrame } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { RangePicker } from '../parts/range-picker.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Money } from '../parts/values.tsx';
import styles from './overview/overview.module.css';
import { groupOf, type Measure, measures, type SpendRow } from './usage/measures.ts';
import { timelineOf } from './usage/series.ts';

const FALLBACK = '24h';
const HOUR_MS = 3_600_000;
const REFRESH_MS = 30_000;
const FIRST_CALL =
  'curl -N "$TRIVIUM_URL"/api/v1/chat/completions -H "Authorization: Bearer $TRIVIUM_KEY" -H \'Content-Type: application/json\' -d \'{"model":"simulator/echo","stream":true,"messages":[{"role":"user","content":"Hello"}]}\'';

export function Page() {
  const account = useAccount();
  const { range, boundsAt } = useRange(FALLBACK);
  const { fromMs, untilMs } = boundsAt(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS);
  const span = (from: number, until: number) => ({
    from: new Date(from).toISOString(),
    until: new Date(until).toISOString(),
    account,
  });
  const bucket = untilMs - fromMs > 48 * HOUR_MS ? 'day' : 'hour';
  const refresh = { refreshMs: REFRESH_MS };
  const over = useGet('/admin/v1/usage', { query: { ...span(fromMs, untilMs), by: 'model', bucket } }, refresh);
  const total = useGet('/admin/v1/usage', { query: { ...span(fromMs, untilMs), latency: 'true' } }, refresh);
  const before = useGet('/admin/v1/usage', {
    query: { ...span(fromMs - (untilMs - fromMs), fromMs), latency: 'true' },
  });
  const now = total.data?.items[0];
  const problem = total.error ?? over.error;
  const bounds = useMemo(() => ({ fromMs, untilMs }), [fromMs, untilMs]);
  return (
    <PageFrame title={t('Overview')} actions={<RangePicker fallback={FALLBACK} />}>
      {problem !== null && <Problem error={problem} onRetry={() => void total.refetch()} />}
      {total.isLoading && <Skeleton rows={8} />}
      {total.data !== undefined && (now === undefined || now.requests === 0) && (
        <EmptyState title={t('No requests in this range.')}>
          <CodeBlock text={FIRST_CALL} />
        </EmptyState>
      )}
      {now !== undefined && now.requests > 0 && (
        <>
          <Tiles now={now} before={before.data?.items[0]} range={rangeText(range)} />
          <Charts rows={over.data?.items ?? []} bounds={bounds} />
        </>
      )}
    </PageFrame>
  );
}

type TilesProps = { readonly now: SpendRow; readonly before: SpendRow | undefined; readonly range: string };

const errorsOf = ({ failed, requests }: SpendRow): number => (requests > 0 ? failed / requests : 0);
const cachedOf = ({ tokens }: SpendRow): number => (tokens.input > 0 ? tokens.cached / tokens.input : 0);

function Tiles({ now, before, range }: TilesProps) {
  const ms = (value: number | undefined): string => (value === undefined ? '–' : formatDuration(value, locale()));
  return (
    <div className={styles['tiles']}>
      <Tile
        title={t('Spend')}
        to="/usage"
        search={{ range }}
        change={changeOf(Number(now.costUsd), before && Number(before.costUsd))}
      >
        <Money usd={now.costUsd} />
      </Tile>
      <Tile title={t('Requests')} to="/requests" search={{ range }} change={changeOf(now.requests, before?.requests)}>
        {formatCount(now.requests, locale())}
      </Tile>
      <Tile
        title={t('Errors')}
        to="/requests"
        search={{ range, outcome: 'failed' }}
        change={changeOf(errorsOf(now), before && errorsOf(before))}
        isMoreBad
      >
        {formatShare(errorsOf(now), locale())}
      </Tile>
      <Tile
        title={t('First token, p95')}
        to="/usage"
        search={{ range, measure: 'first-token' }}
        change={changeOf(now.firstTokenMs?.p95, before?.firstTokenMs?.p95)}
        isMoreBad
      >
        {ms(now.firstTokenMs?.p95)}
      </Tile>
      <Tile
        title={t('Cache reads')}
        to="/usage"
        search={{ range, measure: 'cached' }}
        change={changeOf(cachedOf(now), before && cachedOf(before))}
      >
        {formatShare(cachedOf(now), locale())}
      </Tile>
    </div>
  );
}

/** By how much it grew, as a share of what it was. Undefined: there is nothing to compare with. */
const changeOf = (now: number | undefined, before: number | undefined): number | undefined =>
  now === undefined || before === undefined || before === 0 ? undefined : now / before - 1;

type TileProps = {
  readonly title: string;
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
  readonly change: number | undefined;
  /** Only then is a change coloured. */
  readonly isMoreBad?: boolean;
  readonly children: ReactNode;
};

function Tile({ title, to, search, change, isMoreBad = false, children }: TileProps) {
  const kind = !isMoreBad || change === undefined || change === 0 ? 'plain' : change > 0 ? 'bad' : 'ok';
  return (
    <Link className={styles['tile'] ?? ''} to={to} search={search as never}>
      <span>{title}</span>
      <span className={styles['figure']}>{children}</span>
      <span className={styles['delta']} data-kind={kind}>
        {change === undefined
          ? t('nothing to compare with')
          : change >= 0
            ? t('{share} more than the period before', { share: formatShare(change, locale()) })
            : t('{share} less than the period before', { share: formatShare(-change, locale()) })}
      </span>
    </Link>
  );
}

type ChartsProps = {
  readonly rows: readonly SpendRow[];
  readonly bounds: { readonly fromMs: number; readonly untilMs: number };
};

function Charts({ rows, bounds }: ChartsProps) {
  const spend = useMemo(() => measures()[0] as Measure, []);
  const byModel = useMemo(() => {
    const costs = new Map<string, string>();
    for (const row of rows)
      costs.set(groupOf(row, 'model'), sumUsd([costs.get(groupOf(row, 'model')) ?? '0', row.costUsd]));
    const order = [...costs].sort(([, one], [, other]) => compareUsd(other, one)).map(([model]) => model);
    return timelineOf(rows, 'model', order, spend, { none: t('none'), others: t('others') });
  }, [rows, spend]);
  const errors = useMemo((): readonly Series[] => {
    const count = (blame: keyof SpendRow['faults']): readonly number[] =>
      byModel.times.map((at) =>
        rows.reduce((sum, row) => (Date.parse(row.at ?? '') === at ? sum + row.faults[blame] : sum), 0),
      );
    return [
      { name: t("caller's errors"), values: count('caller'), color: 'warn' },
      { name: t("provider's errors"), values: count('upstream'), color: 'bad' },
      { name: t("gateway's errors"), values: count('gateway'), color: 'series-4' },
    ];
  }, [rows, byModel.times]);
  return (
    <div className={styles['charts']}>
      <section className={styles['chart']}>
        <Chart
          label={t('Spend by model')}
          kind="columns"
          times={byModel.times}
          series={byModel.series}
          format={spend.format}
          bounds={bounds}
          height={220}
        />
      </section>
      <section className={styles['chart']}>
        <Chart
          label={t('Errors')}
          kind="columns"
          times={byModel.times}
          series={errors}
          format={countText}
          bounds={bounds}
          height={220}
        />
      </section>
    </div>
  );
}

const countText = (value: number): string => formatCount(value, locale());
