/** Parses the query parameters of request lists. */
import { OUTCOME_CLASSES, OUTCOMES_BY_CLASS } from '../../money/usage/outcome-class.ts';
import { EVERY_ACCOUNT, type RecordFilter, type RecordPlace } from '../../money/usage/record-query.ts';
import { plainIdOf } from '../../money/usage/request-stamp.ts';
import { AdminProblem } from '../api/problem.ts';
import { parseUsd } from '../api/usd.ts';
import type { RequestQuery } from './contract.ts';

const DAY_MS = 86_400_000;
const MAX_SPAN_MS = 400 * DAY_MS;
/** Nodes' clocks differ: requests just received by another node are included. */
const AHEAD_MS = 60_000;

const KNOWN_OUTCOMES = OUTCOME_CLASSES.flatMap((outcomeClass) => OUTCOMES_BY_CLASS[outcomeClass]);

function outcomesOf(text: string): readonly string[] {
  return text.split(',').flatMap((word) => {
    if (word === 'failed') return KNOWN_OUTCOMES.filter((outcome) => outcome !== 'ok');
    const outcomeClass = OUTCOME_CLASSES.find((name) => name === word);
    if (outcomeClass !== undefined) return OUTCOMES_BY_CLASS[outcomeClass];
    if (KNOWN_OUTCOMES.includes(word)) return [word];
    const known = ['failed', ...OUTCOME_CLASSES, ...KNOWN_OUTCOMES.filter((outcome) => outcome !== 'ok')];
    throw new AdminProblem('invalid', `must be a list of ${known.join(', ')}`, 'outcome');
  });
}

const statusOf = (text: string): readonly [number, number] =>
  text.endsWith('xx') ? [Number(text[0]) * 100, Number(text[0]) * 100 + 99] : [Number(text), Number(text)];

/** Years outside these have more than four digits, or none that the database reads. */
const isTime = (ms: number): boolean => ms >= 0 && ms < Date.UTC(10_000, 0);

/** `account`: from the path; empty if it names none. */
export function readFilter(query: RequestQuery, account: string, nowMs: number): RecordFilter {
  const untilMs = query.until === undefined ? nowMs + AHEAD_MS : Date.parse(query.until);
  const fromMs = query.from === undefined ? untilMs - DAY_MS : Date.parse(query.from);
  if (!isTime(untilMs)) throw new AdminProblem('invalid', 'is no time', 'until');
  if (!isTime(fromMs)) throw new AdminProblem('invalid', 'is no time', 'from');
  if (fromMs >= untilMs) throw new AdminProblem('invalid', 'must be before until', 'from');
  if (untilMs - fromMs > MAX_SPAN_MS)
    throw new AdminProblem('invalid', 'must be at most 400 days before until', 'from');
  const { id, key, member, model, askedModel, provider, protocol, operation, outcome, status, conversation } = query;
  return {
    fromMs,
    untilMs,
    account: account === '' ? (query.account ?? EVERY_ACCOUNT) : account,
    // An invalid id matches no row.
    ...(id !== undefined && { requestId: plainIdOf(id) ?? '' }),
    ...(key !== undefined && { keyId: key }),
    ...(member !== undefined && { memberId: member }),
    ...(model !== undefined && { model }),
    ...(askedModel !== undefined && { askedModel }),
    ...(provider !== undefined && { provider }),
    ...(protocol !== undefined && { protocol }),
    ...(operation !== undefined && { operation }),
    ...(outcome !== undefined && { outcomes: outcomesOf(outcome) }),
    ...(conversation !== undefined && { conversation }),
    ...(status !== undefined && { status: statusOf(status) }),
    ...(query.minCostUsd !== undefined && { minCostNano: parseUsd(query.minCostUsd, 'minCostUsd') }),
    ...(query.minDurationMs !== undefined && { minDurationMs: Number(query.minDurationMs) }),
  };
}

const PLACE = /^([0-9]{1,15})\.([0-9A-Za-z_-]{1,64})$/;

export const placeText = ({ receivedAtMs, requestId }: RecordPlace): string => `${receivedAtMs}.${requestId}`;

export function placeOf(after: string): RecordPlace {
  const [, ms, requestId] = PLACE.exec(after) ?? [];
  if (ms === undefined || requestId === undefined)
    throw new AdminProblem('invalid', 'is not a cursor of this list', 'after');
  return { receivedAtMs: Number(ms), requestId };
}

const HOUR_SECONDS = 3600;
const MAX_BARS = 60;
const MOST_BARS = 1500;
const STEPS = [
  1,
  5,
  10,
  30,
  60,
  120,
  300,
  600,
  900,
  1800,
  HOUR_SECONDS,
  3 * HOUR_SECONDS,
  6 * HOUR_SECONDS,
  12 * HOUR_SECONDS,
];
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** In seconds. Beyond two hours whole hours, which are read from sums. */
export function bucketOf({ fromMs, untilMs }: RecordFilter, asked: string | undefined): number {
  const spanSeconds = (untilMs - fromMs) / 1000;
  if (asked !== undefined) {
    const seconds = Number(asked);
    if (seconds < 1 || spanSeconds / seconds > MOST_BARS)
      throw new AdminProblem('invalid', `must give at most ${MOST_BARS} bars`, 'bucketSeconds');
    return seconds;
  }
  const least = spanSeconds > 2 * HOUR_SECONDS ? HOUR_SECONDS : 1;
  return (
    STEPS.find((step) => step >= least && spanSeconds / step <= MAX_BARS) ??
    Math.ceil(spanSeconds / MAX_BARS / DAY_SECONDS) * DAY_SECONDS
  );
}
