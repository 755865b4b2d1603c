/** A chart as it is drawn, with uPlot; pages use `Chart`. */
import 'uplot/dist/uPlot.min.css';
import { Table2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import { stacked } from '../../format/stack.ts';
import { timeTicks } from '../../format/time-ticks.ts';
import { valueTicks } from '../../format/value-ticks.ts';
import { formatTick, formatWhen } from '../../format/when.ts';
import { locale, t } from '../../i18n/t.ts';
import { usePreferences } from '../../state/preferences.ts';
import { Button } from '../base/button.tsx';
import styles from './chart.module.css';
import { CHART_PX, type ChartProps } from './chart-props.ts';

const MIN_SELECTED_PX = 6;
/** The last label of the axis is centred on its time, which may be at the end. */
const HALF_LABEL_PX = 18;
/** What labels of values need besides their characters, and each of these in the font of the axes. */
const AXIS_PX = 14;
const CHARACTER_PX = 6.6;
const X_AXIS_PX = 30;
const LINE_GAP_PX = 36;
const LINE_PX = 1.5;
const POINT_PX = 6;

/** A value between two gaps has no line: it is drawn as a point. */
const lonePoints = (plot: uPlot, seriesIndex: number): number[] => {
  const values = [...(plot.data[seriesIndex] ?? [])];
  return values.flatMap((value, at) => (value != null && values[at - 1] == null && values[at + 1] == null ? [at] : []));
};
/** The least distance between two times on the axis. */
const TICK_PX = 90;

/** A canvas cannot use CSS variables, so this asks the browser for their values. */
function resolved(token: string, element: HTMLElement): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

export function ChartView(props: ChartProps) {
  const { label, kind, times, series, format, bounds, height = CHART_PX, onSelect } = props;
  const holder = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number>();
  const [isTable, setTable] = useState(false);
  const { theme, zone } = usePreferences();
  const [isSystemDark, setSystemDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)');
    const onChange = (): void => setSystemDark(media.matches);
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, []);
  const select = useRef(onSelect);
  select.current = onSelect;

  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read anew when the theme changes
  useEffect(() => {
    const element = holder.current;
    if (element === null || isTable) return;
    const color = (token: string): string => resolved(token, element);
    const tops = series.map(({ values }) => values);
    // The tallest of a stack first, so that the others are drawn over it.
    const ordered = kind === 'columns' ? series.toReversed() : series;
    const drawn = kind === 'columns' ? stacked(tops).toReversed() : tops;
    // How much of the distance between two starts a column fills: a bucket, less a line.
    const width = times.length > 1 || bounds === undefined ? 0.86 : 0.1;
    const span = bounds === undefined ? (times.at(-1) ?? 0) - (times[0] ?? 0) : bounds.untilMs - bounds.fromMs;
    const axis = { stroke: color('faint'), font: '11px system-ui', ticks: { show: false } };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        padding: [8, HALF_LABEL_PX, 0, 0],
        cursor: {
          y: false,
          drag: { x: onSelect !== undefined, y: false, setScale: false },
          points: { show: kind === 'lines' },
        },
        scales: {
          x: {
            time: false,
            ...(bounds !== undefined && {
              range: () => [Math.min(bounds.fromMs, times[0] ?? bounds.fromMs), bounds.untilMs] as [number, number],
            }),
          },
          y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
        },
        axes: [
          {
            ...axis,
            size: 22,
            gap: 4,
            splits: (plot, _, min, max) => [
              ...timeTicks(min, max, Math.max(2, Math.floor(plot.width / TICK_PX)), zone),
            ],
            grid: { show: false },
            values: (_, splits) => splits.map((ms) => formatTick(ms, span, zone, locale())),
          },
          {
            ...axis,
            size: (_, texts) => AXIS_PX + CHARACTER_PX * Math.max(4, ...(texts ?? []).map((text) => text.length)),
            gap: 6,
            splits: (plot, _, __, max) => [...valueTicks(max, Math.floor((plot.height - X_AXIS_PX) / LINE_GAP_PX))],
            grid: { stroke: color('line'), width: 1 },
            values: (_, splits) => splits.map(format),
          },
        ],
        series: [
          {},
          ...ordered.map(({ name, color: token }) => ({
            label: name,
            stroke: color(token),
            ...(kind === 'columns'
              ? {
                  fill: color(token),
                  width: 0,
                  paths: uPlot.paths.bars!({ size: [width, 40], align: 1 }),
                  points: { show: false },
                }
              : { width: LINE_PX, points: { show: true, size: POINT_PX, fill: color(token), filter: lonePoints } }),
          })),
        ],
        hooks: {
          setCursor: [(plot) => setAt(plot.cursor.idx ?? undefined)],
          setSelect: [
            (plot) => {
              const { left, width: selected } = plot.select;
              if (selected < MIN_SELECTED_PX) return;
              select.current?.(plot.posToVal(left, 'x'), plot.posToVal(left + selected, 'x'));
              plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            },
          ],
        },
      },
      [[...times], ...drawn.map((values) => [...values])] as uPlot.AlignedData,
      element,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [kind, times, series, format, bounds, height, isTable, theme, isSystemDark, zone]);

  const shown = at === undefined ? undefined : times[at];
  return (
    <figure className={styles['chart']} aria-label={label}>
      <figcaption className={styles['caption']}>
        <span className={styles['when']}>
          {shown === undefined ? label : formatWhen(shown, zone, Date.now(), locale()).replace(/\.\d+$/, '')}
        </span>
        {series.map(({ name, values, color }) => (
          <span key={color} className={styles['item']}>
            <i style={{ background: `var(--${color})` }} />
            {name}
            {at !== undefined && <b>{values[at] === null || values[at] === undefined ? '–' : format(values[at])}</b>}
          </span>
        ))}
        <Button
          kind="quiet"
          className={styles['toggle'] ?? ''}
          icon={<Table2 size={14} />}
          aria-label={isTable ? t('Show as chart') : t('Show as table')}
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        />
      </figcaption>
      {isTable ? (
        <div className={styles['table']} style={{ blockSize: height }}>
          <table>
            <thead>
              <tr>
                <th>{t('Time')}</th>
                {series.map(({ name, color }) => (
                  <th key={color}>{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((ms, index) => (
                <tr key={ms}>
                  <td>{formatWhen(ms, zone, Date.now(), locale()).replace(/\.\d+$/, '')}</td>
                  {series.map(({ values, color }) => (
                    <td key={color}>
                      {values[index] === null || values[index] === undefined ? '–' : format(values[index])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <div ref={holder} style={{ blockSize: height }} />
      )}
    </figure>
  );
}
