/**
 * Where the window of a budget begins and ends, in UTC, and that of a template, in its time zone. Days and months are counted by the
 * civil calendar: a day has 23 to 25 hours.
 */
import type { Span, TemplateSpan, WindowRule } from '../../../packages/gateway/src/money/ledger/core/ledger-state.ts';

const DAY_MS = 86_400_000;
/** Longer than anybody plans for: the end of a window that never ends. */
const FOREVER_MS = Number.MAX_SAFE_INTEGER;

export function windowStartMs(span: Span, nowMs: number): number {
  if (span === 'total') return 0;
  const day = Math.floor(nowMs / DAY_MS) * DAY_MS;
  if (span === 'day') return day;
  const date = new Date(nowMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

export function windowEndMs(span: Span, nowMs: number): number {
  if (span === 'total') return FOREVER_MS;
  if (span === 'day') return windowStartMs('day', nowMs) + DAY_MS;
  const date = new Date(nowMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

export type Edges = { readonly startMs: number; readonly endMs: number };

/** The window of a template that a moment lies in; the next one starts at its end. */
export function templateWindow(span: TemplateSpan, rule: WindowRule, nowMs: number): Edges {
  if (span === 'total') return { startMs: 0, endMs: FOREVER_MS };
  const clock = clockOf(rule.timeZone);
  const [first, next] = daysOf(span, rule, Math.floor(shownMs(clock, nowMs) / DAY_MS));
  return { startMs: midnightMs(clock, first), endMs: midnightMs(clock, next) };
}

/** The first day of the window around this day, and of the next. Days count from 1970-01-01, which was a Thursday. */
function daysOf(span: TemplateSpan, { weekStartsOn, anchorDay }: WindowRule, day: number): readonly [number, number] {
  if (span === 'day') return [day, day + 1];
  if (span === 'week') {
    const first = day - ((day + THURSDAY - weekStartsOn + 7) % 7);
    return [first, first + 7];
  }
  const date = new Date(day * DAY_MS);
  const anchor = (more: number): number => {
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + more];
    const last = Date.UTC(year, month + 1, 0) / DAY_MS;
    return Math.min(Date.UTC(year, month, anchorDay) / DAY_MS, last);
  };
  return day < anchor(0) ? [anchor(-1), anchor(0)] : [anchor(0), anchor(1)];
}

const THURSDAY = 4;

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
    clock = new Intl.DateTimeFormat('en-US', { ...parts, timeZone, hourCycle: 'h23', second: 'numeric' });
    clocks.set(timeZone, clock);
  }
  return clock;
}

/** The local time at that moment, as if it were UTC. */
function shownMs(clock: Intl.DateTimeFormat, atMs: number): number {
  const of = Object.fromEntries(clock.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(of['year']!, of['month']! - 1, of['day']!, of['hour']!, of['minute']!, of['second']!);
}

/** The first moment that shows this midnight; where clocks skip it, the moment they are set forward. */
function midnightMs(clock: Intl.DateTimeFormat, day: number): number {
  const wanted = day * DAY_MS;
  const offsets = [wanted - DAY_MS, wanted + DAY_MS].map((near) => shownMs(clock, near) - near);
  const [before = wanted, after = wanted] = offsets.map((offset) => wanted - offset);
  return shownMs(clock, before) === wanted || shownMs(clock, after) !== wanted ? before : after;
}
