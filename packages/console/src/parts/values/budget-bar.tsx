/** What is spent and held of a limit, as a bar with the same in words. */
import { compareUsd, shareOfUsd } from '../../format/money.ts';
import { formatShare } from '../../format/numbers.ts';
import { locale, t } from '../../i18n/t.ts';
import styles from './budget-bar.module.css';

export type BudgetBarProps = { readonly usd: string; readonly spentUsd: string; readonly heldUsd: string };

const WARN_SHARE = 0.8;

/** A limit of zero allows nothing. */
const isNothing = (usd: string): boolean => compareUsd(usd, '0') <= 0;

/** Of the limit, 0 and up. For bars and warnings, never shown as money. */
export const usedShare = ({ usd, spentUsd, heldUsd }: BudgetBarProps): number =>
  isNothing(usd) ? 1 : shareOfUsd(spentUsd, usd) + shareOfUsd(heldUsd, usd);

export function BudgetBar({ usd, spentUsd, heldUsd }: BudgetBarProps) {
  const spent = isNothing(usd) ? 1 : Math.min(1, Math.max(0, shareOfUsd(spentUsd, usd)));
  const held = Math.min(1 - spent, Math.max(0, shareOfUsd(heldUsd, usd)));
  const share = spent + held;
  return (
    <span
      className={styles['bar']}
      role="img"
      aria-label={t('{share} used', { share: formatShare(share, locale()) })}
      data-level={share >= 1 ? 'full' : share >= WARN_SHARE ? 'near' : 'free'}
    >
      <span className={styles['spent']} style={{ inlineSize: `${spent * 100}%` }} />
      <span className={styles['held']} style={{ inlineSize: `${held * 100}%` }} />
    </span>
  );
}
