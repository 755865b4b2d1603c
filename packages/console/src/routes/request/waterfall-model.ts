/** The times of a request as bars on one axis, in ms from its arrival. */
import type { Attempt, RequestDetail } from './source.ts';

export type Phase = 'work' | 'pause' | 'connect' | 'send' | 'wait' | 'stream';
type Segment = { readonly phase: Phase; readonly fromMs: number; readonly untilMs: number };
export type WaterfallRow = {
  readonly name: 'admit' | 'try';
  /** Of attempts, from 1. */
  readonly index: number;
  readonly segments: readonly Segment[];
  readonly firstContentMs: number | undefined;
  readonly isFailed: boolean;
  readonly attempt: Attempt | undefined;
};
export type Waterfall = { readonly rows: readonly WaterfallRow[]; readonly totalMs: number };

/** Phases follow one another; what was not measured is part of the next. */
function segmentsOf(attempt: Attempt, endMs: number): readonly Segment[] {
  const { startMs = 0, waitMs = 0, connectedMs, sentMs, headMs, firstContentMs } = attempt;
  const marks: readonly (readonly [Phase, number | undefined])[] = [
    ['connect', connectedMs],
    ['send', sentMs],
    ['wait', firstContentMs ?? (attempt.outcome === 'ok' ? headMs : endMs)],
    ['stream', endMs],
  ];
  const segments: Segment[] = waitMs > 0 ? [{ phase: 'pause', fromMs: startMs - waitMs, untilMs: startMs }] : [];
  let fromMs = startMs;
  for (const [phase, mark] of marks) {
    if (mark === undefined) continue;
    const untilMs = Math.min(Math.max(mark, fromMs), endMs);
    if (untilMs > fromMs) segments.push({ phase, fromMs, untilMs });
    fromMs = untilMs;
  }
  return segments;
}

export function waterfallOf({ stages, attempts, durationMs }: RequestDetail): Waterfall {
  const admit = stages.find(({ name }) => name === 'admit');
  const totalMs = Math.max(1, durationMs, ...attempts.map(({ endMs = 0 }) => endMs), admit?.endMs ?? 0);
  const rows: WaterfallRow[] = [];
  const plain = { index: 0, firstContentMs: undefined, isFailed: false, attempt: undefined };
  if (admit !== undefined)
    rows.push({
      ...plain,
      name: 'admit',
      segments: [{ phase: 'work', fromMs: admit.startMs, untilMs: admit.endMs }],
    });
  for (const [position, attempt] of attempts.entries())
    rows.push({
      name: 'try',
      index: position + 1,
      segments: segmentsOf(attempt, attempt.endMs ?? totalMs),
      firstContentMs: attempt.firstContentMs,
      isFailed: attempt.outcome !== 'ok',
      attempt,
    });
  return { rows, totalMs };
}

const STEPS = [1, 2, 5];
const MAX_TICKS = 6;

/** Round numbers from 0 to at most the total. */
export function ticksOf(totalMs: number): readonly number[] {
  for (let power = 1; power <= 1e9; power *= 10)
    for (const step of STEPS) {
      const width = step * power;
      if (totalMs / width <= MAX_TICKS)
        return Array.from({ length: Math.floor(totalMs / width) + 1 }, (_, index) => index * width);
    }
  return [0];
}
