/** Where the time of a request went, as bars or as a table. */

import { Table2 } from 'lucide-react';
import { useState } from 'react';
import { formatDuration } from '../../format/numbers.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import type { RequestDetail } from './source.ts';
import styles from './waterfall.module.css';
import { type Waterfall as Model, type Phase, ticksOf, type WaterfallRow, waterfallOf } from './waterfall-model.ts';

const HEIGHT = 20;
const BAR = 12;

const PHASE_NAMES: Readonly<Record<Phase, string>> = {
  work: msg('gateway'),
  pause: msg('pause before a retry'),
  connect: msg('connect'),
  send: msg('send'),
  wait: msg('wait for content'),
  stream: msg('stream'),
};

const duration = (ms: number): string =>
  ms < 10
    ? `${new Intl.NumberFormat(locale(), { maximumFractionDigits: 1 }).format(ms)} ms`
    : formatDuration(ms, locale());

const labelOf = ({ name, index }: WaterfallRow): string =>
  name === 'admit' ? t('admit') : t('try {index}', { index });

/** Stages and attempts on one axis of time. Hatched: waiting. Cross: failed. Flag: first content. */
export function Waterfall({ request }: { readonly request: RequestDetail }) {
  const [isTable, setTable] = useState(false);
  const model = waterfallOf(request);
  const used = [...new Set(model.rows.flatMap(({ segments }) => segments.map(({ phase }) => phase)))];
  return (
    <figure className={styles['waterfall']} aria-label={t('Where the time went')}>
      <figcaption className={styles['legend']}>
        {used.map((phase) => (
          <span key={phase}>
            <i data-phase={phase} />
            {t(PHASE_NAMES[phase])}
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
      {isTable ? <AsTable model={model} /> : <AsBars model={model} />}
    </figure>
  );
}

type ViewProps = { readonly model: Model };

function AsBars({ model: { rows, totalMs } }: ViewProps) {
  const ticks = ticksOf(totalMs);
  const at = (ms: number): string => `${(Math.min(ms, totalMs) / totalMs) * 100}%`;
  return (
    <div className={styles['bars']}>
      <div className={styles['axis']}>
        {ticks.map((ms) => (
          <span key={ms} style={{ insetInlineStart: at(ms) }}>
            {duration(ms)}
          </span>
        ))}
      </div>
      {rows.map((row) => (
        <div key={`${row.name}${row.index}`} className={styles['row']}>
          <span className={styles['label']}>{labelOf(row)}</span>
          <svg className={styles['lane']} height={HEIGHT} role="img" aria-label={describe(row)}>
            <defs>
              <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect width="6" height="6" className={styles['hatchGround']} />
                <rect width="2" height="6" className={styles['hatchLine']} />
              </pattern>
            </defs>
            {ticks.map((ms) => (
              <line key={ms} x1={at(ms)} x2={at(ms)} y1={0} y2={HEIGHT} className={styles['grid']} />
            ))}
            {row.segments.map(({ phase, fromMs, untilMs }) => (
              <rect
                key={phase}
                x={at(fromMs)}
                y={(HEIGHT - BAR) / 2}
                width={`max(2px, ${((Math.min(untilMs, totalMs) - fromMs) / totalMs) * 100}%)`}
                height={BAR}
                data-phase={phase}
                data-failed={row.isFailed}
                className={styles['segment']}
              >
                <title>{`${t(PHASE_NAMES[phase])}: ${duration(untilMs - fromMs)}`}</title>
              </rect>
            ))}
            {row.firstContentMs !== undefined && (
              <svg x={at(row.firstContentMs)} y={0} overflow="visible">
                <title>{t('first content after {time}', { time: duration(row.firstContentMs) })}</title>
                <path d="M0 1v18M0 1h7l-2 3 2 3h-7" className={styles['flag']} />
              </svg>
            )}
            {row.isFailed && (
              <svg x={at(row.segments.at(-1)?.untilMs ?? 0)} y={HEIGHT / 2} overflow="visible">
                <title>{t('failed')}</title>
                <path d="M-4-4l8 8m0-8l-8 8" className={styles['cross']} />
              </svg>
            )}
          </svg>
        </div>
      ))}
    </div>
  );
}

const describe = (row: WaterfallRow): string =>
  [
    labelOf(row),
    ...row.segments.map(({ phase, fromMs, untilMs }) => `${t(PHASE_NAMES[phase])} ${duration(untilMs - fromMs)}`),
    ...(row.isFailed ? [t('failed')] : []),
  ].join(', ');

const AsTable = ({ model: { rows } }: ViewProps) => (
  <table className={styles['table']}>
    <thead>
      <tr>
        <th>{t('Step')}</th>
        <th>{t('Phase')}</th>
        <th>{t('From')}</th>
        <th>{t('Until')}</th>
        <th>{t('Took')}</th>
      </tr>
    </thead>
    <tbody>
      {rows.flatMap((row) =>
        row.segments.map(({ phase, fromMs, untilMs }) => (
          <tr key={`${row.name}${row.index}${phase}`}>
            <td>{labelOf(row)}</td>
            <td>{t(PHASE_NAMES[phase])}</td>
            <td>{duration(fromMs)}</td>
            <td>{duration(untilMs)}</td>
            <td>{duration(untilMs - fromMs)}</td>
          </tr>
        )),
      )}
    </tbody>
  </table>
);
