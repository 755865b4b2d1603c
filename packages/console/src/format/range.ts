/** Ranges of time as the address bar has them: relative ones stay relative (`24h`), fixed ones are `from..until` in ISO. */

export type Range =
  | { readonly kind: 'last'; readonly text: string; readonly ms: number }
  | { readonly kind: 'fixed'; readonly fromMs: number; readonly untilMs: number };

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_MS = 400 * 86_400_000;

export const PRESETS = ['15m', '1h', '24h', '7d', '30d'] as const;

function parseLast(text: string): Range | undefined {
  const match = /^(?:last\s*)?(\d{1,4})\s*([mhd])(?:in|ours?|ays?)?$/i.exec(text.trim());
  if (match === null) return undefined;
  const unit = (match[2] ?? '').toLowerCase();
  const ms = Number(match[1]) * (UNITS[unit] ?? 0);
  return ms > 0 && ms <= MAX_MS ? { kind: 'last', text: `${Number(match[1])}${unit}`, ms } : undefined;
}

/** A day alone means all of it, as UTC. */
function parseEdge(text: string, isEnd: boolean): number {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const ms = Date.parse(isDay ? `${text}T00:00:00Z` : text);
  return isDay && isEnd ? ms + 86_400_000 : ms;
}

function parseFixed(text: string): Range | undefined {
  const [from, until, ...more] = text.split('..').map((edge) => edge.trim());
  if (from === undefined || until === undefined || more.length > 0) return undefined;
  const [fromMs, untilMs] = [parseEdge(from, false), parseEdge(until, true)];
  return fromMs < untilMs && untilMs - fromMs <= MAX_MS ? { kind: 'fixed', fromMs, untilMs } : undefined;
}

/** `24h`, `last 3 h`, `2026-11-01..2026-11-07`, or two ISO times. */
export const parseRange = (text: string): Range | undefined => parseLast(text) ?? parseFixed(text);

export const rangeText = (range: Range): string =>
  range.kind === 'last'
    ? range.text
    : `${new Date(range.fromMs).toISOString()}..${new Date(range.untilMs).toISOString()}`;

export type Bounds = { readonly fromMs: number; readonly untilMs: number };

const MINUTE_MS = 60_000;

/** A relative range ends with the minute that runs: all pages ask for the same one, and answers can be cached. */
export function boundsOf(range: Range, nowMs: number): Bounds {
  if (range.kind === 'fixed') return range;
  const untilMs = Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS;
  return { fromMs: untilMs - range.ms, untilMs };
}

/** A link to it shows the same rows tomorrow. */
export const pinned = (range: Range, nowMs: number): Range => ({ kind: 'fixed', ...boundsOf(range, nowMs) });

/** Whether the range `text` begins before another one does. */
export function widens(text: string, range: Range, nowMs: number): boolean {
  const wider = parseRange(text);
  return wider !== undefined && boundsOf(wider, nowMs).fromMs < boundsOf(range, nowMs).fromMs;
}

/** A relative range has no end: the clock that dated the request may be ahead of this one. */
function holds(text: string, atMs: number, nowMs: number): boolean {
  const range = parseRange(text);
  if (range === undefined) return false;
  const { fromMs, untilMs } = boundsOf(range, nowMs);
  return fromMs <= atMs && (range.kind === 'last' || atMs < untilMs);
}

/** The preferred range if it holds the time, else the shortest from a day to 30 days, else the day (UTC). */
export function rangeHolding(atMs: number, nowMs: number, preferred = '24h'): string {
  const day = new Date(atMs).toISOString().slice(0, 10);
  return [preferred, '24h', '7d', '30d'].find((text) => holds(text, atMs, nowMs)) ?? `${day}..${day}`;
}
