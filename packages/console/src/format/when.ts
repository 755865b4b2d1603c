/** Times in the zone of the page. */

/** `local`: the browser's; else `UTC` or a name of the IANA database. */
export type Zone = string;

export const zoneName = (zone: Zone): string =>
  zone === 'local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : zone;

const formats = new Map<string, Intl.DateTimeFormat>();
function format(locale: string, zone: Zone, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale}|${zone}|${Object.entries(options).join()}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(locale, { ...options, timeZone: zoneName(zone), hourCycle: 'h23' });
  formats.set(key, made);
  return made;
}

const DAY = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;

const dayOf = (ms: number, zone: Zone): string => format('en-CA', zone, DAY).format(ms);

/** Today `14:03:22.418`, this year `Nov 14 14:03:22`, else with the year. */
export function formatWhen(iso: string | number, zone: Zone, nowMs: number, locale = 'en'): string {
  const ms = typeof iso === 'number' ? iso : Date.parse(iso);
  if (!Number.isFinite(ms)) return '–';
  const clock = format('en-GB', zone, CLOCK).format(ms);
  if (dayOf(ms, zone) === dayOf(nowMs, zone)) return `${clock}.${String(Math.trunc(ms) % 1000).padStart(3, '0')}`;
  const isThisYear = dayOf(ms, zone).slice(0, 4) === dayOf(nowMs, zone).slice(0, 4);
  const day = format(locale, zone, {
    month: 'short',
    day: 'numeric',
    ...(!isThisYear && { year: 'numeric' }),
  }).format(ms);
  return `${day} ${clock}`;
}

/** A day alone: `Nov 14, 2026`. */
export const formatDay = (iso: string | number, zone: Zone, locale = 'en'): string =>
  format(locale, zone, { year: 'numeric', month: 'short', day: 'numeric' }).format(
    typeof iso === 'number' ? iso : Date.parse(iso),
  );

/** For axes: hours within two days, else days. */
export function formatTick(ms: number, spanMs: number, zone: Zone, locale = 'en'): string {
  if (spanMs > 2 * 86_400_000) return format(locale, zone, { month: 'short', day: 'numeric' }).format(ms);
  return format('en-GB', zone, { hour: '2-digit', minute: '2-digit' }).format(ms);
}

const STEPS: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
];

/** `3 min. ago`, `in 2 days`. */
export function formatAgo(iso: string | number, nowMs: number, locale = 'en'): string {
  const difference = (typeof iso === 'number' ? iso : Date.parse(iso)) - nowMs;
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'always', style: 'short' });
  for (const [size, unit] of STEPS)
    if (Math.abs(difference) >= size) return relative.format(Math.trunc(difference / size), unit);
  return relative.format(0, 'second');
}

/** For the title of a time: ISO in UTC, then how long ago. */
export const exactWhen = (iso: string | number, nowMs: number, locale = 'en'): string =>
  `${new Date(iso).toISOString()} · ${formatAgo(iso, nowMs, locale)}`;
