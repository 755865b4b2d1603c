/** Figures as the console writes them: rounded, with the exact value in a tooltip. */
import { formatUsd } from '../../format/money.ts';
import { formatCount, formatDuration, formatShare, formatTokens } from '../../format/numbers.ts';
import { exactWhen, formatAgo, formatWhen } from '../../format/when.ts';
import { locale, t } from '../../i18n/t.ts';
import { useZone } from '../../state/preferences.ts';
import styles from './values.module.css';

export type MoneyProps = {
  /** Decimal text of the API; null where there is no price. */
  readonly usd: string | null;
  readonly isEstimated?: boolean;
};

export function Money({ usd, isEstimated = false }: MoneyProps) {
  const shown = usd === null ? undefined : formatUsd(usd, locale());
  if (shown === undefined) return <None />;
  return (
    <span className={styles['figure']} title={`$${usd}`}>
      {isEstimated && '~'}
      {shown}
    </span>
  );
}

export const Tokens = ({ count }: { readonly count: number | null }) =>
  count === null ? (
    <None />
  ) : (
    <span className={styles['figure']} title={formatCount(count, locale())}>
      {formatTokens(count, locale())}
    </span>
  );

export const Duration = ({ ms }: { readonly ms: number | null }) =>
  ms === null ? (
    <None />
  ) : (
    <span className={styles['figure']} title={`${ms} ms`}>
      {formatDuration(ms, locale())}
    </span>
  );

export const Share = ({ share }: { readonly share: number }) => (
  <span className={styles['figure']}>{formatShare(share, locale())}</span>
);

export function When({ at }: { readonly at: string | null }) {
  const zone = useZone();
  if (at === null) return <None />;
  const nowMs = Date.now();
  return (
    <time className={styles['figure']} dateTime={at} title={exactWhen(at, nowMs, locale())}>
      {formatWhen(at, zone, nowMs, locale())}
    </time>
  );
}

export const None = () => <span className={styles['none']}>–</span>;

/** What may be cut off where it is narrow, and is whole when pointed at. */
export const Text = ({ text }: { readonly text: string | null }) =>
  text === null ? <None /> : <span title={text}>{text}</span>;

/** An id or another text to copy: in mono, and whole when pointed at. */
export const Id = ({ text }: { readonly text: string }) => (
  <span className={styles['id']} title={text}>
    {text}
  </span>
);

export type TagKind = 'plain' | 'ok' | 'warn' | 'bad' | 'info' | 'accent';

/** A word with a colour that means the same as the word. */
export const Tag = ({ kind = 'plain', text }: { readonly kind?: TagKind; readonly text: string }) => (
  <span className={styles['tag']} data-kind={kind}>
    {text}
  </span>
);

export const NoPrice = () => <Tag kind="warn" text={t('no price')} />;

const HOUR_MS = 3_600_000;

/** How long ago, or how long from now. */
export const Ago = ({ at }: { readonly at: string | null }) =>
  at === null ? (
    <None />
  ) : (
    <time dateTime={at} title={exactWhen(at, Date.now(), locale())}>
      {formatAgo(at, Date.now(), locale())}
    </time>
  );

/** The last use of a key is known by the hour. */
export function LastUsed({ at }: { readonly at: string | null }) {
  if (at === null) return <span>{t('never')}</span>;
  return Date.now() - Date.parse(at) < HOUR_MS ? (
    <time dateTime={at} title={exactWhen(at, Date.now(), locale())}>
      {t('this hour')}
    </time>
  ) : (
    <Ago at={at} />
  );
}
