/** How a request ended, and by which lane it went: in words and colours. */
import { msg, t } from '../../i18n/t.ts';
import { Tag, type TagKind } from './values.tsx';

export type OutcomeClass = 'ok' | 'caller' | 'upstream' | 'gateway';

const KINDS: Readonly<Record<OutcomeClass, TagKind>> = { ok: 'ok', caller: 'warn', upstream: 'bad', gateway: 'bad' };

export const OUTCOME_NAMES: Readonly<Record<OutcomeClass, string>> = {
  ok: msg('ok'),
  caller: msg("caller's errors"),
  upstream: msg("provider's errors"),
  gateway: msg("gateway's errors"),
};

/** In charts, on every page. */
export const OUTCOME_COLORS: Readonly<Record<OutcomeClass, string>> = {
  ok: 'series-1',
  caller: 'warn',
  upstream: 'bad',
  gateway: 'series-4',
};

/** How requests end, as the API names it. */
const OUTCOME_WORDS: readonly string[] = [
  msg('malformed'),
  msg('unsupported'),
  msg('unauthenticated'),
  msg('over-budget'),
  msg('forbidden'),
  msg('unknown-model'),
  msg('unknown-route'),
  msg('unknown-operation'),
  msg('too-large'),
  msg('over-rate'),
  msg('refused'),
  msg('context-exceeded'),
  msg('upstream-over-rate'),
  msg('upstream-overloaded'),
  msg('upstream-timeout'),
  msg('upstream-broken'),
  msg('overloaded'),
  msg('cancelled'),
  msg('interrupted'),
  msg('internal'),
];

/** Others are rare, and stay as they are. */
const outcomeWord = (outcome: string): string => (OUTCOME_WORDS.includes(outcome) ? t(outcome) : outcome);

export type OutcomeProps = {
  readonly outcome: string;
  readonly outcomeClass: OutcomeClass;
  readonly status: number;
};

/** The word, and before it the status where it says more: it stays readable where the column is narrow. */
export const Outcome = ({ outcome, outcomeClass, status }: OutcomeProps) => (
  <Tag
    kind={outcome === 'interrupted' ? 'warn' : KINDS[outcomeClass]}
    text={outcomeClass === 'ok' ? outcomeWord(outcome) : `${status} ${outcomeWord(outcome)}`}
  />
);

const LANE_NAMES: Readonly<Record<string, string>> = { verbatim: msg('verbatim'), translated: msg('translated') };

export const LaneTag = ({ lane, losses = 0 }: { readonly lane: string | null; readonly losses?: number }) =>
  lane === null ? null : (
    <>
      <Tag kind={lane === 'translated' ? 'info' : 'plain'} text={t(LANE_NAMES[lane] ?? lane)} />
      {losses > 0 && (
        <>
          {' '}
          <Tag kind="warn" text={t('{losses, plural, one {# loss} other {# losses}}', { losses })} />
        </>
      )}
    </>
  );
