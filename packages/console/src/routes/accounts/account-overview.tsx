/** What an account spends: over time, on which models, and by whom. One question to the API. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useGet } from '../../api/use-api.ts';
import { compareUsd, shareOfUsd } from '../../format/money.ts';
import { sumUsd } from '../../format/money-sum.ts';
import type { SpendRow } from '../../format/spend-row.ts';
import { zoneName } from '../../format/when.ts';
import { t } from '../../i18n/t.ts';
import { EmptyState } from '../../parts/base/states.tsx';
import { Chart } from '../../parts/figures/chart.tsx';
import { Loaded, Panel } from '../../parts/page/page.tsx';
import { Money } from '../../parts/values/values.tsx';
import { useZone } from '../../state/preferences.ts';
import { place } from '../../state/search.ts';
import lists from '../overview/overview.module.css';
import { measures } from '../usage/measures.ts';
import { timelineOf } from '../usage/series.ts';

const HOUR_MS = 3_600_000;
const DAYS_MS = 30 * 24 * HOUR_MS;
const RANGE = '30d';
const SHOWN = 5;
const HEIGHT = 220;

type Spent = { readonly id: string; readonly costUsd: string };

/** What each has spent, the most first. */
function spentBy(rows: readonly SpendRow[], of: 'model' | 'member'): readonly Spent[] {
  const costs = Map.groupBy(rows, (row) => row[of] ?? '');
  return [...costs]
    .map(([id, some]) => ({ id, costUsd: sumUsd(some.map(({ costUsd }) => costUsd)) }))
    .sort((one, other) => compareUsd(other.costUsd, one.costUsd));
}

export function AccountOverview({ account }: { readonly account: string }) {
  const untilMs = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  const bounds = useMemo(() => ({ fromMs: untilMs - DAYS_MS, untilMs }), [untilMs]);
  const tz = zoneName(useZone());
  const [from, until] = [bounds.fromMs, untilMs].map((ms) => new Date(ms).toISOString());
  const query = { from, until, tz, account, by: 'model,member', bucket: 'day' };
  const usage = useGet('/admin/v1/usage', { query });
  const members = useGet('/admin/v1/accounts/{account}/members', { path: { account }, query: { limit: '200' } });
  const names = new Map(members.data?.items.map(({ id, name }) => [id, name]));
  return (
    <Loaded of={usage}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState title={t('No requests in the last 30 days.')} />
        ) : (
          <div className={lists['grid']}>
            <SpendChart rows={items} bounds={bounds} />
            <Spenders
              title={t('Models that cost most')}
              spent={spentBy(items, 'model')}
              linkOf={({ id }) => <Link {...place('/requests', {}, { account, model: id, range: RANGE })}>{id}</Link>}
            />
            <Spenders
              title={t('Who spends most')}
              spent={spentBy(items, 'member')}
              linkOf={({ id }) =>
                id === '' ? (
                  <span>{t('keys of no member')}</span>
                ) : (
                  <Link {...place('/requests', {}, { account, member: id, range: RANGE })}>{names.get(id) ?? id}</Link>
                )
              }
            />
          </div>
        )
      }
    </Loaded>
  );
}

type SpendChartProps = {
  readonly rows: readonly SpendRow[];
  readonly bounds: { readonly fromMs: number; readonly untilMs: number };
};

function SpendChart({ rows, bounds }: SpendChartProps) {
  const spend = useMemo(() => measures()[0]!, []);
  const { times, series } = useMemo(() => {
    const order = spentBy(rows, 'model').map(({ id }) => id);
    return timelineOf(rows, 'model', order, spend, { none: t('none'), others: t('others') });
  }, [rows, spend]);
  return (
    <section className={lists['chart']}>
      <Chart
        label={t('Spend by model, 30 days')}
        kind="columns"
        times={times}
        series={series}
        format={spend.format}
        bounds={bounds}
        height={HEIGHT}
      />
    </section>
  );
}

type SpendersProps = {
  readonly title: string;
  readonly spent: readonly Spent[];
  readonly linkOf: (spent: Spent) => ReactNode;
};

const Spenders = ({ title, spent, linkOf }: SpendersProps) => (
  <Panel title={title}>
    <ul className={lists['rows']}>
      {spent.slice(0, SHOWN).map((each) => (
        <li key={each.id} className={lists['key']}>
          {linkOf(each)}
          <Money usd={each.costUsd} />
          <span className={lists['share']} aria-hidden="true">
            <span style={{ inlineSize: `${shareOfUsd(each.costUsd, spent[0]?.costUsd ?? '0') * 100}%` }} />
          </span>
        </li>
      ))}
    </ul>
  </Panel>
);
