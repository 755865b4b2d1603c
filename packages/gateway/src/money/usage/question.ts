/** An account's question about its usage, parsed from a query string: a span of days, and what to group by. */
import { GatewayError } from '@trivium/protocol/canonical';
import { DAY_MS, dayOf } from './request-stamp.ts';

const GROUPS = ['day', 'hour', 'model', 'key', 'provider'] as const;
export type Group = (typeof GROUPS)[number];

export type UsageQuestion = {
  /** UTC, both YYYY-MM-DD: the first day, and the end (exclusive). */
  readonly from: string;
  readonly until: string;
  readonly groups: readonly Group[];
  readonly model?: string;
  readonly key?: string;
};

const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

const refuse = (field: string, problem: string): never => {
  throw new GatewayError({ kind: 'malformed', message: `${field} ${problem}`, field });
};

function dayAt(query: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  const ms = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Nothing was recorded before 1970, and the days before the year 1 have no text that the database reads.
  return !(ms >= 0) || dayOf(ms) !== text ? refuse(name, 'must be a day such as 2026-11-15.') : ms;
}

export function readQuestion(query: ReadonlyMap<string, string>, nowMs: number): UsageQuestion {
  const until = dayAt(query, 'until') ?? Math.floor(nowMs / DAY_MS) * DAY_MS + DAY_MS;
  const from = dayAt(query, 'from') ?? until - DEFAULT_DAYS * DAY_MS;
  if (from >= until) refuse('from', 'must be a day before until.');
  if (until - from > MAX_DAYS * DAY_MS) refuse('from', `must be at most ${MAX_DAYS} days before until.`);
  const words = (query.get('by') ?? 'day').split(',');
  const groups = GROUPS.filter((group) => words.includes(group));
  if (groups.length !== words.length) refuse('by', `must be a list of ${GROUPS.join(', ')}.`);
  const [model, key] = [query.get('model'), query.get('key')];
  return {
    from: dayOf(from),
    until: dayOf(until),
    groups,
    ...(model !== undefined && { model }),
    ...(key !== undefined && { key }),
  };
}
