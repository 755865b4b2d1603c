/** How many went well or failed over the range. */

import { useMemo } from 'react';
import { formatCount } from '../../format/numbers.ts';
import { rangeText } from '../../format/range.ts';
import { locale, t } from '../../i18n/t.ts';
import { Chart } from '../../parts/figures/chart.tsx';
import type { Series } from '../../parts/figures/chart-props.ts';
import { OUTCOME_COLORS, OUTCOME_NAMES, type OutcomeClass } from '../../parts/values/outcome.tsx';
import { useSetSearch } from '../../state/search.ts';
import { filledBars } from './bars.ts';
import type { Histogram as Data } from './source.ts';

const format = (count: number): string => formatCount(count, locale());

/** How many went well or failed over the range. Dragging over it chooses a range. */
export function Histogram({ data }: { readonly data: Data }) {
  const setSearch = useSetSearch();
  const { times, series, bounds, total } = useMemo(() => {
    const { bars, untilMs } = filledBars(data);
    const made: readonly Series[] = (Object.keys(OUTCOME_COLORS) as OutcomeClass[]).map((each) => ({
      name: t(OUTCOME_NAMES[each]),
      color: OUTCOME_COLORS[each],
      values: bars.map((bar) => bar[each]),
    }));
    return {
      times: bars.map(({ atMs }) => atMs),
      series: made,
      bounds: { fromMs: bars[0]?.atMs ?? untilMs, untilMs },
      total: bars.reduce((sum, { ok, caller, upstream, gateway }) => sum + ok + caller + upstream + gateway, 0),
    };
  }, [data]);
  return (
    <Chart
      label={t('{total, plural, one {# request} other {# requests}}', { total })}
      kind="columns"
      times={times}
      series={series}
      format={format}
      bounds={bounds}
      height={96}
      onSelect={(fromMs, untilMs) =>
        setSearch(
          { range: rangeText({ kind: 'fixed', fromMs: Math.floor(fromMs), untilMs: Math.ceil(untilMs) }) },
          { push: true },
        )
      }
    />
  );
}
