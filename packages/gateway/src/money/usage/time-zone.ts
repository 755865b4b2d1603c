/** Midnights of an IANA time zone. */

const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const DAY_MS = 86_400_000;

export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    clockOf(name);
    return true;
  } catch {
    return false;
  }
}

const clockOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });

/** The local time at that moment, as if it were UTC. */
function shownMs(atMs: number, clock: Intl.DateTimeFormat): number {
  const parts = Object.fromEntries(clock.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The moment of a local time; if clocks skip that time, the moment they are set forward. */
function momentOf(shown: number, clock: Intl.DateTimeFormat): number {
  const guess = shown - (shownMs(shown, clock) - shown);
  const moment = shown - (shownMs(guess, clock) - guess);
  // A skipped time is never shown: one of the two is that moment, the other an hour before it.
  return shownMs(moment, clock) === shown ? moment : Math.max(guess, moment);
}

/** Undefined for a day that does not exist. */
export function midnightOf(day: string, timeZone: string): number | undefined {
  const [, year, month, date] = DAY.exec(day) ?? [];
  if (year === undefined) return undefined;
  const shown = Date.UTC(Number(year), Number(month) - 1, Number(date));
  return new Date(shown).toISOString().startsWith(day) ? momentOf(shown, clockOf(timeZone)) : undefined;
}

/** The start of the month, and of the next. */
export function monthAround(atMs: number, timeZone: string): { readonly startMs: number; readonly endMs: number } {
  const clock = clockOf(timeZone);
  const shown = new Date(shownMs(atMs, clock));
  const first = (more: number): number =>
    momentOf(Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth() + more, 1), clock);
  return { startMs: first(0), endMs: first(1) };
}

/** The first midnight after that moment. */
export function nextMidnight(atMs: number, timeZone: string): number {
  const clock = clockOf(timeZone);
  return momentOf((Math.floor(shownMs(atMs, clock) / DAY_MS) + 1) * DAY_MS, clock);
}
