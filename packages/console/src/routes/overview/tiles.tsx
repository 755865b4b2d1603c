/** Figures of the range beside those of the period before; each leads to what is behind it. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.ts';
import { formatCount, formatDuration, formatShare } from '../../format/numbers.ts';
import { errorShareOf } from '../../format/spend-row.ts';
import { locale, t } from '../../i18n/t.ts';
import { Money } from '../../parts/values/values.tsx';
import { useSameAccount } from '../../state/search.ts';
import styles from './overview.module.css';

type Figures = Schemas['UsageFigures'];
type TilesProps = { readonly now: Figures; readonly before: Figures; readonly range: string };

const cachedOf = ({ tokens }: Figures): number => (tokens.input > 0 ? tokens.cached / tokens.input : 0);

export function Tiles({ now, before, range }: TilesProps) {
  const ms = (value: number | undefined): string => (value === undefined ? '–' : formatDuration(value, locale()));
  return (
    <div className={styles['tiles']}>
      <Tile
        title={t('Spend')}
        to="/usage"
        search={{ range }}
        change={changeOf(Number(now.costUsd), Number(before.costUsd))}
      >
        <Money usd={now.costUsd} />
      </Tile>
      <Tile title={t('Requests')} to="/requests" search={{ range }} change={changeOf(now.recorded, before.recorded)}>
        {formatCount(now.recorded, locale())}
      </Tile>
      <Tile
        title={t('Errors')}
        to="/requests"
        search={{ range, outcome: 'failed' }}
        change={changeOf(errorShareOf(now), errorShareOf(before))}
        isMoreBad
      >
        {formatShare(errorShareOf(now), locale())}
      </Tile>
      <Tile
        title={t('First token, p95')}
        to="/usage"
        search={{ range, measure: 'first-token' }}
        change={changeOf(now.firstTokenMs?.p95, before.firstTokenMs?.p95)}
        isMoreBad
      >
        {ms(now.firstTokenMs?.p95)}
      </Tile>
      <Tile
        title={t('Cache reads')}
        to="/usage"
        search={{ range, measure: 'cached' }}
        change={changeOf(cachedOf(now), cachedOf(before))}
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
  const kept = useSameAccount();
  const kind = !isMoreBad || change === undefined || change === 0 ? 'plain' : change > 0 ? 'bad' : 'ok';
  return (
    <Link className={styles['tile'] ?? ''} to={to} search={{ ...kept, ...search } as never}>
      <span>{title}</span>
      <span className={styles['figure']}>{children}</span>
      <span className={styles['delta']} data-kind={kind} title={t('Compared with the period before')}>
        {change === undefined
          ? t('nothing to compare with')
          : change >= 0
            ? `▲ ${formatShare(change, locale())}`
            : `▼ ${formatShare(-change, locale())}`}
      </span>
    </Link>
  );
}
