import { exactWhen, formatAgo } from '../../format/when.ts';
import { locale, t } from '../../i18n/t.ts';
import { None } from './values.tsx';

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
